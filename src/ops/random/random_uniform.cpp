// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RandomUniform-8: numbers in [minval, maxval), bit for bit those of OpenVINO's CPU device.
//
// With alignment "tensorflow" they come from Philox, and each run of a request continues the
// sequence: a run of n elements advances it by 256 n groups, as TensorFlow and OpenVINO do. With
// "pytorch" they come from a Mersenne twister that each run starts again with global_seed. Seeds
// that are both 0 give other numbers in each run.
#include "ops/random/random_uniform.hpp"

#include <bit>
#include <limits>
#include <random>

#include "model/typed.hpp"
#include "ops/axis_groups.hpp"
#include "ops/kernel_states.hpp"
#include "ops/op_list.hpp"
#include "ops/random/seeds.hpp"
#include "ops/shape_values.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::random_uniform_ops {
namespace {

enum Input : std::size_t { kShape, kMin, kMax };

constexpr std::uint64_t kGroupsPerElement = 256;

template <class Context>
Shape checked_shape(const Context& context, const std::vector<std::int64_t>& sizes) {
    check_sizes(context, sizes, "shape");
    Shape shape(std::vector<std::size_t>(sizes.begin(), sizes.end()));
    check_element_count(context, shape, "the result");
    return shape;
}

template <class Context>
void check_bounds(const Context& context, const Tensor& min, const Tensor& max) {
    context.require(min.get_size() == 1 && max.get_size() == 1, "minval has ", min.get_size(),
                    " values, maxval ", max.get_size(), ", expected 1");
    const auto check = [&](auto low, auto high) {
        context.require(low < high, "minval is ", low, ", maxval is ", high,
                        ", expected a larger maxval");
    };
    if (is_integral(min.get_element_type())) {
        check(to_ints(min)[0], to_ints(max)[0]);
    } else {
        check(min.to(ElementType::f64).data<double>()[0],
              max.to(ElementType::f64).data<double>()[0]);
    }
}

void check_types(const InferContext& context, ElementType type) {
    const bool known = is_real(type) || type == ElementType::i32 || type == ElementType::i64;
    context.require(known, "output_type is ", to_string(type),
                    ", expected i32, i64 or a real type");
    for (const Input input : {kMin, kMax}) {
        context.require_type(input, type, input == kMin ? "minval" : "maxval");
        const PartialShape& shape = context.shape(input);
        context.require(shape.compatible({}) || shape.compatible({1}),
                        input == kMin ? "minval" : "maxval", " has shape ", to_string(shape),
                        ", expected one element");
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RandomUniformAttrs>();
    check_seeds(context, attrs);
    check_types(context, attrs.output_type);
    require_int_list(context, kShape, "shape");
    const auto min = context.value(kMin);
    const auto max = context.value(kMax);
    if (min && max) {
        check_bounds(context, *min, *max);
    }
    if (const auto sizes = context.ints(kShape)) {
        checked_shape(context, *sizes);
    }
    const auto dims = shape_values(context, kShape);
    context.set_output(0, attrs.output_type, dims ? PartialShape(*dims) : PartialShape::dynamic());
}

// 32 random bits each.
using Numbers = std::vector<std::uint32_t>;

Numbers philox_numbers(EvalContext& context, std::size_t count, std::size_t elements) {
    const PhiloxKey key = key_of(context.attrs<RandomUniformAttrs>());
    std::uint64_t first = 0;
    if (KernelStates* states = states_of(context)) {
        std::uint64_t& drawn = states->drawn(context.node());
        first = drawn;
        drawn += elements * kGroupsPerElement;
    }
    Numbers numbers;
    numbers.reserve(count + 3);
    for (std::size_t i = 0; i < count; i += 4) {
        const auto group = philox(key, first + i / 4);
        numbers.insert(numbers.end(), group.begin(), group.end());
    }
    return numbers;
}

Numbers twister_numbers(const EvalContext& context, std::size_t count) {
    const auto seed = key_of(context.attrs<RandomUniformAttrs>()).global_seed;
    std::mt19937 twister(static_cast<std::uint32_t>(seed));
    Numbers numbers(count);
    for (std::uint32_t& number : numbers) {
        number = static_cast<std::uint32_t>(twister());
    }
    return numbers;
}

// The first or only 32 bits of an element, and the second ones.
struct Bits {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
};

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
    return (std::uint64_t{high} << 32) | low;
}

float to_value(Bits bits, float min, float max, bool pytorch) {
    constexpr std::uint32_t kExponentOfOne = std::uint32_t{127} << 23;
    const float unit = pytorch
                           ? static_cast<float>(bits.first & 0xFFFFFFu) * 0x1p-24f
                           : std::bit_cast<float>(kExponentOfOne | (bits.first & 0x7FFFFFu)) - 1.0f;
    return unit * (max - min) + min;
}

double to_value(Bits bits, double min, double max, bool pytorch) {
    constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 53) - 1;
    const double unit =
        pytorch ? static_cast<double>(joined(bits.first, bits.second) & kMantissa) * 0x1p-53
                : philox_double(bits.first, bits.second);
    return unit * (max - min) + min;
}

