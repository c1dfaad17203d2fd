// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations on quantized tensors on the CPU device: the bytes of the reference kernels, and which
// step computes them.
#include <algorithm>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kPair = "eltwise fuseq:quantized_pair";
constexpr const char* kTable = "eltwise fuseq:byte_table";
constexpr const char* kMethods[] = {"ONNX", "TFLITE", "TFLITE_XNNPACK", "TFLITE_LEGACY"};

std::string grids(const std::string& inputs, const std::string& type, const std::string& method) {
    return " " + inputs + " output_scale=0.071 output_zero_point=3 output_type=" + type +
           " method=" + method;
}

std::string pair_model(const std::string& type,
                       const std::string& a,
                       const std::string& b,
                       const std::string& op,
                       const std::string& method) {
    return "model \"m\"\n%a = Parameter : " + type + a + "\n%b = Parameter : " + type + b +
           "\n%y = " + op + "(%a, %b)" +
           grids("input_scales=[0.05,0.013] input_zero_points=[7,2]", type, method) +
           "\n%r = Result(%y)";
}

TEST(MakeQuantizedPair, GivesTheBytesOfTheReference) {
    unsigned seed = 0;
    for (const char* type : {"u8", "i8"}) {
        for (const char* op : {"QuantizedAdd", "QuantizedSubtract", "QuantizedMultiply"}) {
            for (const char* method : kMethods) {
                const DeviceRun run = check_on_devices(
                    pair_model(type, "[1,19,9,7]", "[1,19,9,7]", op, method), ++seed);
                EXPECT_EQ(run.step_of("y"), kPair) << op << " " << method;
            }
        }
    }
}

TEST(MakeQuantizedPair, RepeatsOneRow) {
    const auto step = [](const char* a, const char* b, const char* op) {
        return check_on_devices(pair_model("i8", a, b, op, "TFLITE"), 5).step_of("y");
    };
    EXPECT_EQ(step("[2,9,37]", "[1,1,37]", "QuantizedMultiply"), kPair);
    EXPECT_EQ(step("[1,1,37]", "[2,9,37]", "QuantizedSubtract"), kPair);
    EXPECT_EQ(step("[2,9,37]", "[37]", "QuantizedAdd"), kPair);
    EXPECT_EQ(step("[2,9,37]", "[2,9,1]", "QuantizedMultiply"), "QuantizedMultiply reference");
    EXPECT_EQ(step("[2,9,37]", "[9,37]", "QuantizedAdd"), "QuantizedAdd reference");
}

// More of it than a buffer of the step holds.
TEST(MakeQuantizedPair, RepeatsOneElement) {
    const auto step = [](const char* type, const char* a, const char* b) {
        return check_on_devices(pair_model(type, a, b, "QuantizedSubtract", "TFLITE"), 6)
            .step_of("y");
    };
    EXPECT_EQ(step("i8", "[2,9,370]", "[1,1,1]"), kPair);
    EXPECT_EQ(step("u8", "[]", "[2,9,370]"), kPair);
    EXPECT_EQ(step("u8", "[370]", "[2,9,1]"), "QuantizedSubtract reference");
    EXPECT_EQ(step("i8", "[1,1]", "[2,370]"), kPair);
}

std::string words_model(const std::string& op, const std::string& b, const std::string& more) {
    return "model \"m\"\n%a = Parameter : i16[3,5,77]\n%b = Parameter : i16" + b + "\n%y = " + op +
           "(%a, %b) output_zero_point=0 output_type=i16" + more + "\n%r = Result(%y)";
}

TEST(MakeQuantizedPair, GivesTheWordsOfTheReference) {
    const std::string scales = " input_scales=[0.0003,0.00011] output_scale=0.00041 method=";
    for (const char* method : kMethods) {
        for (const char* op : {"QuantizedAdd", "QuantizedSubtract"}) {
            for (const char* b : {"[3,5,77]", "[77]", "[1]"}) {
                const DeviceRun run = check_on_devices(words_model(op, b, scales + method), 7);
                EXPECT_EQ(run.step_of("y"), kPair) << op << " " << b << " " << method;
            }
        }
    }
    EXPECT_EQ(check_on_devices(words_model("QuantizedMultiply", "[3,5,77]", scales + "TFLITE"), 8)
                  .step_of("y"),
              kPair);
    // A product that is as large as its grid allows: sums of 32 bits would not do.
    const std::string large = " input_scales=[0.3,0.11] output_scale=0.00041 method=TFLITE";
    EXPECT_EQ(check_on_devices(words_model("QuantizedMultiply", "[3,5,77]", large), 9).step_of("y"),
              "QuantizedMultiply reference");
    const std::string shifts =
        " input_scales=[0.00048828125,0.0001220703125] output_scale=0.00048828125 shifts=true "
        "method=TFLITE";
    EXPECT_EQ(check_on_devices(words_model("QuantizedAdd", "[3,5,77]", shifts), 10).step_of("y"),
              kPair);
    EXPECT_EQ(
        check_on_devices(
            words_model("QuantizedAdd", "[3,5,77]", scales + "TFLITE input_zero_points=[7,0]"), 11)
            .step_of("y"),
        "QuantizedAdd reference");
}

TEST(MakeQuantizedPair, LeavesOtherRulesToTheReference) {
    for (const char* method : {"NATIVE", "TFLITE_SINGLE_ROUNDING"}) {
        const DeviceRun run =
            check_on_devices(pair_model("u8", "[3,40]", "[3,40]", "QuantizedAdd", method), 6);
        EXPECT_EQ(run.step_of("y"), "QuantizedAdd reference");
    }
}

