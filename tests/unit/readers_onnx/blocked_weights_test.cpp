// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MatMulNBits, GatherBlockQuantized and DequantizeLinear in blocks, against sums of
// (code - zero point) * scale in double; the codes stay small on CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::TensorProto;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kUint4 = 21;

// Rows of codes in blocks, each row of them padded to whole bytes.
struct Table {
    std::size_t rows;
    std::size_t columns;
    std::size_t block;
    std::size_t bits;
    std::vector<std::uint8_t> codes = {};  // one a byte, rows of whole blocks
    std::vector<std::uint8_t> zeros = {};
    std::vector<float> scales = {};

    std::size_t blocks() const { return (columns + block - 1) / block; }
    double value(std::size_t row, std::size_t column) const {
        const std::size_t group = row * blocks() + column / block;
        const int code = codes[row * blocks() * block + column];
        return (code - static_cast<int>(zeros[group])) * static_cast<double>(scales[group]);
    }
};

Table random_table(std::mt19937& random,
                   std::size_t rows,
                   std::size_t columns,
                   std::size_t block,
                   std::size_t bits) {
    Table table{.rows = rows, .columns = columns, .block = block, .bits = bits};
    std::uniform_int_distribution<int> code(0, (1 << bits) - 1);
    std::uniform_real_distribution<float> scale(0.01F, 0.1F);
    for (std::size_t i = 0; i < rows * table.blocks() * block; ++i) {
        table.codes.push_back(static_cast<std::uint8_t>(code(random)));
    }
    for (std::size_t i = 0; i < rows * table.blocks(); ++i) {
        table.zeros.push_back(static_cast<std::uint8_t>(code(random)));
        table.scales.push_back(scale(random));
    }
    return table;
}

// The first of two nibbles in the low bits; rows of `length` codes.
std::vector<std::uint8_t> pack(const std::vector<std::uint8_t>& codes,
                               std::size_t length,
                               std::size_t bits) {
    if (bits == 8) {
        return codes;
    }
    std::vector<std::uint8_t> bytes;
    for (std::size_t row = 0; row < codes.size() / length; ++row) {
        for (std::size_t i = 0; i < length; i += 2) {
            const unsigned low = codes[row * length + i];
            const unsigned high = i + 1 < length ? codes[row * length + i + 1] : 0U;
            bytes.push_back(static_cast<std::uint8_t>(low | high << 4));
        }
    }
    return bytes;
}

std::int64_t number(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

OnnxModel matmul_model(const Table& t, bool zeros) {
    OnnxModel m(21);
    const auto packed = number(t.block * t.bits / 8);
    m.input("x", {3, number(t.columns)});
    m.raw("B", {number(t.rows), number(t.blocks()), packed}, pack(t.codes, t.block, t.bits));
    m.floats("s", {number(t.rows * t.blocks())}, t.scales);
    std::vector<std::string> inputs{"x", "B", "s"};
    if (zeros) {
        const auto bytes = pack(t.zeros, t.blocks(), t.bits);
        m.raw("z", {number(bytes.size())}, bytes);
        inputs.push_back("z");
    }
    auto* node = m.microsoft("MatMulNBits", inputs, {"y"});
    integer(node, "N", number(t.rows));
    integer(node, "K", number(t.columns));
    integer(node, "bits", number(t.bits));
    integer(node, "block_size", number(t.block));
    m.output("y");
    return m;
}

void expect_product(const Table& t, const std::vector<float>& x, const Tensor& y) {
    for (std::size_t i = 0; i < x.size() / t.columns; ++i) {
        for (std::size_t n = 0; n < t.rows; ++n) {
            double sum = 0;
            double size = 0;
            for (std::size_t k = 0; k < t.columns; ++k) {
                const double term = static_cast<double>(x[i * t.columns + k]) * t.value(n, k);
                sum += term;
                size += std::abs(term);
            }
            EXPECT_NEAR(y.data<float>()[i * t.rows + n], sum, 1e-6 * size) << i << ", " << n;
        }
    }
}

bool stays_compressed(const OnnxModel& m) {
    Core core;
    const CompiledModel compiled = core.compile_model(m.read(), "CPU");
    const std::string report = compiled.get_property("FUSEQ_REPORT").as_string();
    return report.find("compressed_matrix") != std::string::npos;
}

struct BlockedCase {
    std::size_t rows;
    std::size_t columns;
    std::size_t block;
    std::size_t bits;
    bool zeros;
};

class BlockedMatMul : public testing::TestWithParam<BlockedCase> {};

TEST_P(BlockedMatMul, IsTheSumOfCodesTimesScales) {
    const auto [rows, columns, block, bits, zeros] = GetParam();
    std::mt19937 random(7);
    Table table = random_table(random, rows, columns, block, bits);
    if (!zeros) {
        std::fill(table.zeros.begin(), table.zeros.end(), bits == 4 ? 8 : 128);
    }
    const OnnxModel m = matmul_model(table, zeros);
    const std::vector<float> x = random_floats(random, 3 * columns);
    for (const char* device : {"REFERENCE", "CPU"}) {
        SCOPED_TRACE(device);
        expect_product(table, x, infer(m, device, {Tensor::of<float>(Shape{3, columns}, x)})[0]);
    }
    EXPECT_TRUE(stays_compressed(m));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes,
    BlockedMatMul,
    testing::Values(BlockedCase{24, 64, 16, 4, false},
                    BlockedCase{17, 96, 32, 4, true},  // an odd number of blocks
                    BlockedCase{9, 80, 32, 4, true},   // half a block at the end
                    BlockedCase{33, 128, 64, 8, true},
                    BlockedCase{20, 64, 32, 8, false}));

// opset 21: INT4 weights [K, N] with a scale for 32 values of a column.
TEST(BlockedDequantizeLinear, StaysCompressedAlongTheDepth) {
    std::mt19937 random(11);
    Table table = random_table(random, 6, 64, 32, 4);
    std::vector<std::uint8_t> codes(64 * 6);
    std::vector<std::uint8_t> zeros(2 * 6);
    std::vector<float> scales(2 * 6);
    for (std::size_t n = 0; n < 6; ++n) {
        for (std::size_t k = 0; k < 64; ++k) {
            codes[k * 6 + n] = table.codes[n * 64 + k];
            zeros[k / 32 * 6 + n] = table.zeros[n * 2 + k / 32];
            scales[k / 32 * 6 + n] = table.scales[n * 2 + k / 32];
        }
    }
    OnnxModel m(21);
    m.input("x", {3, 64});
    m.raw("w", {64, 6}, pack(codes, 6, 4), kUint4);
    m.floats("s", {2, 6}, scales);
    m.raw("z", {2, 6}, pack(zeros, 6, 4), kUint4);
    auto* node = m.node("DequantizeLinear", {"w", "s", "z"}, {"t"}, "weights");
    integer(node, "axis", 0);
    integer(node, "block_size", 32);
    m.node("MatMul", {"x", "t"}, {"y"});
    m.output("y");
    const std::vector<float> x = random_floats(random, 3 * 64);
    for (const char* device : {"REFERENCE", "CPU"}) {
        SCOPED_TRACE(device);
        expect_product(table, x, infer(m, device, {Tensor::of<float>(Shape{3, 64}, x)})[0]);
    }
    EXPECT_TRUE(stays_compressed(m));

    node->mutable_attribute(1)->set_i(16);
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("weights"), HasSubstr("scale has shape [2,6], expected [4,6] for "
                                                      "blocks of 16 on axis 0")));
}

