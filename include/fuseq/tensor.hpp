// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor: a handle to dense row-major memory in the dimension order of the IR. Copies of a Tensor
// share the memory. Not synchronised: one thread at a time may write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fuseq/element_type.hpp"
#include "fuseq/error.hpp"
#include "fuseq/shape.hpp"

namespace fuseq {

class Tensor {
public:
    // Empty handle; only operator bool may be used.
    Tensor() = default;
    // Owns zero-initialised memory, aligned to 64 bytes.
    Tensor(ElementType type, const Shape& shape);
    // Over the user's memory of byte_size_of(type, shape_size(shape)) bytes, which must outlive
    // every copy. Null is allowed only when there are no elements.
    Tensor(ElementType type, const Shape& shape, void* memory);
    // Read-only memory kept alive by `owner` (a mapped file). data() of such a tensor throws.
    Tensor(ElementType type,
           const Shape& shape,
           const void* memory,
           std::shared_ptr<const void> owner);

    template <class T>
    static Tensor of(const Shape& shape, const std::vector<T>& values);
    template <class T>
    static Tensor scalar(T value) {
        return of<T>(Shape{}, {value});
    }

    explicit operator bool() const { return type_ != ElementType::undefined; }
    ElementType get_element_type() const { return type_; }
    const Shape& get_shape() const { return shape_; }
    std::size_t get_size() const { return size_; }
    std::size_t get_byte_size() const { return byte_size_of(type_, size_); }
    bool is_read_only() const { return read_only_; }

    // Reallocates when the new size does not fit in the owned memory; throws Error for a tensor
    // over the user's memory when the size grows.
    void set_shape(const Shape& shape);

    void* data();
    const void* data() const { return memory_; }
    // Typed access; throws Error when T is not the element type. Elements of packed types (u4, nf4,
    // ...) have no address: to() unpacks them, data() gives their bytes.
    template <class T>
    T* data() {
        check_type(element_type_of<T>());
        return static_cast<T*>(data());
    }
    template <class T>
    const T* data() const {
        check_type(element_type_of<T>());
        return static_cast<const T*>(static_cast<const void*>(memory_));
    }
    template <class T>
    std::span<const T> values() const {
        return {data<T>(), size_};
    }
    template <class T>
    std::span<T> values() {
        return {data<T>(), size_};
    }

    // Copies elements; the destination gets this shape; types must be equal.
    void copy_to(Tensor& destination) const;
    // A new tensor with every value converted (real to integer truncates towards zero and clamps
    // to the range of the type; to boolean: not zero; to nf4: the nearest of its values).
    Tensor to(ElementType type) const;
    // The same memory under another shape of equal size.
    Tensor reshaped(const Shape& shape) const;

private:
    void check_type(ElementType type) const;

    ElementType type_ = ElementType::undefined;
    Shape shape_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;  // bytes owned; 0 for foreign memory
    bool read_only_ = false;
    void* memory_ = nullptr;
    std::shared_ptr<const void> owner_;
};

// Same type, shape and bytes.
bool same_bytes(const Tensor& a, const Tensor& b);

// Values of any numeric tensor, converted.
std::vector<float> to_floats(const Tensor& tensor);
std::vector<std::int64_t> to_ints(const Tensor& tensor);

template <class T>
Tensor Tensor::of(const Shape& shape, const std::vector<T>& values) {
    Tensor tensor(element_type_of<T>(), shape);
    if (values.size() != tensor.get_size()) {
        throw Error("tensor",
                    detail::cat("got ", values.size(), " values for shape ", to_string(shape)));
    }
    T* out = tensor.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        out[i] = values[i];
    }
    return tensor;
}

}  // namespace fuseq
