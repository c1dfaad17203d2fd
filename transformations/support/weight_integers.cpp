// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weight_integers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "model/mapped_memory.hpp"
#include "ops/broadcast.hpp"
#include "ops/fake_quantize.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/weight_levels.hpp"

namespace fuseq {
namespace {

// A zero point that varies along dimensions that are summed over cannot be kept. Below this part of
// a step it is noise: it moves a sum of a thousand u8 sources by less than a hundredth of what a
// step of the result usually is.
constexpr float kWeightZeroPointNoise = 1e-3f;
// What double precision makes of the zero point of a symmetric range.
constexpr double kRoundingNoise = 1e-9;

WeightRefusal out_of_range(double value) {
    return {"weight_range", fmt::format("a weight is {:g} steps from zero, i8 ends at {}", value,
                                        value < 0 ? -128 : 127)};
}

WeightRefusal no_zero_point(double value) {
    return {"weight_zero_point",
            fmt::format("the zero point of the weights is {:g}, expected a number below {} in size",
                        value, static_cast<std::int64_t>(kLargestZeroPoint))};
}

// The numbers that the quantizer reads. Bytes are read as they are, without the Convert.
class Numbers {
public:
    explicit Numbers(const WeightChain& chain) : tensor_(stored_numbers(chain)) {
        switch (tensor_.get_element_type()) {
            case ElementType::u8: values_.bytes = tensor_.data<std::uint8_t>(); break;
            case ElementType::i8: values_.signed_bytes = tensor_.data<std::int8_t>(); break;
            default: values_.reals = tensor_.data<float>();
        }
    }
    ~Numbers() { let_go_of_pages(tensor_); }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    StoredWeights at(std::size_t position) const { return values_.at(position); }

private:
    const Tensor tensor_;
    StoredWeights values_;
};

// Limits, zero points and scales are small tensors that broadcast to the weights. `small` has the
// rank of the weights; the weights are walked in runs along which the entry is one, or the next
// one for each element.
class Runs {
public:
    Runs(const Shape& weights, const Shape& small)
        : strides_(broadcast_strides(small, weights)), weights_(weights) {
        std::size_t d = weights.size();
        while (d > 0 && strides_[d - 1] == 0) {
            length_ *= weights[--d];
        }
        if (d == weights.size() && d > 0) {
            entry_a_value_ = true;  // the last dimension varies
            length_ = weights[--d];
        }
        outer_.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(d));
        strides_.resize(d);
    }

