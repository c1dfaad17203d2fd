// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/tensor_proto.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>

#include "readers/onnx/element_types.hpp"
#include "readers/onnx/external_data.hpp"

namespace fuseq::onnx_reader {
namespace {

using ::onnx::TensorProto;

Shape read_dims(const TensorProto& proto, const Place& place) {
    Shape shape;
    for (const std::int64_t dim : proto.dims()) {
        place.require(dim >= 0, "tensor '", proto.name(), "' has the dimension ", dim);
        shape.push_back(static_cast<std::size_t>(dim));
    }
    return shape;
}

// Typed fields hold smaller types in wider elements.
template <class To, class Field>
void copy_field(const Field& field, Tensor& tensor, const TensorProto& proto, const Place& place) {
    place.require(static_cast<std::size_t>(field.size()) == tensor.get_size(), "tensor '",
                  proto.name(), "' has ", field.size(), " values, its dimensions ",
                  to_string(tensor.get_shape()), " are for ", tensor.get_size());
    auto* to = static_cast<To*>(tensor.data());
    for (const auto value : field) {
        *to++ = static_cast<To>(value);
    }
}

// Two to a byte, one byte an int32.
void copy_packed(const TensorProto& proto, Tensor& tensor, const Place& place) {
    place.require(static_cast<std::size_t>(proto.int32_data_size()) == tensor.get_byte_size(),
                  "tensor '", proto.name(), "' has ", proto.int32_data_size(),
                  " bytes in int32_data, expected ", tensor.get_byte_size());
    auto* to = static_cast<std::uint8_t*>(tensor.data());
    for (const auto value : proto.int32_data()) {
        *to++ = static_cast<std::uint8_t>(value);
    }
}

void copy_typed(const TensorProto& proto, Tensor& tensor, const Place& place) {
    switch (tensor.get_element_type()) {
        case ElementType::f32: return copy_field<float>(proto.float_data(), tensor, proto, place);
        case ElementType::f64: return copy_field<double>(proto.double_data(), tensor, proto, place);
        case ElementType::i64:
            return copy_field<std::int64_t>(proto.int64_data(), tensor, proto, place);
        case ElementType::u64:
            return copy_field<std::uint64_t>(proto.uint64_data(), tensor, proto, place);
        case ElementType::u32:
            return copy_field<std::uint32_t>(proto.uint64_data(), tensor, proto, place);
        case ElementType::i32:
            return copy_field<std::int32_t>(proto.int32_data(), tensor, proto, place);
        case ElementType::i16:
        case ElementType::u16:
        case ElementType::f16:
        case ElementType::bf16:
            return copy_field<std::uint16_t>(proto.int32_data(), tensor, proto, place);
        case ElementType::i8:
        case ElementType::u8:
            return copy_field<std::uint8_t>(proto.int32_data(), tensor, proto, place);
        case ElementType::boolean: {
            copy_field<std::uint8_t>(proto.int32_data(), tensor, proto, place);
            auto* bytes = static_cast<std::uint8_t*>(tensor.data());
            std::transform(bytes, bytes + tensor.get_size(), bytes,
                           [](std::uint8_t value) { return value == 0 ? 0 : 1; });
            return;
        }
        case ElementType::u4:
        case ElementType::i4: return copy_packed(proto, tensor, place);
        default: place.fail("tensor '", proto.name(), "' has an element type without values");
    }
}

}  // namespace

Tensor read_tensor(const TensorProto& proto,
                   const std::filesystem::path& folder,
                   const Place& place) {
    const Shape shape = read_dims(proto, place);
    ElementType type = ElementType::undefined;
    std::size_t bytes = 0;
    try {
        type = element_type(proto.data_type(), place);
        bytes = byte_size_of(type, shape_size(shape));
    } catch (const Error& error) {
        place.fail("tensor '", proto.name(), "': ", error.info().rule);
    }
    if (proto.data_location() == TensorProto::EXTERNAL) {
        Tensor tensor = read_external_data(proto, folder, bytes, place);
        return Tensor(type, shape, tensor.data(), std::make_shared<Tensor>(tensor));
    }
    if (proto.has_raw_data()) {
        // Before memory of that size is asked for.
        place.require(proto.raw_data().size() == bytes, "tensor '", proto.name(), "' has ",
                      proto.raw_data().size(), " bytes of raw data, ", to_string(type),
                      to_string(shape), " takes ", bytes);
        Tensor tensor(type, shape);
        if (bytes != 0) {
            std::memcpy(tensor.data(), proto.raw_data().data(), bytes);
        }
        return tensor;
    }
    constexpr std::size_t kWidest = 64;  // a varint of a typed field takes one byte or more
    place.require(bytes <= kWidest * (proto.ByteSizeLong() + 1), "tensor '", proto.name(),
                  "' has fewer values than its dimensions ", to_string(shape), " ask for");
    Tensor tensor(type, shape);
    copy_typed(proto, tensor, place);
    return tensor;
}

}  // namespace fuseq::onnx_reader
