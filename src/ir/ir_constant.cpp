// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_constant.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ir/weights_file.hpp"
#include "model/type_names.hpp"

namespace fuseq {
namespace {

// The attributes of a Const in the file; the operation itself holds a Tensor.
struct ConstData final : AttributesOf<ConstData> {
    std::string element_type;
    PartialShape shape;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    void visit(AttributeVisitor& v) override {
        v.required("element_type", element_type);
        v.required("shape", shape);
        v.required("offset", offset);
        v.required("size", size);
    }
};

}  // namespace

IrWeights::IrWeights(const Tensor& bytes, std::filesystem::path file) : file_(std::move(file)) {
    if (bytes) {
        auto owner = std::make_shared<Tensor>(bytes);
        data_ = static_cast<const std::byte*>(std::as_const(*owner).data());
        size_ = bytes.get_byte_size();
        owner_ = std::move(owner);
    }
}

std::string IrWeights::name() const {
    return file_.empty() ? "the weights" : fmt::format("'{}'", file_.string());
}

void IrWeights::open(const IrLayer& layer, const IrSource& source) {
    if (owner_ != nullptr) {
        return;
    }
    if (file_.empty()) {
        source.fail(layer, "needs weights, but none were given");
    }
    try {
        auto file = WeightsFile::open(file_);
        data_ = file->data();
        size_ = file->size();
        owner_ = std::move(file);
    } catch (const Error& error) {
        source.fail(layer, fmt::format("needs {}: {}", name(), error.info().rule));
    }
}

const std::byte* IrWeights::bytes_at(const IrLayer& layer, const IrSource& source, Range range) {
    open(layer, source);
    if (range.offset > size_ || range.size > size_ - range.offset) {
        source.fail(layer, fmt::format("offset {} and size {} reach beyond {}, which has {} bytes",
                                       range.offset, range.size, name(), size_));
    }
    return data_ + range.offset;
}

Tensor IrWeights::constant(const IrLayer& layer, const IrSource& source) {
    ConstData data;
    read_ir_attributes(layer, data, source);
    const auto type = parse_element_type(data.element_type);
    if (!type) {
        source.fail(
            layer, fmt::format("attribute element_type: {}", refused_type_text(data.element_type)));
    }
    if (data.shape.is_dynamic()) {
        source.fail(layer, fmt::format("shape {} is not static", to_string(data.shape)));
    }
    if (data.offset < 0 || data.size < 0) {
        source.fail(layer, fmt::format("offset {} and size {}, expected numbers from 0",
                                       data.offset, data.size));
    }
    const Shape shape = data.shape.to_shape();
    std::size_t count = 0;
    try {
        count = shape_size(shape);
    } catch (const Error& error) {
        source.fail(layer, error.info().rule);
    }
    if (count == 0) {  // writers give such constants any size
        return Tensor(*type, shape);
    }
    const auto size = static_cast<std::size_t>(data.size);
    constexpr std::size_t kMax = SIZE_MAX / sizeof(double);
    if (count > kMax || size != byte_size_of(*type, count)) {
        source.fail(layer, fmt::format("size {} does not fit {} elements of {}, shape {}", size,
                                       count, to_string(*type), to_string(shape)));
    }
    const std::byte* bytes = bytes_at(layer, source, {static_cast<std::size_t>(data.offset), size});
    if (*type == ElementType::boolean) {  // any byte but 0 is true; kernels expect 0 or 1
        Tensor clean(ElementType::boolean, shape);
        auto* out = static_cast<std::uint8_t*>(clean.data());
        std::transform(bytes, bytes + count, out,
                       [](std::byte b) { return static_cast<std::uint8_t>(b != std::byte{0}); });
        return clean;
    }
    const std::size_t element = is_packed(*type) ? 1 : size_of(*type);
    if (reinterpret_cast<std::uintptr_t>(bytes) % element != 0) {
        Tensor aligned(*type, shape);
        std::memcpy(aligned.data(), bytes, size);
        return aligned;
    }
    return Tensor(*type, shape, bytes, owner_);
}

}  // namespace fuseq
