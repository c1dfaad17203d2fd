// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor: a handle; copies are the same tensor, its shape included.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include "fuseq/tensor.hpp"
#include "openvino/core/absent.hpp"
#include "openvino/core/coordinate.hpp"
#include "openvino/core/node_output.hpp"

namespace ov {

class Tensor {
public:
    Tensor() = default;
    Tensor(const fuseq::Tensor& tensor, std::function<void(const fuseq::Tensor&)> changed = {})
        : state_(std::make_shared<State>(State{tensor, std::move(changed)})) {}
    Tensor(const element::Type& type, const Shape& shape)
        : Tensor(detail::guarded([&] { return fuseq::Tensor(type, fuseq::Shape(shape)); })) {}
    // Over the caller's memory.
    Tensor(const element::Type& type, const Shape& shape, void* memory)
        : Tensor(
              detail::guarded([&] { return fuseq::Tensor(type, fuseq::Shape(shape), memory); })) {}
    template <class NodeType>
    explicit Tensor(const Output<NodeType>& port)
        : Tensor(port.get_element_type(), port.get_shape()) {}
    template <class NodeType>
    Tensor(const Output<NodeType>& port, void* memory)
        : Tensor(port.get_element_type(), port.get_shape(), memory) {}
    // A region of another tensor.
    template <class Coordinate>
    Tensor(const Tensor&, const Coordinate&, const Coordinate&) {
        static_assert(detail::kAbsent<Coordinate>,
                      "Fuseq has no tensors over a region of another one "
                      "(docs/openvino_compat.md): copy the region, or crop() in preprocessing");
    }
    Tensor(const Tensor&,
           std::initializer_list<std::size_t>,
           std::initializer_list<std::size_t>) = delete;  // the same

    explicit operator bool() const { return state_ != nullptr; }
    bool operator!() const { return state_ == nullptr; }
    element::Type get_element_type() const { return own().get_element_type(); }
    Shape get_shape() const { return own().get_shape(); }
    // Keeps the memory where the new size fits; of a request's input the request takes the shape.
    void set_shape(const Shape& shape) {
        detail::guarded([&] {
            state_->tensor.set_shape(fuseq::Shape(shape));
            if (state_->changed) {
                state_->changed(state_->tensor);
            }
        });
    }
    std::size_t get_size() const { return own().get_size(); }
    std::size_t get_byte_size() const { return own().get_byte_size(); }
    // In bytes.
    Strides get_strides() const {
        const Shape shape = get_shape();
        Strides strides(shape.size());
        std::size_t step = get_element_type().size();
        for (std::size_t d = shape.size(); d-- > 0;) {
            strides[d] = step;
            step *= shape[d];
        }
        return strides;
    }
    bool is_continuous() const { return true; }
    void* data() const {
        return detail::guarded([&] { return state_->tensor.data(); });
    }
    void* data(const element::Type& type) const {
        if (type != element::undefined && type != get_element_type()) {
            throw Exception("Tensor data with element type " + get_element_type().get_type_name() +
                            ", is not representable as pointer to " + type.get_type_name());
        }
        return data();
    }
    template <class T>
    T* data() const {
        return static_cast<T*>(data(element::from<std::remove_cv_t<T>>()));
    }
    void copy_to(Tensor destination) const {
        detail::guarded([&] { own().copy_to(destination.state_->tensor); });
    }

    // The tensor of Fuseq's own API.
    const fuseq::Tensor& own() const {
        if (!state_) {
            throw Exception("Tensor was not initialized");
        }
        return state_->tensor;
    }
    operator fuseq::Tensor() const { return own(); }

private:
    struct State {
        fuseq::Tensor tensor;
        std::function<void(const fuseq::Tensor&)> changed;  // its shape
    };
    std::shared_ptr<State> state_;
};

using TensorVector = std::vector<Tensor>;

}  // namespace ov
