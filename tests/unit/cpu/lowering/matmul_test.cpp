// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of two tensors that read and write through transpositions: what they compute is
// what the reference device does step by step.
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;
using fuseq::test::DeviceRun;

constexpr double kTolerance = 1e-5;

bool has_strides() {
    return includes(isa_level(), IsaLevel::kAvx512Vnni);
}

// Steps of a kind.
std::size_t count(const DeviceRun& run, const std::string& kind) {
    std::size_t found = 0;
    for (const auto& step : run.report["steps"]) {
        found += step["kind"] == kind ? 1 : 0;
    }
    return found;
}

// [2, 10, 3, 16] by [2, 14, 3, 16], heads in front: [2, 3, 10, 14].
const std::string kScores =
    "%q = Parameter : f32[2,10,3,16]\n"
    "%k = Parameter : f32[2,14,3,16]\n"
    "%heads = Const value={0,2,1,3} : i64[4]\n"
    "%turned = Const value={0,2,3,1} : i64[4]\n";

TEST(MatMulStep, ReadsHeadsWhereTheyAre) {
    const DeviceRun run = check_on_devices(kScores +
                                               "%tq = Transpose(%q, %heads)\n"
                                               "%tk = Transpose(%k, %turned)\n"
                                               "%y = MatMul(%tq, %tk)\n"
                                               "%r = Result(%y)\n",
                                           1, kTolerance);
    if (has_strides()) {
        EXPECT_EQ(count(run, "transpose"), 0u);
        EXPECT_EQ(run.step_of("tq"), run.step_of("y"));
        EXPECT_EQ(run.step_of("tk"), run.step_of("y"));
    }
}

TEST(MatMulStep, ReadsTransposedHeads) {
    const DeviceRun run = check_on_devices(kScores +
                                               "%tq = Transpose(%q, %heads)\n"
                                               "%tk = Transpose(%k, %heads)\n"
                                               "%y = MatMul(%tq, %tk) transpose_b=true\n"
                                               "%r = Result(%y)\n",
                                           2, kTolerance);
    if (has_strides()) {
        EXPECT_EQ(count(run, "transpose"), 0u);
    }
}

TEST(MatMulStep, WritesHeadsSideBySide) {
    const DeviceRun run = check_on_devices(
        "%p = Parameter : f32[2,3,10,14]\n"
        "%v = Parameter : f32[2,14,3,16]\n"
        "%heads = Const value={0,2,1,3} : i64[4]\n"
        "%flat = Const value={2,10,48} : i64[3]\n"
        "%tv = Transpose(%v, %heads)\n"
        "%y = MatMul(%p, %tv)\n"
        "%m = Transpose(%y, %heads)\n"
        "%f = Reshape(%m, %flat)\n"
        "%r = Result(%f)\n",
        3, kTolerance);
    if (has_strides()) {
        EXPECT_EQ(count(run, "transpose"), 0u);
        EXPECT_EQ(run.step_of("m"), run.step_of("y"));
    }
}

// Rows that would be columns in memory, and results that somebody else reads.
TEST(MatMulStep, LeavesOtherTranspositions) {
    const DeviceRun columns = check_on_devices(
        "%q = Parameter : f32[2,3,16,10]\n"
        "%k = Parameter : f32[2,3,16,14]\n"
        "%turned = Const value={0,1,3,2} : i64[4]\n"
        "%tq = Transpose(%q, %turned)\n"
        "%y = MatMul(%tq, %k)\n"
        "%r = Result(%y)\n",
        4, kTolerance);
    EXPECT_EQ(count(columns, "transpose"), 1u);
    const DeviceRun shared = check_on_devices(kScores +
                                                  "%tq = Transpose(%q, %heads)\n"
                                                  "%tk = Transpose(%k, %turned)\n"
                                                  "%y = MatMul(%tq, %tk)\n"
                                                  "%m = Transpose(%y, %heads)\n"
                                                  "%r = Result(%y)\n"
                                                  "%r2 = Result(%m)\n"
                                                  "%r3 = Result(%tq)\n",
                                              5, kTolerance);
    if (has_strides()) {
        EXPECT_EQ(count(shared, "transpose"), 2u);
    }
    const DeviceRun turned = check_on_devices(kScores +
                                                  "%tq = Transpose(%q, %heads)\n"
                                                  "%tk = Transpose(%k, %turned)\n"
                                                  "%y = MatMul(%tq, %tk)\n"
                                                  "%m = Transpose(%y, %turned)\n"
                                                  "%r = Result(%m)\n",
                                              6, kTolerance);
    if (has_strides()) {
        EXPECT_EQ(count(turned, "transpose"), 1u);
    }
}