    std::size_t length() const { return length_; }
    bool entry_a_value() const { return entry_a_value_; }
    // function(first element, entry), which returns whether to go on.
    template <class Function>
    void for_each(const Function& function) const {
        if (length_ == 0) {
            return;
        }
        for (StridedLoop loop(outer_, {strides_}); !loop.done(); loop.next()) {
            if (!function(loop.position() * length_, loop.offset(0))) {
                return;
            }
        }
    }

private:
    std::vector<std::size_t> strides_;
    Shape weights_;
    Shape outer_;
    std::size_t length_ = 1;
    bool entry_a_value_ = false;
};

// Integers, scales and zero points before the layout operations; the latter two may be smaller than
// the weights, and `zero` empty.
struct Raw {
    Tensor values;
    Tensor scale;
    Tensor zero;
};

// Which whole number is subtracted from the integers: what is left of the zero point is carried
// beside them.
enum class Offset : std::uint8_t {
    kNearest,  // to the zero point
    kFits,     // one with which all integers fit i8
};

// A tensor of what is left, empty when that is nothing.
Tensor remainder_tensor(const Shape& shape, const std::vector<float>& rest) {
    const bool none = std::all_of(rest.begin(), rest.end(), [](float v) { return v == 0; });
    return none ? Tensor() : Tensor::of(shape, rest);
}

// The four limits, one entry where they have one, and what they say of the weights.
class FakeQuantizeEntries {
public:
    FakeQuantizeEntries(const Node& fq, std::size_t rank, Offset offset)
        : offset_(offset), shape_(rank, 1) {
        std::vector<Tensor> limits;
        for (std::size_t i = 1; i < 5; ++i) {
            limits.push_back(*evaluate_constant(fq.input(i)));
            shape_ = broadcast_shapes(shape_, limits.back().get_shape());
        }
        levels_ = fq.attrs<FakeQuantizeAttrs>().levels;
        entries_.last = static_cast<double>(levels_ - 1);
        read(limits);
    }
    const Shape& shape() const { return shape_; }
    const WeightLimits& limits() const { return entries_; }
    const std::vector<float>& scales() const { return scales_; }
    // Zero points less the offsets of the limits.
    Tensor rest() const { return remainder_tensor(shape_, remainder_); }
    // What is wrong with an entry, if anything.
    std::optional<WeightRefusal> refusal(std::size_t entry) const {
        if (std::abs(remainder_[entry]) <= kLargestZeroPoint) {
            return std::nullopt;
        }
        return no_zero_point(remainder_[entry]);
    }

private:
    void read(const std::vector<Tensor>& limits) {
        std::vector<std::vector<float>> values;
        std::vector<std::vector<std::size_t>> strides;
        for (const Tensor& limit : limits) {
            values.push_back(to_floats(limit));
            strides.push_back(broadcast_strides(limit.get_shape(), shape_));
        }
        const std::size_t count = shape_size(shape_);
        entries_.reserve(count);
        for (StridedLoop loop(shape_, strides); !loop.done(); loop.next()) {
            const double ol = values[2][loop.offset(2)];
            const double oh = values[3][loop.offset(3)];
            const double step = (oh - ol) / entries_.last;
            if (step == 0) {  // the channel has one value: zero, or one step of that size
                entries_.add_constant(ol == 0 ? 0.0 : 1.0);
                remainder_.push_back(0);
                scales_.push_back(ol == 0 ? 1.0f : static_cast<float>(ol));
                continue;
            }
            const double zero = -ol / step;
            const double whole = offset_of(zero);
            const double rest = zero - whole;
            remainder_.push_back(std::abs(rest) < kRoundingNoise ? 0.0f : static_cast<float>(rest));
            scales_.push_back(static_cast<float>(step));
            entries_.add(values[0][loop.offset(0)], values[1][loop.offset(1)], whole);
        }
    }

    double offset_of(double zero) const {
        const double nearest = std::nearbyint(zero);
        return offset_ == Offset::kNearest ? nearest
                                           : std::clamp(nearest, entries_.last - 127.0, 128.0);
    }

