// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights of a MatMul as NNCF compresses them, on both devices against numbers worked out by hand.
#include <nlohmann/json.hpp>

#include "models/ir_text.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

class CompressedIr : public testing::TestWithParam<const char*> {
protected:
    // The results for the row 1, 2, ..., and on CPU that the weights were kept.
    std::vector<float> run(const IrText& ir, std::size_t depth) const {
        std::vector<float> row;
        for (std::size_t k = 0; k < depth; ++k) {
            row.push_back(static_cast<float>(k + 1));
        }
        const Tensor x = Tensor::of<float>({1, depth}, row);
        if (std::string(GetParam()) == "CPU") {
            Core core;
            const auto report =
                nlohmann::json::parse(core.compile_model(ir.model(), "CPU").get_runtime_report());
            EXPECT_NE(report.dump().find("fuseq:compressed_matrix"), std::string::npos);
        }
        return to_floats(ir.run(GetParam(), {x})[0]);
    }
};

// INT8_ASYM: (q - z) * s, a channel each; weights in f16 arithmetic.
TEST_P(CompressedIr, AsymmetricBytes) {
    IrText ir;
    const int x = ir.parameter("f32", "1,4");
    const int q = ir.constant<std::uint8_t>("u8", "2,4", {130, 128, 127, 0, 5, 6, 7, 8});
    const int z = ir.constant<std::uint8_t>("u8", "2,1", {128, 5});
    const int scale = ir.halves("2,1", {0.5f, 2});
    const int d = ir.add("Subtract", "", {ir.convert(q, "f16"), ir.convert(z, "f16")});
    const int w = ir.convert(ir.add("Multiply", "", {d, scale}), "f32");
    ir.add("Result", "", {ir.add("MatMul", "transpose_b=\"true\"", {x, w})});
    // (2, 0, -1, -128) * 0.5 and (0, 1, 2, 3) * 2
    EXPECT_THAT(run(ir, 4), ElementsAre(FloatEq(-256.5f), FloatEq(40)));
}

// INT8_SYM
TEST_P(CompressedIr, SymmetricBytes) {
    IrText ir;
    const int x = ir.parameter("f32", "1,3");
    const int q = ir.constant<std::int8_t>("i8", "2,3", {-127, 0, 127, 1, 2, 3});
    const int scale = ir.halves("2,1", {0.25f, -1});
    const int w = ir.convert(ir.add("Multiply", "", {ir.convert(q, "f16"), scale}), "f32");
    ir.add("Result", "", {ir.add("MatMul", "transpose_b=\"true\"", {x, w})});
    // (1 * -127 + 3 * 127) / 4 and -(1 + 4 + 9)
    EXPECT_THAT(run(ir, 3), ElementsAre(FloatEq(63.5f), FloatEq(-14)));
}

// INT4_ASYM: two groups of 8, and a Reshape to the matrix.
TEST_P(CompressedIr, AsymmetricGroupsOfFourBits) {
    IrText ir;
    const int x = ir.parameter("f32", "1,16");
    // 1..8 less 1, and 15 eight times less 14
    const int q =
        ir.constant<std::uint8_t>("u4", "1,2,8", {0x21, 0x43, 0x65, 0x87, 0xff, 0xff, 0xff, 0xff});
    const int z = ir.constant<std::uint8_t>("u4", "1,2,1", {0xe1});
    const int scale = ir.halves("1,2,1", {1, 0.5f});
    const int shape = ir.constant<std::int64_t>("i64", "2", {1, 16});
    const int d = ir.add("Subtract", "", {ir.convert(q, "f16"), ir.convert(z, "f16")});
    const int m = ir.add("Multiply", "", {d, scale});
    const int w = ir.convert(ir.add("Reshape", "special_zero=\"false\"", {m, shape}), "f32");
    ir.add("Result", "", {ir.add("MatMul", "transpose_b=\"true\"", {x, w})});
    // sum of k * (k - 1) for 1..8 is 168; (9 + ... + 16) / 2 is 50
    EXPECT_THAT(run(ir, 16), ElementsAre(FloatEq(218)));
}

// INT4_SYM, a channel each, in f32; a bias and a ReLU after the product.
TEST_P(CompressedIr, SymmetricFourBits) {
    IrText ir;
    const int x = ir.parameter("f32", "1,3");
    const int q = ir.constant<std::uint8_t>("i4", "2,3", {0xf8, 0x17, 0x32});  // -8 -1 7, 1 2 3
    const int scale = ir.constant<float>("f32", "2,1", {1, 0.5f});
    const int bias = ir.constant<float>("f32", "1,2", {-12, 1});
    const int w = ir.add("Multiply", "", {ir.convert(q, "f32"), scale});
    const int y = ir.add("MatMul", "transpose_b=\"true\"", {x, w});
    ir.add("Result", "", {ir.add("ReLU", "", {ir.add("Add", "", {y, bias})})});
    // -8 - 2 + 21 - 12 and (1 + 4 + 9) / 2 + 1
    EXPECT_THAT(run(ir, 3), ElementsAre(FloatEq(0), FloatEq(8)));
}

TEST_P(CompressedIr, NormalFloats) {
    IrText ir;
    const int x = ir.parameter("f32", "1,2");
    const int q = ir.constant<std::uint8_t>("nf4", "2,2", {0xf0, 0x87});  // -1 1, 0 0.0796
    const int scale = ir.halves("2,1", {2, 10});
    const int w = ir.convert(ir.add("Multiply", "", {ir.convert(q, "f16"), scale}), "f32");
    ir.add("Result", "", {ir.add("MatMul", "transpose_b=\"true\"", {x, w})});
    EXPECT_THAT(run(ir, 2), ElementsAre(FloatEq(2), FloatEq(20 * 0.07958029955625534f)));
}

// The depth first, as of a MatMul without a transpose.
TEST_P(CompressedIr, ColumnsOfBytes) {
    IrText ir;
    const int x = ir.parameter("f32", "1,3");
    const int q = ir.constant<std::uint8_t>("u8", "3,2", {1, 10, 2, 20, 3, 30});
    const int scale = ir.halves("1,2", {2, 0.5f});
    const int w = ir.convert(ir.add("Multiply", "", {ir.convert(q, "f16"), scale}), "f32");
    ir.add("Result", "", {ir.add("MatMul", "", {x, w})});
    EXPECT_THAT(run(ir, 3), ElementsAre(FloatEq(28), FloatEq(70)));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         CompressedIr,
                         testing::Values("REFERENCE", "CPU"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
