// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Broadcasting rules of element-wise operations, for shape inference and for kernels.
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// The "auto_broadcast" attribute. pdpd aligns the second shape with the first at `axis`.
enum class AutoBroadcast { kNone, kNumpy, kPdpd };
template <>
struct EnumNames<AutoBroadcast> {
    static constexpr const char* kNames[] = {"none", "numpy", "pdpd"};
};

// numpy rules: shapes are aligned at the last dimension, sizes are equal or 1. Calls
// context.fail() naming both shapes where they do not fit.
PartialShape broadcast_shapes(const InferContext& context,
                              const PartialShape& a,
                              const PartialShape& b,
                              AutoBroadcast mode = AutoBroadcast::kNumpy,
                              std::int64_t axis = -1);

// The same for two known shapes; throws Error("infer", ...).
Shape broadcast_shapes(const Shape& a,
                       const Shape& b,
                       AutoBroadcast mode = AutoBroadcast::kNumpy,
                       std::int64_t axis = -1);

// Element strides with which a dense tensor of shape `from` is read as shape `to`: 0 along
// broadcast dimensions.
std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to);
// The same for pdpd alignment of `from` at dimension `axis` of `to` (-1: at the end).
std::vector<std::size_t> pdpd_strides(const Shape& from, const Shape& to, std::int64_t axis);

// Walks all positions of `shape` in row-major order and keeps one offset a set of strides.
class StridedLoop {
public:
    StridedLoop(const Shape& shape, std::vector<std::vector<std::size_t>> strides);
    bool done() const { return position_ == size_; }
    std::size_t position() const { return position_; }
    std::size_t offset(std::size_t tensor) const { return offsets_[tensor]; }
    void next() {
        ++position_;
        if (++inner_ < inner_size_) {
            for (std::size_t t = 0; t < offsets_.size(); ++t) {
                offsets_[t] += inner_strides_[t];
            }
            return;
        }
        next_row();
    }

private:
    void next_row();

    Shape shape_;
    std::vector<std::vector<std::size_t>> strides_;
    // Of the last dimension, which index_ leaves out of account.
    std::size_t inner_ = 0;
    std::size_t inner_size_ = 1;
    std::vector<std::size_t> inner_strides_;
    std::vector<std::size_t> index_;
    std::vector<std::size_t> offsets_;
    std::size_t position_ = 0;
    std::size_t size_;
};

}  // namespace fuseq
