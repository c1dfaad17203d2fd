// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm on the CPU device: the integers of the reference kernel, and which step computes
// them. Whole sequences of TFLite: tests/unit/readers_tflite/cases/lstm_integer.json.
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr const char* kScales =
    "input_scale=0.05 input_zero_point=3 state_scale=0.0078 state_zero_point=-2 "
    "weight_scales=[0.004,0.005,0.006,0.007] recurrent_scales=[0.004,0.005,0.006,0.007] ";

std::string lstm(std::size_t batch,
                 std::size_t steps,
                 std::size_t inputs,
                 std::size_t hidden,
                 const std::string& attributes) {
    const auto dims = [](auto... values) {
        std::string text;
        ((text += (text.empty() ? "[" : ",") + std::to_string(values)), ...);
        return text + "]";
    };
    return "model \"m\"\n%x = Parameter : i8" + dims(batch, steps, inputs) +
           "\n%h = Parameter : i8" + dims(batch, hidden) + "\n%c = Parameter : i16" +
           dims(batch, hidden) + "\n%w = Const value=random(1,-127,127) : i8" +
           dims(4, hidden, inputs) + "\n%r = Const value=random(2,-127,127) : i8" +
           dims(4, hidden, hidden) + "\n%b = Const value=random(3,-9000,9000) : i32" +
           dims(4, hidden) + "\n%y = QuantizedLstm(%x, %h, %c, %w, %r, %b) " + kScales +
           attributes + "\n%o0 = Result(%y:0)\n%o1 = Result(%y:1)\n%o2 = Result(%y:2)";
}

std::string step_of(const std::string& model) {
    return check_on_devices(model, 1).step_of("y");
}

TEST(MakeIntegerLstm, AnySize) {
    constexpr const char* kGrid = "hidden_scale=0.0078 hidden_zero_point=4 cell_exponent=-11";
    constexpr std::size_t kSizes[][4] = {{1, 5, 28, 20}, {2, 3, 4, 5},   {3, 1, 1, 1},
                                         {1, 4, 7, 16},  {1, 2, 33, 17}, {5, 2, 3, 64}};
    for (const auto& [batch, steps, inputs, hidden] : kSizes) {
        EXPECT_EQ(step_of(lstm(batch, steps, inputs, hidden, kGrid)),
                  "recurrent fuseq:integer_lstm")
            << batch << " " << steps << " " << inputs << " " << hidden;
    }
}

TEST(MakeIntegerLstm, EveryScaleOfCellsAndClipping) {
    for (int exponent = -15; exponent <= -9; ++exponent) {
        for (const int clip : {0, 900, 32767}) {
            EXPECT_EQ(step_of(lstm(1, 6, 9, 19,
                                   "hidden_scale=0.0061 cell_exponent=" + std::to_string(exponent) +
                                       " cell_clip=" + std::to_string(clip))),
                      "recurrent fuseq:integer_lstm");
        }
    }
}

constexpr const char* kGateScales = " gate_scales=[0.0003,0.0002,0.0004,0.0003]";
constexpr const char* kNormScales = " norm_scales=[0.00003,0.00002,0.00004,0.00003]";

// The model with a further input of the layer.
std::string with_input(std::string model, const std::string& name, const std::string& constant) {
    const std::size_t layer = model.find("%y =");
    model.insert(layer, "%" + name + " = Const value=" + constant + "\n");
    const std::size_t end = model.find(')', model.find("QuantizedLstm"));
    return model.insert(end, ", %" + name);
}

TEST(MakeIntegerLstm, PeepholesOfAllSequencesOrOfEach) {
    for (const char* rows : {"1", "3"}) {
        for (const std::size_t hidden : {std::size_t{5}, std::size_t{35}}) {
            const std::string model =
                with_input(lstm(3, 4, 6, hidden,
                                "hidden_scale=0.0078 cell_exponent=-10 "
                                "peephole_scales=[0.00003,0.00005,0.00002]"),
                           "p",
                           "random(4,-32767,32767) : i16[3," + std::string(rows) + "," +
                               std::to_string(hidden) + "]");
            EXPECT_EQ(step_of(model), "recurrent fuseq:integer_lstm");
        }
    }
}

TEST(MakeIntegerLstm, NormalizationAndProjection) {
    std::string model = lstm(2, 4, 7, 18,
                             std::string("hidden_scale=0.0078 hidden_zero_point=5 "
                                         "cell_exponent=-11 projection_scale=0.003 ") +
                                 "projection_clip=60" + kGateScales + kNormScales);
    for (const auto& [from, to] :
         {std::pair{"i8[2,18]", "i8[2,11]"}, std::pair{"i8[4,18,18]", "i8[4,18,11]"}}) {
        model.replace(model.find(from), std::string(from).size(), to);
    }
    model = with_input(model, "n", "random(4,-32767,32767) : i16[4,18]");
    model = with_input(model, "q", "random(5,-127,127) : i8[11,18]");
    model = with_input(model, "qb", "random(6,-900,900) : i32[11]");
    EXPECT_EQ(step_of(model), "recurrent fuseq:integer_lstm");
}

TEST(MakeIntegerLstm, CoupledGates) {
    std::string model = lstm(2, 4, 7, 18, "hidden_scale=0.0078 cell_exponent=-12");
    for (const char* four : {"i8[4,18,7]", "i8[4,18,18]", "i32[4,18]"}) {
        model.replace(model.find(four), std::string(four).size(),
                      std::string(four).replace(std::string(four).find('4'), 1, "3"));
    }
    for (std::size_t at = 0; (at = model.find("=[0.004,", at)) != std::string::npos; ++at) {
        model.erase(at + 2, 6);
    }
    EXPECT_EQ(step_of(model), "recurrent fuseq:integer_lstm");
}

// The sum with the last output is beyond 16 bits alone, and the input's brings it back.
TEST(MakeIntegerLstm, OnlyTheWholeSumIsSaturated) {
    std::string model = lstm(2, 5, 9, 20, "hidden_scale=0.0078 cell_exponent=-11");
    model.replace(model.find("[0.004,0.005,0.006,0.007] recur"), 25, "[0.09,0.08,0.1,0.09]");
    model.replace(model.find("scales=[0.004"), 32, "scales=[0.09,0.07,0.08,0.09]");
    EXPECT_EQ(step_of(model), "recurrent fuseq:integer_lstm");
}

// A multiplier of 2^30 / 2^30 and more leaves 32 bits.
TEST(MakeIntegerLstm, MultipliersThatLeave32BitsStayOnTheReferenceKernel) {
    EXPECT_EQ(step_of(lstm(1, 2, 3, 4, "hidden_scale=4e-10 cell_exponent=-11")),
              "QuantizedLstm reference");
}

}  // namespace
}  // namespace fuseq::test
