// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/tensor_info.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "readers/tflite/sparse_tensor.hpp"

namespace fuseq::tflite_reader {
namespace {

using ::tflite::TensorType;

// Of one tensor; sizes of shapes are multiplied below it.
constexpr std::size_t kMaxElements = std::size_t{1} << 40;

struct Range {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};

Range range_of(ElementType type) {
    const auto bits = static_cast<int>(bits_of(type));
    if (bits >= 64) {
        return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    }
    const std::int64_t count = std::int64_t{1} << bits;
    return is_signed(type) ? Range{-count / 2, count / 2 - 1} : Range{0, count - 1};
}

Shape read_shape(const ::tflite::Tensor& tensor, const Place& place) {
    Shape shape;
    std::size_t elements = 1;
    if (tensor.shape() == nullptr) {
        return shape;
    }
    for (const std::int32_t size : *tensor.shape()) {
        place.require(size >= 0, "dimension ", shape.size(), " is ", size);
        const auto wide = static_cast<std::size_t>(size);
        // Of empty tensors too: their strides are products of the other sizes.
        const std::size_t factor = std::max<std::size_t>(wide, 1);
        place.require(elements <= kMaxElements / factor, "has more than ", kMaxElements,
                      " elements");
        elements *= factor;
        shape.push_back(wide);
    }
    return shape;
}

// A signature of another rank says nothing.
std::vector<bool> read_free(const ::tflite::Tensor& tensor, const Shape& shape) {
    std::vector<bool> free;
    const auto* signature = tensor.shape_signature();
    if (signature != nullptr && signature->size() == shape.size()) {
        for (const std::int32_t size : *signature) {
            free.push_back(size == -1);
        }
    }
    return free;
}

void check_scale(float scale, std::size_t i, const Place& place) {
    place.require(std::isfinite(scale) && scale > 0, "scale ", i, " is ", scale,
                  ", expected a finite value above 0");
}

void check_zero_point(std::int64_t zero, std::size_t i, ElementType type, const Place& place) {
    const Range range = range_of(type);
    place.require(zero >= range.lowest && zero <= range.highest, "zero point ", i, " is ", zero,
                  ", which is outside of ", to_string(type));
}

Quantization read_quantization(const ::tflite::Tensor& tensor,
                               const TensorInfo& info,
                               const Place& place) {
    Quantization quantization;
    const auto* stated = tensor.quantization();
    // A table without scales is common and means: not quantized.
    if (stated == nullptr || stated->scale() == nullptr || stated->scale()->size() == 0) {
        return quantization;
    }
    place.require(stated->details() == nullptr,
                  "has a custom quantization, which is not supported");
    quantization.scales.assign(stated->scale()->begin(), stated->scale()->end());
    if (stated->zero_point() != nullptr && stated->zero_point()->size() > 0) {
        quantization.zero_points.assign(stated->zero_point()->begin(), stated->zero_point()->end());
    } else {
        quantization.zero_points.assign(quantization.scales.size(), 0);
    }
    const std::size_t count = quantization.scales.size();
    place.require(quantization.zero_points.size() == count || quantization.zero_points.size() == 1,
                  "has ", count, " scales and ", quantization.zero_points.size(), " zero points");
    quantization.zero_points.resize(count, quantization.zero_points[0]);
    if (count > 1) {
        const std::int32_t axis = stated->quantized_dimension();
        place.require(axis >= 0 && static_cast<std::size_t>(axis) < info.shape.size(),
                      "quantized dimension is ", axis, ", the rank is ", info.shape.size());
        quantization.axis = static_cast<std::size_t>(axis);
        place.require(info.shape[quantization.axis] == count, "has ", count, " scales, dimension ",
                      axis, " has the size ", info.shape[quantization.axis]);
    }
    for (std::size_t i = 0; i < count; ++i) {
        check_scale(quantization.scales[i], i, place);
        if (is_integral(info.type)) {
            check_zero_point(quantization.zero_points[i], i, info.type, place);
        }
    }
    return quantization;
}

// Data in the FlatBuffer, or in format 3c after it.
std::span<const std::uint8_t> find_data(const ::tflite::Buffer& buffer,
                                        const FileBytes& file,
                                        const Place& place) {
    if (buffer.offset() > 1) {
        const std::uint64_t whole = file.bytes().size();
        place.require(buffer.offset() <= whole && buffer.size() <= whole - buffer.offset(),
                      "its data, ", buffer.size(), " bytes from ", buffer.offset(),
                      " on, do not lie in the file of ", whole, " bytes");
        return file.bytes().subspan(buffer.offset(), buffer.size());
    }
    return buffer.data() == nullptr
               ? std::span<const std::uint8_t>{}
               : std::span<const std::uint8_t>{buffer.data()->data(), buffer.data()->size()};
}

Tensor read_value(const TensorInfo& info,
                  std::span<const std::uint8_t> data,
                  const FileBytes& file,
                  const Place& place) {
    place.require(info.type != ElementType::undefined, "is a constant of type ", info.type_name,
                  ", which is not supported");
    const std::size_t wanted = byte_size_of(info.type, shape_size(info.shape));
    place.require(data.size() == wanted, "has ", data.size(), " bytes of data, its shape ",
                  to_string(info.shape), " and type ", to_string(info.type), " take ", wanted);
    const std::size_t alignment = is_packed(info.type) ? 1 : size_of(info.type);
    const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0;
    if (aligned && info.type != ElementType::boolean) {
        return Tensor(info.type, info.shape, data.data(), file.memory);
    }
    Tensor copy(info.type, info.shape);
    if (info.type == ElementType::boolean) {
        for (std::size_t i = 0; i < wanted; ++i) {
            copy.data<bool>()[i] = data[i] != 0;
        }
    } else if (wanted > 0) {
        std::memcpy(copy.data(), data.data(), wanted);
    }
    return copy;
}

}  // namespace

std::string TensorInfo::title() const {
    return name.empty() ? fmt::format("tensor {}", index) : fmt::format("tensor '{}'", name);
}

ElementType element_type(TensorType type) {
    switch (type) {
        case TensorType::FLOAT32: return ElementType::f32;
        case TensorType::FLOAT16: return ElementType::f16;
        case TensorType::INT32: return ElementType::i32;
        case TensorType::UINT8: return ElementType::u8;
        case TensorType::INT64: return ElementType::i64;
        case TensorType::BOOL: return ElementType::boolean;
        case TensorType::INT16: return ElementType::i16;
        case TensorType::INT8: return ElementType::i8;
        case TensorType::FLOAT64: return ElementType::f64;
        case TensorType::UINT64: return ElementType::u64;
        case TensorType::UINT32: return ElementType::u32;
        case TensorType::UINT16: return ElementType::u16;
        case TensorType::INT4: return ElementType::i4;
        default: return ElementType::undefined;
    }
}

std::vector<TensorInfo> read_tensors(const ::tflite::Model& model,
                                     const ::tflite::SubGraph& graph,
                                     const FileBytes& file,
                                     const Place& place) {
    std::vector<TensorInfo> tensors;
    if (graph.tensors() == nullptr) {
        return tensors;
    }
    for (const ::tflite::Tensor* tensor : *graph.tensors()) {
        TensorInfo info;
        info.index = tensors.size();
        info.name = tensor->name() == nullptr ? "" : tensor->name()->str();
        Place here = place;
        here.layer = info.name.empty() ? std::to_string(info.index) : info.name;
        here.op = "tensor";
        info.type = element_type(tensor->type());
        const char* type_name = ::tflite::EnumNameTensorType(tensor->type());
        info.type_name =
            type_name[0] != '\0' ? type_name : std::to_string(static_cast<int>(tensor->type()));
        info.variable = tensor->is_variable();
        info.shape = read_shape(*tensor, here);
        info.free = read_free(*tensor, info.shape);
        info.quantization = read_quantization(*tensor, info, here);
        const std::size_t buffers = model.buffers() == nullptr ? 0 : model.buffers()->size();
        here.require(tensor->buffer() < buffers || tensor->buffer() == 0, "names buffer ",
                     tensor->buffer(), ", the file has ", buffers);
        if (tensor->buffer() != 0) {
            const ::tflite::Buffer& buffer = *model.buffers()->Get(tensor->buffer());
            const auto data = find_data(buffer, file, here);
            if (!data.empty()) {
                info.value = tensor->sparsity() == nullptr
                                 ? read_value(info, data, file, here)
                                 : dense_value(*tensor->sparsity(), info, data, here);
            }
        }
        tensors.push_back(std::move(info));
    }
    return tensors;
}

}  // namespace fuseq::tflite_reader