// In unsigned arithmetic: the range may be larger than the signed type.
std::int32_t to_value(Bits bits, std::int32_t min, std::int32_t max, bool) {
    const auto low = static_cast<std::uint32_t>(min);
    return static_cast<std::int32_t>(bits.first % (static_cast<std::uint32_t>(max) - low) + low);
}

std::int64_t to_value(Bits bits, std::int64_t min, std::int64_t max, bool pytorch) {
    const auto low = static_cast<std::uint64_t>(min);
    const std::uint64_t number =
        pytorch ? joined(bits.first, bits.second) : joined(bits.second, bits.first);
    return static_cast<std::int64_t>(number % (static_cast<std::uint64_t>(max) - low) + low);
}

// PyTorch draws 32 bits for a 64 bit integer when the bounds fit in them.
template <class T>
bool one_number(T min, T max, bool pytorch) {
    constexpr std::int64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();
    if constexpr (std::is_same_v<T, std::int64_t>) {
        return pytorch && min <= kMaxUint32 && max <= kMaxUint32;
    }
    return sizeof(T) == 4;
}

template <class T>
void fill(EvalContext& context, Tensor& out) {
    const bool pytorch = context.attrs<RandomUniformAttrs>().alignment == RandomAlignment::kPytorch;
    const T min = context.input(kMin).data<T>()[0];
    const T max = context.input(kMax).data<T>()[0];
    const bool one = one_number(min, max, pytorch);
    const std::size_t size = out.get_size();
    const std::size_t count = one ? size : 2 * size;
    const Numbers numbers =
        pytorch ? twister_numbers(context, count) : philox_numbers(context, count, size);
    T* dst = out.data<T>();
    for (std::size_t i = 0; i < size; ++i) {
        Bits bits{numbers[one ? i : 2 * i], 0};
        if (!one) {
            bits.second = numbers[2 * i + 1];
        } else if (sizeof(T) == 8) {
            bits = {0, bits.first};  // as the lower half of 64 bits
        }
        dst[i] = to_value(bits, min, max, pytorch);
    }
}

void evaluate(EvalContext& context) {
    const std::vector<std::int64_t> sizes = to_ints(context.input(kShape));
    const Shape shape = checked_shape(context, sizes);
    check_bounds(context, context.input(kMin), context.input(kMax));
    Tensor& out = context.output(0, shape);
    switch (out.get_element_type()) {
        case ElementType::i32: fill<std::int32_t>(context, out); return;
        case ElementType::i64: fill<std::int64_t>(context, out); return;
        default: break;
    }
    dispatch_real(context, out.get_element_type(),
                  [&](auto tag) { fill<typename decltype(tag)::type>(context, out); });
}

const OpSpec kOps[] = {
    {.type = "RandomUniform",
     .version = 8,
     .inputs = {3, 3},
     .make_attributes = make_attributes<RandomUniformAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Random numbers in [minval, maxval), those of OpenVINO's CPU device",
     .refused = "minval not below maxval; seeds below 0 or above 2^63 - 1; more than 2^28 numbers"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::random_uniform_ops
