// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "model/huge_pages.hpp"
#include "model/typed.hpp"

namespace fuseq {
namespace {

constexpr std::size_t kAlignment = 64;

// From this size on memory is of its own and in huge pages: kernels stream through such tensors,
// and page tables and prefetching, which ends where a page does, slow them down.
constexpr std::size_t kMinHuge = 2 * kHugePage;

std::shared_ptr<void> allocate_huge(std::size_t bytes) {
    void* const memory = map_huge_pages(bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    return {memory, [bytes](void* m) { unmap_huge_pages(m, bytes); }};
}

std::shared_ptr<void> allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded < bytes || rounded + kHugePage < rounded) {
        throw Error("tensor", fmt::format("cannot allocate {} bytes", bytes));
    }
    if (rounded >= kMinHuge) {
        if (auto huge = allocate_huge(rounded)) {
            return huge;
        }
    }
    // calloc does not touch pages that the system has just given, which are zero already.
    void* memory = std::calloc(1, rounded + kAlignment);
    if (memory == nullptr) {
        throw Error("tensor", fmt::format("cannot allocate {} bytes", bytes));
    }
    void* aligned = memory;
    std::size_t space = rounded + kAlignment;
    std::align(kAlignment, rounded, aligned, space);
    return {aligned, [memory](void*) { std::free(memory); }};
}

std::size_t checked_bytes(ElementType type, const Shape& shape) {
    const std::size_t size = shape_size(shape);
    constexpr std::size_t kLimit = SIZE_MAX / 2;
    if (size > kLimit / 8) {
        throw Error("tensor", fmt::format("shape {} is too large", to_string(shape)));
    }
    return byte_size_of(type, size);
}

}  // namespace

Tensor::Tensor(ElementType type, const Shape& shape)
    : type_(type), shape_(shape), size_(shape_size(shape)) {
    capacity_ = checked_bytes(type, shape);
    std::shared_ptr<void> memory = allocate(capacity_);
    memory_ = memory.get();
    owner_ = std::move(memory);
}

Tensor::Tensor(ElementType type, const Shape& shape, void* memory)
    : type_(type), shape_(shape), size_(shape_size(shape)), memory_(memory) {
    if (memory == nullptr && size_ != 0) {
        throw Error("tensor", fmt::format("null memory for shape {}", to_string(shape)));
    }
}

Tensor::Tensor(ElementType type,
               const Shape& shape,
               const void* memory,
               std::shared_ptr<const void> owner)
    : type_(type),
      shape_(shape),
      size_(shape_size(shape)),
      read_only_(true),
      memory_(const_cast<void*>(memory)),  // never written: data() checks read_only_
      owner_(std::move(owner)) {}

void Tensor::set_shape(const Shape& shape) {
    const std::size_t bytes = checked_bytes(type_, shape);
    if (capacity_ == 0 && (read_only_ || owner_ == nullptr)) {
        if (bytes > get_byte_size()) {
            throw Error("tensor",
                        fmt::format("a tensor over foreign memory of shape {} cannot grow to {}",
                                    to_string(shape_), to_string(shape)));
        }
    } else if (bytes > capacity_) {
        *this = Tensor(type_, shape);
        return;
    }
    shape_ = shape;
    size_ = shape_size(shape);
}

void* Tensor::data() {
    if (read_only_) {
        throw Error("tensor", "the memory of this tensor is read-only");
    }
    return memory_;
}

void Tensor::check_type(ElementType type) const {
    // Booleans are stored as bytes and may be read as such.
    const bool bytes = type_ == ElementType::boolean && type == ElementType::u8;
    if (is_packed(type_)) {
        throw Error("tensor", fmt::format("asked for {} of a tensor of {}, whose elements are "
                                          "packed {} to a byte: convert it to {} with Tensor::to",
                                          to_string(type), to_string(type_), 8 / bits_of(type_),
                                          to_string(unpacked_type(type_))));
    }
    if (type != type_ && !bytes) {
        throw Error("tensor", fmt::format("asked for {} of a tensor of {}", to_string(type),
                                          to_string(type_)));
    }
}

void Tensor::copy_to(Tensor& destination) const {
    if (destination.type_ != type_) {
        throw Error("tensor", fmt::format("cannot copy {} to {}", to_string(type_),
                                          to_string(destination.type_)));
    }
    destination.set_shape(shape_);
    if (get_byte_size() != 0) {
        std::memcpy(destination.data(), memory_, get_byte_size());
    }
}

Tensor Tensor::to(ElementType type) const {
    Tensor result(type, shape_);
    convert_values(type_, memory_, type, result.memory_, size_);
    return result;
}

Tensor Tensor::reshaped(const Shape& shape) const {
    if (shape_size(shape) != size_) {
        throw Error("tensor",
                    fmt::format("cannot view {} as {}", to_string(shape_), to_string(shape)));
    }
    Tensor view = *this;
    view.shape_ = shape;
    return view;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
    return a.get_element_type() == b.get_element_type() && a.get_shape() == b.get_shape() &&
           (a.get_byte_size() == 0 || std::memcmp(a.data(), b.data(), a.get_byte_size()) == 0);
}

std::vector<float> to_floats(const Tensor& tensor) {
    std::vector<float> values(tensor.get_size());
    convert_values(tensor.get_element_type(), tensor.data(), ElementType::f32, values.data(),
                   values.size());
    return values;
}

std::vector<std::int64_t> to_ints(const Tensor& tensor) {
    std::vector<std::int64_t> values(tensor.get_size());
    // Exporters that only write u64 mean -1 by 2^64 - 1, and so on: the bits are the number.
    const ElementType type = tensor.get_element_type();
    convert_values(type == ElementType::u64 ? ElementType::i64 : type, tensor.data(),
                   ElementType::i64, values.data(), values.size());
    return values;
}

}  // namespace fuseq
