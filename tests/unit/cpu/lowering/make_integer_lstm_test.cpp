// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm on the CPU device: the integers of the reference kernel, and which step computes
// them. Whole sequences of TFLite: tests/unit/readers_tflite/cases/state.json.
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

// A multiplier of 2^30 / 2^30 and more leaves 32 bits.
TEST(MakeIntegerLstm, MultipliersThatLeave32BitsStayOnTheReferenceKernel) {
    EXPECT_EQ(step_of(lstm(1, 2, 3, 4, "hidden_scale=4e-10 cell_exponent=-11")),
              "QuantizedLstm reference");
}

}  // namespace
}  // namespace fuseq::test
