// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Deconvolutions on the own matrix product: the bytes are those of a plan without it.
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;
using fuseq::test::DeviceRun;
using fuseq::test::random_tensor;

// From 12 channels on 9 x 10 pixels, with `attributes` and a kernel of `size`.
std::string deconvolution(const std::string& source,
                          const std::string& size,
                          const std::string& attributes) {
    return "%x = Parameter : " + source +
           "[2,12,9,10]\n"
           "%w = Const value=random(3,-127,127) : i8[12,24," +
           size +
           "]\n"
           "%c = ConvolutionBackpropData(%x, %w) " +
           attributes +
           "\n"
           "%k = Const value=random(5,0.0001,0.0009) : f32[1,24,1,1]\n"
           "%m = Multiply(%c, %k)\n";
}

constexpr const char* kQuantized =
    "%b = Const value=random(7,-9,9) : f32[1,24,1,1]\n"
    "%s = Add(%m, %b)\n"
    "%a = ReLU(%s)\n"
    "%l = Const value={0} : f32[]\n"
    "%h = Const value={41} : f32[]\n"
    "%q = FakeQuantize(%a, %l, %h, %l, %h) levels=256\n"
    "%r = Result(%q)\n";

struct Run {
    std::vector<float> values;
    bool own = false;
};

Run run(const std::string& text, ElementType source, const AnyMap& properties) {
    std::mt19937 random(7);
    Core core;
    CompiledModel compiled = core.compile_model(Model::from_text(text), "CPU", properties);
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(0, random_tensor(source, {2, 12, 9, 10}, random));
    request.infer();
    Run result{.values = to_floats(request.get_output_tensor(0))};
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    for (const auto& step : report.at("steps")) {
        result.own =
            result.own || (step.at("kind") == "deconvolution" &&
                           step.at("implementation").get<std::string>().starts_with("fuseq:gemm_"));
    }
    return result;
}

// Whether the matrix product does it.
bool is_own(const std::string& text, ElementType source = ElementType::u8) {
    SCOPED_TRACE(text);
    const Run own = run(text, source, {{"FUSEQ_OWN_GEMM", "YES"}});
    const Run other = run(text, source, {{"FUSEQ_OWN_GEMM", "NO"}});
    const Run one_by_one = run(text, source, {{"FUSEQ_TILE_GROUPS", "NO"}});
    EXPECT_EQ(own.values, other.values);
    EXPECT_EQ(own.values, one_by_one.values);
    EXPECT_FALSE(other.own);
    return own.own;
}

TEST(GemmDeconvolution, KernelsOfTheSizeOfTheStride) {
    EXPECT_TRUE(is_own(deconvolution("u8", "2,2", "strides=[2,2] dilations=[1,1]") + kQuantized));
    EXPECT_TRUE(is_own(deconvolution("u8", "3,2", "strides=[3,2] dilations=[1,1]") + kQuantized));
    EXPECT_TRUE(is_own(deconvolution("i8", "3,2", "strides=[3,2] dilations=[1,1]") + kQuantized,
                       ElementType::i8));
}

TEST(GemmDeconvolution, LargerKernels) {
    EXPECT_TRUE(is_own(deconvolution("u8", "4,4",
                                     "strides=[2,2] dilations=[1,1] pads_begin=[1,1] "
                                     "pads_end=[1,1]") +
                       kQuantized));
    EXPECT_TRUE(is_own(deconvolution("i8", "3,3",
                                     "strides=[2,2] dilations=[1,1] pads_begin=[1,1] "
                                     "pads_end=[1,1] output_padding=[1,1]") +
                           kQuantized,
                       ElementType::i8));
}

// Which gets taps of zero.
TEST(GemmDeconvolution, KernelsSmallerThanTheStride) {
    EXPECT_TRUE(
        is_own(deconvolution("u8", "1,1", "strides=[2,2] dilations=[1,1] output_padding=[1,1]") +
               kQuantized));
}

