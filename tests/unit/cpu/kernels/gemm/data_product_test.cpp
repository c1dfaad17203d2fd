// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of two computed matrices against plain loops.
#include "cpu/kernels/gemm/data_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Problem {
    DataProductParams params;
    std::vector<float> scale, bias;
    Bytes a, b;

    DataProductParams complete() const {
        DataProductParams p = params;
        p.scale = scale;
        p.bias = bias;
        return p;
    }
};

std::int32_t value_of(const MatrixOperand& m, const Bytes& bytes, std::size_t i, std::size_t j) {
    const std::uint8_t byte = bytes[i * m.row + j * m.column];
    return (m.type == ElementType::i8 ? static_cast<std::int8_t>(byte) : byte) - m.zero_point;
}

std::int64_t sum_of(const Problem& p, std::size_t row, std::size_t column) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < p.params.depth; ++k) {
        sum +=
            std::int64_t{value_of(p.params.a, p.a, row, k)} * value_of(p.params.b, p.b, k, column);
    }
    return sum;
}

float one_of(const std::vector<float>& list, std::size_t i) {
    return list.empty() ? 0.0f : list[list.size() == 1 ? 0 : i];
}

float expected(const Problem& p, std::size_t row, std::size_t column) {
    float v = static_cast<float>(sum_of(p, row, column)) + one_of(p.bias, column);
    v *= one_of(p.scale, column);
    for (const GemmOp& op : p.params.ops) {
        v = std::max(v, op.a[0]);  // the only one that these tests have
    }
    switch (p.params.dst_type) {
        case ElementType::u8: return std::min(std::max(std::nearbyint(v), 0.0f), 255.0f);
        case ElementType::i8: return std::min(std::max(std::nearbyint(v), -128.0f), 127.0f);
        default: return v;
    }
}

float element(const Bytes& bytes, ElementType type, std::size_t at) {
    switch (type) {
        case ElementType::u8: return bytes[at];
        case ElementType::i8: return static_cast<std::int8_t>(bytes[at]);
        default: {
            float v;
            std::memcpy(&v, bytes.data() + at * sizeof(float), sizeof v);
            return v;
        }
    }
}

// In parts of a few rows each, between bytes that must not change; b is packed once, or by each part.
void expect_exact(const Problem& p, std::size_t rows_a_part, bool packed_once = false) {
    constexpr std::uint8_t kMark = 0xA5;
    const DataProduct product(p.complete());
    const std::size_t size = size_of(p.params.dst_type);
    Bytes dst(p.params.rows * p.params.dst_row * size, kMark);
    AlignedVector<std::uint8_t> scratch(product.scratch_bytes(), kMark);
    if (packed_once) {
        product.pack(p.b.data(), scratch.data());
    }
    for (std::size_t at = 0; at < p.params.rows; at += rows_a_part) {
        const Range part{at, std::min(at + rows_a_part, p.params.rows)};
        DataProductArgs args{.a = p.a.data(), .dst = dst.data(), .scratch = scratch.data()};
        if (packed_once) {
            product.multiply(args, part);
        } else {
            args.b = p.b.data();
            product.run(args, part);
        }
    }
    for (std::size_t m = 0; m < p.params.rows; ++m) {
        for (std::size_t n = 0; n < p.params.dst_row; ++n) {
            const std::size_t at = m * p.params.dst_row + n;
            if (n < p.params.columns) {
                ASSERT_EQ(element(dst, p.params.dst_type, at), expected(p, m, n))
                    << product.implementation() << ", row " << m << ", column " << n;
            } else {
                ASSERT_EQ(dst[at * size], kMark) << "row " << m << ", after its end";
            }
        }
    }
}

ElementType type_of(std::mt19937& rng) {
    return rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
}

MatrixOperand operand_of(std::mt19937& rng, bool zero_point) {
    MatrixOperand m;
    m.type = type_of(rng);
    if (zero_point) {
        m.zero_point =
            static_cast<std::int32_t>(rng() % 256) - (m.type == ElementType::i8 ? 128 : 0);
    }
    return m;
}

