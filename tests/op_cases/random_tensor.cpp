// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "op_cases/random_tensor.hpp"

namespace fuseq::op_cases {
namespace {

struct Range {
    double low;
    double high;
};

bool is_unsigned(ElementType type) {
    return type == ElementType::u8 || type == ElementType::u16 || type == ElementType::u32 ||
           type == ElementType::u64 || type == ElementType::u4;
}

Range range_of(const Input& input) {
    if (input.has_range) {
        return {input.low, input.high};
    }
    if (input.type == ElementType::boolean || input.type == ElementType::u1) {
        return {0, 1};
    }
    if (input.type == ElementType::u2) {
        return {0, 3};
    }
    if (input.type == ElementType::i4) {
        return {-8, 7};
    }
    constexpr double kReal = 3;
    constexpr double kInteger = 8;
    return is_real(input.type)       ? Range{-kReal, kReal}
           : is_unsigned(input.type) ? Range{0, kInteger}
                                     : Range{-kInteger, kInteger};
}

Tensor from_doubles(const std::vector<double>& values, ElementType type, const Shape& shape) {
    return Tensor::of<double>(shape, values).to(type);
}

}  // namespace

Tensor random_tensor(const Input& input, const Shape& shape, std::mt19937_64& random) {
    const Range range = range_of(input);
    std::vector<double> values(shape_size(shape));
    for (double& value : values) {
        if (is_real(input.type)) {
            value = static_cast<float>(
                std::uniform_real_distribution<double>(range.low, range.high)(random));
        } else {
            value = static_cast<double>(std::uniform_int_distribution<std::int64_t>(
                static_cast<std::int64_t>(range.low),
                static_cast<std::int64_t>(range.high))(random));
        }
    }
    return from_doubles(values, input.type, shape);
}

Tensor tensor_of(const Input& input, std::mt19937_64& random) {
    return input.values.empty() && shape_size(input.shape) != 0
               ? random_tensor(input, input.shape, random)
               : from_doubles(input.values, input.type, input.shape);
}

}  // namespace fuseq::op_cases
