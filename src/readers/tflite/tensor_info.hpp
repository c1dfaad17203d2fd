// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One tensor of a file: shape, type, data and how its integers are to be understood.
#pragma once

#include <tflite_schema_generated.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuseq/tensor.hpp"
#include "readers/common/file_error.hpp"

namespace fuseq::tflite_reader {

using readers::Place;

// real = scale * (integer - zero_point). No scales: the tensor is not quantized.
struct Quantization {
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;  // as many as there are scales
    std::size_t axis = 0;                   // that several scales belong to

    bool known() const { return !scales.empty(); }
    bool per_channel() const { return scales.size() > 1; }
    float scale() const { return scales.at(0); }
    std::int64_t zero_point() const { return zero_points.at(0); }
    friend bool operator==(const Quantization&, const Quantization&) = default;
};

struct TensorInfo {
    std::size_t index = 0;
    std::string name;  // may be empty, may occur twice
    ElementType type = ElementType::undefined;
    std::string type_name;  // as the format spells it
    Shape shape;
    std::vector<bool> free;  // by dimension: the file says that its size may change
    Quantization quantization;
    bool variable = false;
    Tensor value;  // of a constant

    // Integers that stand for real values.
    bool quantized() const { return quantization.known() && is_integral(type); }
    bool constant() const { return bool(value); }
    bool is_free(std::size_t dimension) const { return dimension < free.size() && free[dimension]; }
    // For messages.
    std::string title() const;
};

// The bytes of a file, kept alive by the constants that lie in them.
struct FileBytes {
    std::shared_ptr<const Tensor> memory;
    std::span<const std::uint8_t> bytes() const {
        return {memory->data<std::uint8_t>(), memory->get_size()};
    }
};

// All tensors of a subgraph. Throws Error naming the tensor for sizes and quantizations that do not
// fit together.
std::vector<TensorInfo> read_tensors(const ::tflite::Model& model,
                                     const ::tflite::SubGraph& graph,
                                     const FileBytes& file,
                                     const Place& place);

// undefined for strings, complex numbers, resources and variants.
ElementType element_type(::tflite::TensorType type);

}  // namespace fuseq::tflite_reader
