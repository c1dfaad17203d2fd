// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/subpixel_chain.hpp"

#include <type_traits>
#include <variant>
#include <vector>

namespace fuseq::cpu {
namespace {

using List = std::vector<float>;

// The values of an addend by sub-pixel and channel, if it is a constant of floats that has the same
// ones everywhere.
std::optional<List> repeated(const Output& source, const GemmProblem& problem) {
    const kernels::GemmShape& s = problem.shape;
    const std::size_t size = s.batch * s.dst_height * s.dst_width * s.dst_channels;
    if (!source.node->is_constant() || source.type() != ElementType::f32 ||
        source.shape()[0] != s.batch || shape_size(source.shape()) != size) {
        return std::nullopt;
    }
    const auto* const values = source.node->constant().data<float>();
    const std::size_t plane = s.dst_height * s.dst_width;
    List list(subpixels_of(problem) * s.dst_channels);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t y = i % plane / s.dst_width;
        const std::size_t x = i % s.dst_width;
        const std::size_t subpixel = y % s.stride_height * s.stride_width + x % s.stride_width;
        float& value = list[subpixel * s.dst_channels + i / plane % s.dst_channels];
        if (i < s.dst_channels * plane && y < s.stride_height && x < s.stride_width) {
            value = values[i];
        } else if (values[i] != value) {
            return std::nullopt;
        }
    }
    return list;
}

// For all sub-pixels.
post_ops::Values for_all(const post_ops::Values& values, std::size_t subpixels) {
    if (values.per_tensor()) {
        return values;
    }
    List list;
    for (std::size_t i = 0; i < subpixels; ++i) {
        list.insert(list.end(), values.list().begin(), values.list().end());
    }
    return list;
}

post_ops::BasicOp for_all(const post_ops::BasicOp& op, std::size_t subpixels) {
    post_ops::BasicOp all = op;
    std::visit(
        [&](auto& o) {
            using Op = std::decay_t<decltype(o)>;
            if constexpr (std::is_same_v<Op, post_ops::Scale> ||
                          std::is_same_v<Op, post_ops::Shift>) {
                o.by = for_all(o.by, subpixels);
            } else if constexpr (std::is_same_v<Op, post_ops::Clip>) {
                o.low = for_all(o.low, subpixels);
                o.high = for_all(o.high, subpixels);
            } else if constexpr (std::is_same_v<Op, post_ops::Prelu>) {
                o.slope = for_all(o.slope, subpixels);
            }
        },
        all);
    return all;
}

bool adds_tensor(const post_ops::Binary& op) {
    return op.kind == post_ops::BinaryKind::kAdd && !op.per_plane && !op.per_pixel;
}

}  // namespace

std::size_t subpixels_of(const GemmProblem& problem) {
    return problem.shape.stride_height * problem.shape.stride_width;
}

std::optional<post_ops::Chain> subpixel_chain(const Group& group, const GemmProblem& problem) {
    const std::size_t subpixels = subpixels_of(problem);
    post_ops::Chain chain{.ops = {}, .dst_type = group.chain.dst_type};
    bool found = false;
    for (const post_ops::BasicOp& op : group.chain.ops) {
        const auto* const binary = std::get_if<post_ops::Binary>(&op);
        auto list = binary != nullptr && adds_tensor(*binary)
                        ? repeated(group.binary_sources[binary->input], problem)
                        : std::nullopt;
        if (!list) {
            chain.ops.push_back(for_all(op, subpixels));
            continue;
        }
        for (float& value : *list) {
            value = (value - binary->zero_point) * binary->scale;
        }
        chain.ops.emplace_back(post_ops::Shift{std::move(*list)});
        found = true;
    }
    return found ? std::optional(std::move(chain)) : std::nullopt;
}

}  // namespace fuseq::cpu