Problem random_problem(std::mt19937& rng, GemmForm form) {
    Problem p;
    DataProductParams& params = p.params;
    params.form = form;
    params.rows = 1 + rng() % 70;
    params.depth = rng() % 4 == 0 ? 16 * (1 + rng() % 9) : 1 + rng() % 130;
    params.columns = rng() % 4 == 0 ? 16 * (1 + rng() % 5) : 1 + rng() % 70;
    params.a = operand_of(rng, rng() % 2 == 0);
    params.a.row = params.depth + rng() % 9;
    params.b = operand_of(rng, rng() % 4 == 0);
    const bool by_column = rng() % 2 == 0;  // its columns are contiguous
    params.b.row = by_column ? 1 : params.columns + rng() % 9;
    params.b.column = by_column ? params.depth + rng() % 9 : 1;
    params.dst_row = params.columns + rng() % 3;
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    params.dst_type = kTypes[rng() % 3];
    if (rng() % 2 == 0) {
        params.ops = {{.kind = GemmOp::Kind::kMax, .a = {-3.0f}}};
    }
    p.scale.assign(rng() % 2 == 0 ? 1 : params.columns, 0.001f);
    p.bias.assign(rng() % 2 == 0 ? 0 : params.columns, 40.0f);
    params.a_slack = rng() % 3 == 0 ? 64 : 0;
    p.a.resize(params.rows * params.a.row + params.a_slack);
    p.b.resize(params.depth * params.b.row + params.columns * params.b.column);
    for (Bytes* bytes : {&p.a, &p.b}) {
        for (std::uint8_t& byte : *bytes) {
            byte = static_cast<std::uint8_t>(rng());
        }
    }
    return p;
}

// Products of pairs have Highway's targets; the others need more than one.
void on_every_target_of(GemmForm form, const std::function<void()>& body) {
    if (form != GemmForm::kPairs) {
        body();
        return;
    }
    fuseq::test::on_every_target([&](const std::string&) { body(); });
}

bool has(GemmForm form) {
    switch (form) {
        case GemmForm::kAmx: return has_amx_int8() && GemmVnni::available();
        case GemmForm::kVnni512: return GemmVnni::available();
        case GemmForm::kVnni256:
            return has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni();
        default: return true;
    }
}

class DataProducts : public testing::TestWithParam<GemmForm> {
protected:
    void SetUp() override {
        if (!has(GetParam())) {
            GTEST_SKIP() << "this machine has no such products";
        }
    }
};

