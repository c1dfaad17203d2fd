// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of operations for the epilogues of the matrix product.
#pragma once

#include <random>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels::test {

using gemm::PackedOp;

inline constexpr std::size_t kEpilogueChannels = 50;

inline AlignedVector<float> constants(std::mt19937& rng, float low, float high) {
    const std::vector<float> list = fuseq::test::random_floats(rng, 64, low, high);
    return {list.begin(), list.end()};
}

inline PackedOp operation(std::mt19937& rng, GemmOp::Kind kind) {
    PackedOp op;
    op.kind = kind;
    op.a = constants(rng, -40.0f, 2.0f);
    op.b = constants(rng, 3.0f, 90.0f);
    op.binary.scale = 0.375f;
    return op;
}
inline PackedOp sum(ElementType type) {
    PackedOp op;
    op.kind = GemmOp::Kind::kSum;
    op.binary = {.type = type, .scale = 0.375f};
    return op;
}
inline PackedOp elu() {
    PackedOp op;
    op.kind = GemmOp::Kind::kEltwise;
    op.eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.1f, .scale = 1.5f};
    op.quick = true;
    return op;
}

inline PackedOp gelu() {
    PackedOp op;
    op.kind = GemmOp::Kind::kEltwise;
    op.eltwise = {.kind = post_ops::EltwiseKind::kGeluErf, .scale = 1.5f};
    op.quick = true;
    op.gelu = std::make_shared<const gemm::GeluTable>(op.eltwise);
    return op;
}

// The lists that networks have, beginning with none.
inline std::vector<std::vector<PackedOp>> frequent_lists(std::mt19937& rng) {
    const auto op = [&](GemmOp::Kind kind) { return operation(rng, kind); };
    std::vector<std::vector<PackedOp>> lists{{},
                                             {op(GemmOp::Kind::kMax)},
                                             {op(GemmOp::Kind::kPrelu)},
                                             {op(GemmOp::Kind::kPrelu), op(GemmOp::Kind::kShift)},
                                             {op(GemmOp::Kind::kShift)},
                                             {op(GemmOp::Kind::kClip), op(GemmOp::Kind::kScale)},
                                             {sum(ElementType::f32), op(GemmOp::Kind::kScale)},
                                             {sum(ElementType::f32), op(GemmOp::Kind::kScale),
                                              op(GemmOp::Kind::kMax), op(GemmOp::Kind::kShift)}};
    for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::f32}) {
        lists.push_back({sum(type)});
    }
    for (const ElementType type : {ElementType::u8, ElementType::i8}) {
        lists.push_back({op(GemmOp::Kind::kRoundClip), op(GemmOp::Kind::kAffine), sum(type)});
        lists.push_back({op(GemmOp::Kind::kRoundClip), op(GemmOp::Kind::kScale),
                         op(GemmOp::Kind::kLinear), sum(type), op(GemmOp::Kind::kScale)});
    }
    return lists;
}

// For integers only: of activations, and quantizations by channel or two of them.
inline std::vector<std::vector<PackedOp>> quick_lists(std::mt19937& rng) {
    const auto op = [&](GemmOp::Kind kind) { return operation(rng, kind); };
    const PackedOp floats = sum(ElementType::f32);
    const PackedOp bytes = sum(ElementType::u8);
    using enum GemmOp::Kind;
    return {
        {gelu()},
        {op(kMax), op(kAffine)},
        {op(kPrelu), op(kAffine)},
        {floats, op(kPrelu), op(kAffine)},
        {floats, op(kPrelu), op(kScale)},
        {floats, op(kScale), op(kPrelu), op(kShift)},
        {op(kRoundClip), op(kAffine), sum(ElementType::i8), op(kRoundClip), op(kAffine)},
        {op(kRoundClip), op(kScale), op(kLinear), bytes, op(kScale), op(kRoundClip), op(kAffine)},
        {elu(), op(kShift), op(kRoundClip), op(kScale), op(kAffine), sum(ElementType::i8),
         op(kScale)},
        {elu(), op(GemmOp::Kind::kAffine)},
        {op(GemmOp::Kind::kRoundClip), op(GemmOp::Kind::kAffine), sum(ElementType::u8), elu(),
         op(GemmOp::Kind::kShift)},
        {op(GemmOp::Kind::kRoundClip), op(GemmOp::Kind::kScale), op(GemmOp::Kind::kLinear),
         sum(ElementType::u8), op(GemmOp::Kind::kScale), elu(), op(GemmOp::Kind::kShift)}};
}

// With bias and scale for accumulators up to 30000.
inline gemm::Epilogue epilogue_of(std::vector<PackedOp> ops) {
    std::mt19937 rng(17);
    return {.bias = constants(rng, -300.0f, 300.0f),
            .scale = constants(rng, 1e-3f, 8e-3f),
            .of_sum = {},
            .ops = std::move(ops)};
}

// The same for weights with zero points.
inline gemm::Epilogue with_zero_points(gemm::Epilogue epilogue) {
    std::mt19937 rng(19);
    epilogue.of_sum = constants(rng, -3.0f, 3.0f);
    return epilogue;
}

// The tensors that the operations read, the sums of windows, and dst.
struct EpilogueMemory {
    static constexpr std::size_t kPixels = 40;
    Bytes dst = Bytes(kPixels * kEpilogueChannels * sizeof(float), 0xA5);
    Bytes tensor;
    AlignedVector<float> sums;
    std::vector<const void*> binary_sources;
    GemmArgs args;

    explicit EpilogueMemory(const gemm::Epilogue& epilogue) {
        std::mt19937 rng(3);
        const bool f32 = !epilogue.ops.empty() && epilogue.ops[0].binary.type == ElementType::f32;
        tensor = fuseq::test::random_elements(rng, f32 ? ElementType::f32 : ElementType::u8,
                                              kPixels * kEpilogueChannels);
        sums = constants(rng, -9000.0f, 9000.0f);
        binary_sources = {tensor.data()};
        args = {.dst = dst.data(), .binary_sources = binary_sources};
    }
    gemm::EpilogueCall call(const gemm::Epilogue& epilogue,
                            const gemm::Panel& panel,
                            std::int32_t* tile,
                            std::size_t rows) const {
        return {.epilogue = &epilogue,
                .panel = &panel,
                .tile = tile,
                .rows = rows,
                .pixel = 2,
                .channels = kEpilogueChannels,
                .sums = epilogue.of_sum.empty() ? nullptr : sums.data(),
                .args = &args};
    }
};

}  // namespace fuseq::kernels::test