TEST(MakeQuantizedTable, GivesTheBytesOfTheReference) {
    for (const char* method : {"NATIVE", "ONNX", "TFLITE", "TFLITE_SINGLE_ROUNDING"}) {
        const auto check = [&](const std::string& op, const std::string& more) {
            const std::string text =
                "model \"m\"\n%x = Parameter : i8[3,5,77]\n%y = " + op + "(%x)" +
                grids("input_scales=[0.05] input_zero_points=[-7]", "u8", method) + more +
                "\n%r = Result(%y)";
            EXPECT_EQ(check_on_devices(text, 7).step_of("y"), kTable) << op << " " << method;
        };
        check("Requantize", " clamp_max=200");
        check("QuantizedLeakyRelu", " alpha=0.3");
        check("QuantizedTable", " function=tanh");
    }
}

TEST(MakeQuantizedTable, OfWords) {
    for (const char* type : {"i8", "u8", "i16"}) {
        for (const char* method : {"NATIVE", "TFLITE", "TFLITE_SINGLE_ROUNDING"}) {
            const auto check = [&](const std::string& op, const std::string& more) {
                const std::string text =
                    "model \"m\"\n%x = Parameter : i16[3,5,77]\n%y = " + op +
                    "(%x) input_scales=[0.0003] input_zero_points=[0] output_scale=0.071 "
                    "output_zero_point=0 output_type=" +
                    type + " method=" + method + more + "\n%r = Result(%y)";
                EXPECT_EQ(check_on_devices(text, 7).step_of("y"), "eltwise fuseq:word_table")
                    << op << " " << method << " " << type;
            };
            check("Requantize", "");
            check("QuantizedLeakyRelu", " alpha=0.3");
        }
    }
}

// The first two inputs are on the grid of the result.
TEST(MakeQuantizedConcat, RequantizesWhatIsOnAnotherGrid) {
    const std::string text =
        "model \"m\"\n%a = Parameter : u8[2,3,5,4]\n%b = Parameter : u8[2,6,5,4]\n%c = Parameter : "
        "u8[2,2,5,4]\n%y = QuantizedConcat(%a, %b, %c)" +
        grids("input_scales=[0.071,0.071,0.05] input_zero_points=[3,3,9]", "u8", "TFLITE") +
        " axis=1\n%r = Result(%y)";
    const DeviceRun run = check_on_devices(text, 8);
    EXPECT_EQ(run.step_of("y"), "concat fuseq:copy");
    std::size_t tables = 0;
    for (const auto& step : run.report["steps"]) {
        tables += step["implementation"] == "fuseq:byte_table" ? 1 : 0;
    }
    EXPECT_EQ(tables, 1U);
}

std::string convolution_model(const std::string& method) {
    return "model \"m\"\n%x = Parameter : i8[1,30,30,16]\n%w = Const value=random(1,-127,127) : "
           "i8[24,16,1,1]"
           "\n%y = QuantizedConvolution(%x, %w)" +
           grids("input_scales=[0.05] input_zero_points=[-7] weight_scales=[0.002]", "i8", method) +
           " strides=[1,1] channels_last=true\n%r = Result(%y)";
}

std::size_t requantize_steps(const DeviceRun& run) {
    const auto& steps = run.report["steps"];
    return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const auto& step) {
        return step["implementation"] == "fuseq:requantize_sums" && step["kind"] == "requantize";
    }));
}

// The product rounds its sums itself (pass rounded_sums).
TEST(MakeRequantizeSums, GivesTheBytesOfTheReference) {
    for (const char* method :
         {"NATIVE", "ONNX", "TFLITE", "TFLITE_REFERENCE", "TFLITE_SINGLE_ROUNDING"}) {
        EXPECT_EQ(requantize_steps(check_on_devices(convolution_model(method), 9)), 0U) << method;
    }
}

// Weights that are no i8 less their zero points: the rest is a zero point of the product's weights.
TEST(MakeRequantizeSums, IsInTheProductForWeightsWithZeroPoints) {
    const DeviceRun run = check_on_devices(
        "model \"m\"\n%x = Parameter : u8[1,9,7,6]\n%w = Const value=random(1,0,255) : u8[9,6,1,1]"
        "\n%y = QuantizedConvolution(%x, %w)" +
            grids("input_scales=[0.05] input_zero_points=[7] weight_scales=[0.002] "
                  "weight_zero_points=[90]",
                  "u8", "TFLITE") +
            " strides=[1,1] channels_last=true\n%r = Result(%y)",
        10);
    EXPECT_EQ(requantize_steps(run), 0U);
}

// Biases of dead channels, as TFLite's converter writes them: at one end of the grid for every sum,
// or nearly so.
TEST(MakeRequantizeSums, ChannelsFarOutsideOfTheGrid) {
    for (const char* method : {"TFLITE", "TFLITE_XNNPACK"}) {
        const DeviceRun run = check_on_devices(
            "model \"m\"\n%x = Parameter : i8[1,9,7,6]\n"
            "%w = Const value=random(1,-127,127) : i8[9,6,1,1]\n"
            "%b = Const value={7,1073741824,-1073741824,600000000,-600000000,30,1600000000,"
            "-2000000000,5} : i32[9]\n%y = QuantizedConvolution(%x, %w, %b)" +
                grids("input_scales=[0.05] input_zero_points=[-7] "
                      "weight_scales=[0.002,0.002,0.002,1e-8,1e-8,0.002,2e-9,2e-9,0.01]",
                      "i8", method) +
                " strides=[1,1] channels_last=true\n%r = Result(%y)",
            12);
        EXPECT_LE(requantize_steps(run), 1U) << method;
    }
}

}  // namespace
}  // namespace fuseq::test
