// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/matmul_operands.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;
using fuseq::test::DeviceRun;

std::vector<dnnl_dim_t> strides_of_matrix(const Shape& dims, bool transposed) {
    const dnnl::memory::desc desc = matrix_desc(ElementType::f32, dims, transposed);
    const auto* strides = desc.data.format_desc.blocking.strides;
    return {strides, strides + desc.data.ndims};
}

// Descriptors of one memory are the same in all of their fields, as oneDNN's primitive cache has it.
TEST(MatrixDesc, StridesOfSizeOneFollowFromTheOthers) {
    EXPECT_EQ(strides_of_matrix({2, 32, 1}, true), strides_of_matrix({2, 1, 32}, false));
    EXPECT_EQ(strides_of_matrix({2, 1, 32}, true), strides_of_matrix({2, 32, 1}, false));
    EXPECT_EQ(strides_of_matrix({1, 1, 1}, true), strides_of_matrix({1, 1, 1}, false));
    EXPECT_EQ(strides_of_matrix({1, 5, 32}, true), (std::vector<dnnl_dim_t>{160, 1, 32}));
}

// Products that differ in how the second operand lies in memory, but for dimensions of size 1, and in
// their scale: oneDNN takes one primitive for both. A depth of 1, as of attention to one token.
TEST(MatMulOperands, ProductsThatShareAPrimitiveNeedTheSameScratchpad) {
    constexpr double kTolerance = 1e-5;
    const auto product = [](const std::string& n, bool turned) {
        const std::string i = turned ? "t" : "p";
        const std::string v = turned ? "[1,1,2," + n + "]" : "[1,2,1," + n + "]";
        return "%a" + i + " = Parameter : f32[1,2,1,1]\n%v" + i + " = Parameter : f32" + v + "\n" +
               (turned ? "%heads = Const value={0,2,1,3} : i64[4]\n%w" + i + " = Transpose(%v" + i +
                             ", %heads)\n"
                       : "%w" + i + " = ReLU(%v" + i + ")\n") +
               "%m" + i + " = MatMul(%a" + i + ", %w" + i + ")\n%s" + i + " = Const value={" +
               (turned ? "3" : "5") + "} : f32[]\n%y" + i + " = Multiply(%m" + i + ", %s" + i +
               ")\n%r" + i + " = Result(%y" + i + ")\n";
    };
    for (const std::string n : {"32", "48", "64", "80"}) {
        check_on_devices(product(n, false) + product(n, true), 2, kTolerance);
    }
    for (const std::string n : {"33", "47", "96", "112"}) {
        check_on_devices(product(n, true) + product(n, false), 3, kTolerance);
    }
}

// Numbers of rows that are no multiple of a tile's, with a residual input and a result in the
// user's memory.
TEST(MatMulRows, AnyNumberOfThemGivesTheSame) {
    constexpr double kTolerance = 1e-4;
    for (const std::string rows : {"49", "61", "64", "125"}) {
        SCOPED_TRACE(rows);
        check_on_devices("%x = Parameter : f32[1," + rows + ",256]\n" + "%r = Parameter : f32[1," +
                             rows + ",192]\n" +
                             "%l = Const value={-4} : f32[]\n"
                             "%h = Const value={3.96875} : f32[]\n"
                             "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
                             "%w8 = Const value=random(5,-9,9) : i8[192,256]\n"
                             "%wf = Convert(%w8) destination_type=f32\n"
                             "%s = Const value={0.015625} : f32[]\n"
                             "%w = Multiply(%wf, %s)\n"
                             "%y = MatMul(%q, %w) transpose_b=true\n"
                             "%sum = Add(%y, %r)\n"
                             "%out = Result(%sum)\n"
                             "%w2 = Const value=random(6,-9,9) : i8[256,256]\n"
                             "%w2f = Convert(%w2) destination_type=f32\n"
                             "%w2s = Multiply(%w2f, %s)\n"
                             "%z = MatMul(%q, %w2s) transpose_b=true\n"
                             "%g = Gelu(%z)\n"
                             "%out2 = Result(%g)\n",
                         1, kTolerance);
    }
}

}  // namespace
}  // namespace fuseq::cpu