TEST(GatherBlockQuantized, PicksRowsBeforeItDequantizes) {
    for (const std::size_t bits : {4U, 8U}) {
        std::mt19937 random(13);
        const Table table = random_table(random, 9, 32, 16, bits);
        OnnxModel m(21);
        m.input("i", {2, 2}, TensorProto::INT64);
        m.raw("w", {9, number(32 * bits / 8)}, pack(table.codes, 32, bits));
        m.floats("s", {9, 2}, table.scales);
        const auto zeros = pack(table.zeros, 2, bits);
        m.raw("z", {9, number(zeros.size() / 9)}, zeros);
        auto* node = m.microsoft("GatherBlockQuantized", {"w", "i", "s", "z"}, {"y"});
        integer(node, "bits", number(bits));
        integer(node, "block_size", 16);
        m.output("y");
        const std::vector<std::int64_t> rows{8, 0, -1, 3};
        for (const char* device : {"REFERENCE", "CPU"}) {
            const Tensor y = infer(m, device, {Tensor::of<std::int64_t>(Shape{2, 2}, rows)})[0];
            ASSERT_EQ(y.get_shape(), (Shape{2, 2, 32})) << device;
            for (std::size_t i = 0; i < y.get_size(); ++i) {
                const auto row = static_cast<std::size_t>((rows[i / 32] + 9) % 9);
                EXPECT_FLOAT_EQ(y.data<float>()[i], static_cast<float>(table.value(row, i % 32)))
                    << device << ", " << bits << " bits, " << i;
            }
        }
    }
}

TEST(BlockedMatMulErrors, NameWhatIsWrong) {
    std::mt19937 random(17);
    const Table table = random_table(random, 4, 32, 16, 4);
    const auto error_of = [&](auto change) {
        OnnxModel m = matmul_model(table, true);
        change(m.graph());
        return error_text([&] { m.read(); });
    };
    EXPECT_THAT(error_of([](auto& g) { g.mutable_node(0)->mutable_attribute(2)->set_i(2); }),
                AllOf(HasSubstr("MatMulNBits"), HasSubstr("bits is 2; supported: 4, 8")));
    EXPECT_THAT(error_of([](auto& g) { g.mutable_node(0)->mutable_attribute(3)->set_i(24); }),
                HasSubstr("block_size is 24, expected a power of two of 16 or more"));
    EXPECT_THAT(error_of([](auto& g) { g.mutable_node(0)->mutable_attribute(0)->set_i(5); }),
                HasSubstr("B has 64 values, expected 80"));
    EXPECT_THAT(error_of([](auto& g) { g.mutable_initializer(1)->set_float_data(3, INFINITY); }),
                HasSubstr("scale 3 is not finite"));
    EXPECT_THAT(error_of([](auto& g) {
                    g.mutable_initializer(2)->set_dims(0, 3);
                    g.mutable_initializer(2)->set_raw_data("abc");
                }),
                HasSubstr("zero_points has 3 values, expected 4"));
}

}  // namespace
}  // namespace fuseq::test