TEST(GemmDeconvolution, FloatsAreStored) {
    EXPECT_TRUE(
        is_own(deconvolution("u8", "2,2", "strides=[2,2] dilations=[1,1]") + "%r = Result(%m)\n"));
}

TEST(GemmDeconvolution, OthersAreLeftToOneDnn) {
    // A size that is no multiple of the stride, a dilation.
    EXPECT_FALSE(is_own(deconvolution("u8", "3,3", "strides=[2,2] dilations=[1,1]") + kQuantized));
    EXPECT_FALSE(
        is_own(deconvolution("u8", "2,2", "strides=[2,2] dilations=[2,2] output_padding=[1,1]") +
               kQuantized));
}

TEST(GemmDeconvolution, ResidualInputsAreRead) {
    EXPECT_TRUE(is_own(deconvolution("u8", "2,2", "strides=[2,2] dilations=[1,1]") +
                       "%t = Const value=random(9,-4,4) : f32[2,24,18,20]\n"
                       "%e = Add(%m, %t)\n"
                       "%r = Result(%e)\n"));
    EXPECT_TRUE(is_own(deconvolution("i8", "3,3",
                                     "strides=[2,2] dilations=[1,1] pads_begin=[1,1] "
                                     "pads_end=[1,1] output_padding=[1,1]") +
                           "%t = Const value=random(9,-4,4) : f32[2,24,18,20]\n"
                           "%e = Add(%m, %t)\n"
                           "%l = Const value={0} : f32[]\n"
                           "%h = Const value={41} : f32[]\n"
                           "%q = FakeQuantize(%e, %l, %h, %l, %h) levels=256\n"
                           "%r = Result(%q)\n",
                       ElementType::i8));
}

// A deconvolution behind an FQ whose zero point is 25.6, as steps of CPU and as values of both devices.
DeviceRun behind_fractional_zero_point(const std::string& size, const std::string& attributes) {
    return check_on_devices(
        "%x = Parameter : f32[2,12,9,10]\n"
        "%il = Const value={-0.4} : f32[]\n"
        "%ih = Const value={3.584375} : f32[]\n"
        "%f = FakeQuantize(%x, %il, %ih, %il, %ih) levels=256\n"
        "%i = Const value=random(3,-127,127) : i8[12,24," +
            size +
            "]\n"
            "%v = Convert(%i) destination_type=f32\n"
            "%s = Const value=random(5,0.0005,0.0009) : f32[1,24,1,1]\n"
            "%w = Multiply(%v, %s)\n"
            "%c = ConvolutionBackpropData(%f, %w) " +
            attributes + "\n%r = Result(%c)\n",
        11, 1e-5);
}

TEST(GemmDeconvolution, FractionalZeroPointsNeedNoTensorWhereSubpixelsDoNotDiffer) {
    const DeviceRun run = behind_fractional_zero_point("2,2", "strides=[2,2] dilations=[1,1]");
    EXPECT_TRUE(run.step_of("c").starts_with("deconvolution fuseq:gemm_")) << run.step_of("c");
    EXPECT_EQ(run.post_ops_of("c"), "scale:per_oc bias -> f32");
    behind_fractional_zero_point("3,2", "strides=[3,2] dilations=[1,1]");
}

// Pixels at the border meet fewer taps.
TEST(GemmDeconvolution, FractionalZeroPointsAreExactAtBorders) {
    const DeviceRun run = behind_fractional_zero_point(
        "4,4", "strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]");
    EXPECT_TRUE(run.step_of("c").starts_with("deconvolution fuseq:gemm_")) << run.step_of("c");
    EXPECT_EQ(run.post_ops_of("c"), "scale:per_oc add(#0 f32) -> f32");
    behind_fractional_zero_point("3,3",
                                 "strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1] "
                                 "output_padding=[1,1]");
}

}  // namespace
}  // namespace fuseq::cpu