std::string name_of(GemmForm form) {
    switch (form) {
        case GemmForm::kAmx: return "Amx";
        case GemmForm::kVnni512: return "Vnni512";
        case GemmForm::kVnni256: return "Vnni256";
        default: return "Pairs";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Forms,
    DataProducts,
    testing::Values(GemmForm::kPairs, GemmForm::kVnni256, GemmForm::kVnni512, GemmForm::kAmx),
    [](const auto& form) { return name_of(form.param); });

TEST_P(DataProducts, RandomOnesAreExact) {
    on_every_target_of(GetParam(), [&] {
        std::mt19937 rng(1);
        for (int i = 0; i < 150; ++i) {
            SCOPED_TRACE("seed 1, problem " + std::to_string(i));
            const Problem problem = random_problem(rng, GetParam());
            expect_exact(problem, 1 + rng() % 40, i % 2 == 0);
        }
    });
}

// The largest products of either sign, as deep as is allowed, and rows of several blocks.
TEST_P(DataProducts, NothingSaturates) {
    on_every_target_of(GetParam(), [&] {
        for (const std::uint8_t byte : {std::uint8_t{127}, std::uint8_t{128}, std::uint8_t{255}}) {
            Problem p;
            p.params.form = GetParam();
            p.params.rows = 9;
            p.params.depth = DataProduct::kMaxDepth;
            p.params.columns = 17;
            p.params.a = {.type = ElementType::u8, .row = p.params.depth};
            p.params.b = {.type = ElementType::i8, .row = p.params.columns};
            p.params.dst_row = p.params.columns;
            p.params.dst_type = ElementType::f32;
            p.scale = {1.0f};
            p.a.assign(p.params.rows * p.params.depth, 255);
            p.b.assign(p.params.columns * p.params.depth, byte);
            expect_exact(p, p.params.rows);
        }
    });
}

TEST_P(DataProducts, ResultsBeyondIntegersSaturate) {
    on_every_target_of(GetParam(), [&] {
        Problem p;
        p.params.form = GetParam();
        p.params.rows = 9;
        p.params.depth = 5;
        p.params.columns = p.params.dst_row = 16;
        p.params.a = {.type = ElementType::u8, .row = p.params.depth};
        p.params.b = {.type = ElementType::i8, .row = p.params.columns};
        p.params.dst_type = ElementType::u8;
        p.scale = {1e20f};
        p.a.assign(p.params.rows * p.params.depth, 1);
        p.b.assign(p.params.columns * p.params.depth, 2);
        const DataProduct product(p.complete());
        AlignedVector<std::uint8_t> scratch(product.scratch_bytes());
        Bytes dst(p.params.rows * p.params.dst_row);
        product.run(
            {.a = p.a.data(), .b = p.b.data(), .dst = dst.data(), .scratch = scratch.data()},
            {0, p.params.rows});
        EXPECT_EQ(dst, Bytes(dst.size(), 255));
    });
}

// [1, 2] [3, 4] by [5, -6] [7, 8], less a zero point of 1 of the first.
TEST_P(DataProducts, NumbersWorkedOutByHand) {
    Problem p;
    p.params.form = GetParam();
    p.params.rows = p.params.depth = p.params.columns = p.params.dst_row = 2;
    p.params.a = {.type = ElementType::u8, .zero_point = 1, .row = 2};
    p.params.b = {.type = ElementType::i8, .row = 2};
    p.params.dst_type = ElementType::i8;
    p.scale = {1.0f};
    p.a = {1, 2, 3, 4};
    p.b = {5, static_cast<std::uint8_t>(-6), 7, 8};
    const DataProduct product(p.complete());
    AlignedVector<std::uint8_t> scratch(product.scratch_bytes());
    std::int8_t dst[4] = {};
    product.run({.a = p.a.data(), .b = p.b.data(), .dst = dst, .scratch = scratch.data()}, {0, 2});
    EXPECT_EQ(std::vector<int>(std::begin(dst), std::end(dst)), (std::vector<int>{7, 8, 31, 12}));
}

TEST(DataProduct, RefusesWhatItCannot) {
    const auto reason = [](const std::function<void(DataProductParams&)>& change) {
        const std::vector<float> scale = {1.0f};
        DataProductParams params;
        params.rows = params.depth = params.columns = params.dst_row = 4;
        params.a.row = params.b.row = 4;
        params.scale = scale;
        change(params);
        try {
            const DataProduct product(params);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_EQ(reason([](DataProductParams&) {}), "nothing");
    EXPECT_NE(reason([](DataProductParams& p) { p.depth = 32769; }).find("depth 32769"),
              std::string::npos);
    EXPECT_NE(reason([](DataProductParams& p) { p.a.column = 2; }).find("contiguous"),
              std::string::npos);
    EXPECT_NE(reason([](DataProductParams& p) { p.b.zero_point = 256; }).find("is 256"),
              std::string::npos);
    EXPECT_NE(reason([](DataProductParams& p) { p.a.type = ElementType::f32; }).find("is f32"),
              std::string::npos);
    EXPECT_NE(reason([](DataProductParams& p) { p.form = GemmForm::kBytes; }).find("in pairs"),
              std::string::npos);
}

}  // namespace
}  // namespace fuseq::kernels
