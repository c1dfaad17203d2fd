// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The language of fusion: what is done to each value of an anchor's result before it is stored,
// as a list of basic operations. lower.hpp makes such lists, simplify.hpp shortens them, emit.hpp
// maps them to attributes of a oneDNN primitive, eltwise_kernel runs them, evaluate()
// defines them. No oneDNN here.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "cpu/post_ops/activations.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::post_ops {

// One value for the whole tensor, or one a channel (dimension 1 of the IR's order; for a matmul
// the last dimension: the output channels of the anchor).
class Values {
public:
    Values() : values_{0.0f} {}
    Values(float value) : values_{value} {}  // NOLINT(google-explicit-constructor)
    Values(std::vector<float> values);       // NOLINT; equal values become one
    bool per_tensor() const { return values_.size() == 1; }
    std::size_t size() const { return values_.size(); }
    float operator[](std::size_t channel) const {
        return values_.size() == 1 ? values_[0] : values_[channel];
    }
    const std::vector<float>& list() const { return values_; }
    bool all_equal_to(float value) const;
    float min() const;
    float max() const;
    friend bool operator==(const Values&, const Values&) = default;

private:
    std::vector<float> values_;
};

struct Scale {  // x * by
    Values by{1.0f};
    friend bool operator==(const Scale&, const Scale&) = default;
};
struct Shift {  // x + by
    Values by{0.0f};
    friend bool operator==(const Shift&, const Shift&) = default;
};
struct Round {  // half to even
    friend bool operator==(const Round&, const Round&) = default;
};
struct Clip {  // min(max(x, low), high)
    Values low;
    Values high;
    friend bool operator==(const Clip&, const Clip&) = default;
};

struct Prelu {  // x > 0 ? x : slope * x
    Values slope;
    friend bool operator==(const Prelu&, const Prelu&) = default;
};

// A second tensor of the size of the result (a residual input), or of one element a plane (a gate:
// the same for all positions of one channel of one image) or of one a position, read as
//   t = (element - zero_point) * scale
enum class BinaryKind { kAdd, kMul, kMax, kMin };
struct Binary {
    BinaryKind kind = BinaryKind::kAdd;
    std::size_t input = 0;  // number among the binary sources of the step
    ElementType type = ElementType::f32;
    float scale = 1.0f;
    float zero_point = 0.0f;
    bool per_plane = false;  // [images or 1, channels]
    bool per_pixel = false;  // [images, 1, positions]
    friend bool operator==(const Binary&, const Binary&) = default;
};

using BasicOp = std::variant<Scale, Shift, Round, Clip, Eltwise, Prelu, Binary>;

// A chain ends in a store: values are rounded half to even and saturated when dst_type is an
// integer type.
struct Chain {
    std::vector<BasicOp> ops;
    ElementType dst_type = ElementType::f32;
    friend bool operator==(const Chain&, const Chain&) = default;
};

// Whether an operation has a value a channel.
bool has_channel_values(const Chain& chain);

// The definition: one value through the chain, in double precision. `binary_sources` are the raw
// elements of the binary sources at this position. The result is what is stored (an integer for u8
// and i8).
double evaluate(const Chain& chain,
                double x,
                std::size_t channel,
                const std::vector<double>& binary_sources = {});
// The same without the final store.
double evaluate_ops(const std::vector<BasicOp>& ops,
                    double x,
                    std::size_t channel,
                    const std::vector<double>& binary_sources = {});

// One activation, its scale included.
double apply(const Eltwise& op, double x);
// The final store: u8, i8 and i32 round half to even and saturate, real types keep the value.
double store(ElementType type, double x);

// "scale(0.5) shift(per_oc:4) relu round clip(0,255) add(#0 u8 *0.02) -> u8"
const char* to_string(BinaryKind kind);
std::string to_text(const BasicOp& op);
std::string to_text(const Chain& chain);

}  // namespace fuseq::post_ops