// Bytes after quantizations, and a quantization of the result.
TEST(MatMulStep, IntegersThroughTranspositions) {
    const std::string levels =
        "%l = Const value={-4} : f32[]\n"
        "%h = Const value={3.96875} : f32[]\n"
        "%ol = Const value={-64} : f32[]\n"
        "%oh = Const value={63.5} : f32[]\n";
    const DeviceRun run =
        check_on_devices(kScores + levels +
                             "%qq = FakeQuantize(%q, %l, %h, %l, %h) levels=256\n"
                             "%qk = FakeQuantize(%k, %l, %h, %l, %h) levels=256\n"
                             "%tq = Transpose(%qq, %heads)\n"
                             "%tk = Transpose(%qk, %turned)\n"
                             "%y = MatMul(%tq, %tk)\n"
                             "%z = FakeQuantize(%y, %ol, %oh, %ol, %oh) levels=256\n"
                             "%m = Transpose(%z, %heads)\n"
                             "%r = Result(%m)\n",
                         7, kTolerance);
    EXPECT_EQ(run.step_of("tq"), run.step_of("y"));
    EXPECT_EQ(count(run, "transpose"), 0u);
    EXPECT_EQ(run.step_of("y").starts_with("matmul fuseq:data_product"),
              !int8_accumulates_exactly())
        << run.step_of("y");
}

// oneDNN 2.6 reads beyond the values a column where it writes rows out of order.
TEST(MatMulStep, WritesHeadsInOrderWhereColumnsHaveValues) {
    const DeviceRun run = check_on_devices(
        "%p = Parameter : f32[2,3,10,14]\n"
        "%v = Parameter : f32[2,14,3,4]\n"
        "%l = Const value={-4} : f32[]\n"
        "%h = Const value={3.96875} : f32[]\n"
        "%qp = FakeQuantize(%p, %l, %h, %l, %h) levels=256\n"
        "%qv = FakeQuantize(%v, %l, %h, %l, %h) levels=256\n"
        "%heads = Const value={0,2,1,3} : i64[4]\n"
        "%tv = Transpose(%qv, %heads)\n"
        "%y = MatMul(%qp, %tv)\n"
        "%by = Const value={0.5,2,0.25,1} : f32[1,1,1,4]\n"
        "%s = Multiply(%y, %by)\n"
        "%ol = Const value={-64} : f32[]\n"
        "%oh = Const value={63.5} : f32[]\n"
        "%z = FakeQuantize(%s, %ol, %oh, %ol, %oh) levels=256\n"
        "%m = Transpose(%z, %heads)\n"
        "%r = Result(%m)\n",
        8, kTolerance);
    EXPECT_EQ(run.report["totals"]["anchors_int8"], 1) << run.step_of("y");
}

// A batch of one by a batch of two, zero points of both, a tensor that is added, and few rows.
TEST(MatMulStep, IntegersOfBroadcastBatches) {
    const DeviceRun run = check_on_devices(
        "%a = Parameter : f32[1,5,19]\n"
        "%b = Parameter : f32[2,19,33]\n"
        "%c = Parameter : f32[2,5,33]\n"
        "%l = Const value={-1} : f32[]\n"
        "%h = Const value={2.984375} : f32[]\n"
        "%qa = FakeQuantize(%a, %l, %h, %l, %h) levels=256\n"
        "%qb = FakeQuantize(%b, %l, %h, %l, %h) levels=256\n"
        "%y = MatMul(%qa, %qb)\n"
        "%s = Add(%y, %c)\n"
        "%r = Result(%s)\n",
        8, kTolerance);
    EXPECT_EQ(run.step_of("y").starts_with("matmul fuseq:data_product"),
              !int8_accumulates_exactly())
        << run.step_of("y");
}

// One row by constant weights that are halves: small integers here. With a bias, and a quantization
// after it; and two rows, which oneDNN multiplies.
TEST(MatMulStep, KeepsWeightsOfHalfPrecision) {
    constexpr double kSumTolerance = 1e-3;  // products up to 360
    const auto product = [](const std::string& rows, const std::string& weights) {
        return "%x = Parameter : f32[" + rows +
               ",40]\n"
               "%w8 = Const value=random(4,-90,90) : i8[" +
               weights +
               "]\n"
               "%w = Convert(%w8) destination_type=f32\n"
               "%b = Const value=random(5,-9,9) : f32[1,70]\n"
               "%m = MatMul(%x, %w)" +
               (weights == "70,40" ? " transpose_b=true\n" : "\n") + "%y = Add(%m, %b)\n";
    };
    const bool own = has_strides() && !kernels::loads_one_wide_vector_a_cycle();
    for (const std::string weights : {"40,70", "70,40"}) {
        const DeviceRun run =
            check_on_devices(product("1", weights) + "%r = Result(%y)\n", 1, kSumTolerance);
        EXPECT_EQ(run.step_of("m") == "matmul fuseq:half_matrix", own) << run.step_of("m");
        EXPECT_EQ(run.step_of("y"), run.step_of("m"));
    }
    const DeviceRun two =
        check_on_devices(product("2", "40,70") + "%r = Result(%y)\n", 1, kSumTolerance);
    EXPECT_NE(two.step_of("m"), "matmul fuseq:half_matrix");
    const DeviceRun relu = check_on_devices(product("1", "40,70") +
                                                "%z = ReLU(%y)\n"
                                                "%r = Result(%z)\n",
                                            1, kSumTolerance);
    EXPECT_EQ(relu.step_of("m") == "matmul fuseq:half_matrix", own) << relu.step_of("m");
}

}  // namespace
}  // namespace fuseq::cpu