    Offset offset_;
    Shape shape_;
    std::int64_t levels_ = 0;
    WeightLimits entries_;
    std::vector<float> remainder_;
    std::vector<float> scales_;
};

// The first weight of a run, or its entry, that does not become an integer.
std::optional<WeightRefusal> refusal_of_run(const FakeQuantizeEntries& entries,
                                            const Runs& runs,
                                            std::size_t entry,
                                            const StoredWeights& values) {
    for (std::size_t i = 0; i < runs.length(); ++i) {
        const std::size_t e = entry + (runs.entry_a_value() ? i : 0);
        if (auto refusal = entries.refusal(e)) {
            return refusal;
        }
        const double level = level_of(entries.limits(), e, values[i]);
        if (!(level >= -128 && level <= 127)) {
            return out_of_range(level);
        }
    }
    return std::nullopt;
}

std::optional<WeightRefusal> integers_of_fake_quantize(const WeightChain& chain,
                                                       Offset offset,
                                                       Raw& out) {
    const Node& fq = *chain.quantizer[0];
    const auto levels = fq.attrs<FakeQuantizeAttrs>().levels;
    if (levels > 256) {
        return WeightRefusal{"levels", fmt::format("{} levels do not fit into 8 bits", levels)};
    }
    const Shape shape = chain.stored.shape();
    const FakeQuantizeEntries entries(fq, shape.size(), offset);
    const Numbers data(chain);
    out.values = Tensor(ElementType::i8, shape);
    std::int8_t* result = out.values.data<std::int8_t>();
    const Runs runs(shape, entries.shape());
    std::optional<WeightRefusal> refusal;
    runs.for_each([&](std::size_t begin, std::size_t entry) {
        const std::size_t last = entry + (runs.entry_a_value() ? runs.length() : 1);
        bool fits = true;
        for (std::size_t e = entry; e < last && fits; ++e) {
            fits = !entries.refusal(e);
        }
        fits = fits && levels_of_run(entries.limits(), entry, runs.entry_a_value(), data.at(begin),
                                     {result + begin, runs.length()});
        if (!fits) {
            refusal = refusal_of_run(entries, runs, entry, data.at(begin));
        }
        return !refusal.has_value();
    });
    out.scale = Tensor::of(entries.shape(), entries.scales());
    out.zero = entries.rest();
    return refusal;
}

// `shape` with as many dimensions of size 1 before it as it takes.
Shape with_rank(const Shape& shape, std::size_t rank) {
    Shape result(rank - shape.size(), 1);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

// The whole number to subtract for a zero point.
double offset_of(float zero, Offset offset, ElementType stored) {
    if (offset == Offset::kNearest) {
        return std::nearbyint(static_cast<double>(zero));
    }
    return stored == ElementType::u8 ? 128.0 : 0.0;
}

// Subtracts the offsets of `zero`, which broadcasts to `stored` and has its rank.
std::optional<WeightRefusal> subtract(const Tensor& stored,
                                      const Tensor& zero,
                                      Offset offset,
                                      Raw& out) {
    const ElementType type = stored.get_element_type();
    std::vector<double> offsets;
    std::vector<float> rest;
    for (const float z : to_floats(zero)) {
        if (!(std::abs(z) <= kLargestZeroPoint)) {
            return no_zero_point(z);
        }
        offsets.push_back(offset_of(z, offset, type));
        rest.push_back(static_cast<float>(z - offsets.back()));
    }
    out.zero = remainder_tensor(zero.get_shape(), rest);
    const auto nothing = [](double o) { return o == 0; };
    if (type == ElementType::i8 && std::all_of(offsets.begin(), offsets.end(), nothing)) {
        out.values = stored;
        return std::nullopt;
    }
    const Tensor wide = stored.to(ElementType::i32);
    const std::int32_t* from = wide.data<std::int32_t>();
    out.values = Tensor(ElementType::i8, stored.get_shape());
    std::int8_t* to = out.values.data<std::int8_t>();
    StridedLoop loop(stored.get_shape(), {broadcast_strides(zero.get_shape(), stored.get_shape())});
    for (; !loop.done(); loop.next()) {
        const double value = from[loop.position()] - offsets[loop.offset(0)];
        if (!(value >= -128 && value <= 127)) {
            return out_of_range(value);
        }
        to[loop.position()] = static_cast<std::int8_t>(value);
    }
    return std::nullopt;
}

std::optional<WeightRefusal> integers_of_convert(const WeightChain& chain,
                                                 Offset offset,
                                                 Raw& out) {
    const Shape shape = chain.stored.shape();
    if (chain.quantizer.back()->port().shape != PartialShape(shape)) {
        return WeightRefusal{"weight_scale_axis", "the scale is larger than the weights"};
    }
    Tensor zero = Tensor::scalar(0.0f);
    Tensor scale = Tensor::scalar(1.0f);
    for (const Node* node : chain.quantizer) {
        if (!node->is("Convert")) {
            (node->is("Subtract") ? zero : scale) = *evaluate_constant(node->input(1));
        }
    }
    const auto ranked = [&](const Tensor& tensor) {
        return tensor.to(ElementType::f32).reshaped(with_rank(tensor.get_shape(), shape.size()));
    };
    out.scale = ranked(scale);
    return subtract(chain.stored.node->constant(), ranked(zero), offset, out);
}

// The Reshapes and Transposes between the quantizer and the consumer.
Tensor through_layout(const WeightChain& chain, Tensor tensor) {
    const ElementType type = tensor.get_element_type();
    for (const Node* node : chain.layout) {
        if (!node->is("Transpose")) {
            tensor = tensor.reshaped(node->port().shape.to_shape());
            continue;
        }
        // The node's types are those of the graph.
        const Tensor inputs[] = {tensor.to(node->port().type), *evaluate_constant(node->input(1))};
        tensor = evaluate_node(*node, inputs).at(0).to(type);
    }
    return tensor;
}

// A small tensor, one value an element of the weights.
Tensor expanded(const Tensor& small, const Shape& shape) {
    Tensor large(ElementType::f32, shape);
    const float* from = small.data<float>();
    float* to = large.data<float>();
    const Runs runs(shape, small.get_shape());
    runs.for_each([&](std::size_t begin, std::size_t entry) {
        if (runs.entry_a_value()) {
            std::copy_n(from + entry, runs.length(), to + begin);
        } else {
            std::fill_n(to + begin, runs.length(), from[entry]);
        }
        return true;
    });
    return large;
}

// One value an output channel, in a shape that broadcasts to the weights; an empty tensor when the
// values vary along other dimensions. `scale` broadcasts to the weights and has their rank.
Tensor values_of_channels(const Node& consumer, const Tensor& scale, const Shape& weights) {
    const Shape& have = scale.get_shape();
    Shape small(weights.size(), 1);
    for (const std::size_t d : output_channel_dims(consumer, weights)) {
        small[d] = weights[d];
    }
    const Shape both = broadcast_shapes(small, have);
    std::vector<float> values(shape_size(small));
    std::vector<bool> seen(values.size());
    const float* all = scale.data<float>();
    StridedLoop loop(both, {broadcast_strides(small, both), broadcast_strides(have, both)});
    for (; !loop.done(); loop.next()) {
        const std::size_t c = loop.offset(0);
        if (seen[c] && values[c] != all[loop.offset(1)]) {
            return {};
        }
        values[c] = all[loop.offset(1)];
        seen[c] = true;
    }
    const auto differs = [&](float v) { return v != values.front(); };
    if (values.empty() || std::none_of(values.begin(), values.end(), differs)) {
        return Tensor::scalar(values.empty() ? 1.0f : values.front());
    }
    return Tensor::of(small, values);
}

float largest_magnitude(const Tensor& values) {
    float largest = 0;
    for (const float v : to_floats(values)) {
        largest = std::max(largest, std::abs(v));
    }
    return largest;
}

}  // namespace

Tensor stored_numbers(const WeightChain& chain) {
    const Node& node = *chain.stored.node;
    if (node.is("Convert") && node.port().type == ElementType::f32) {
        const Tensor* source = known_constant(node.input(0));
        if (source != nullptr && (source->get_element_type() == ElementType::u8 ||
                                  source->get_element_type() == ElementType::i8)) {
            return *source;
        }
    }
    const Tensor value = *evaluate_constant(chain.stored);
    const ElementType type = value.get_element_type();
    const bool bytes = type == ElementType::u8 || type == ElementType::i8;
    return type == ElementType::f32 || bytes ? value : value.to(ElementType::f32);
}

std::optional<WeightRefusal> weight_integers(const Node& consumer,
                                             const WeightChain& chain,
                                             WeightIntegers& out) {
    const auto integers =
        chain.quantizer[0]->is("FakeQuantize") ? integers_of_fake_quantize : integers_of_convert;
    Raw raw;
    if (auto refusal = integers(chain, Offset::kNearest, raw)) {
        // Integers that do not fit beside a whole zero point do so beside another number.
        if (refusal->code != "weight_range" || integers(chain, Offset::kFits, raw)) {
            return refusal;
        }
    }
    const auto in_layout = [&](const Tensor& tensor) {
        return chain.layout.empty() ? tensor
                                    : through_layout(chain, expanded(tensor, chain.stored.shape()));
    };
    out.values = chain.layout.empty() ? raw.values : through_layout(chain, raw.values);
    const Shape shape = out.values.get_shape();
    out.scale = values_of_channels(consumer, in_layout(raw.scale), shape);
    if (!out.scale) {
        return WeightRefusal{"weight_scale_axis",
                             "the scale of the weights varies along a dimension that is summed "
                             "over"};
    }
    if (raw.zero) {
        out.zero_point = values_of_channels(consumer, in_layout(raw.zero), shape);
        if (!out.zero_point && largest_magnitude(raw.zero) > kWeightZeroPointNoise) {
            return WeightRefusal{"weight_zero_point",
                                 "the zero point of the weights varies along a dimension that is "
                                 "summed over"};
        }
    }
    return std::nullopt;
}

}  // namespace fuseq
