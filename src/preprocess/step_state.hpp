// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the steps of one input or output work on.
#pragma once

#include <string>
#include <vector>

#include "fuseq/error.hpp"
#include "fuseq/preprocess.hpp"

namespace fuseq::preprocess {

struct StepState {
    Model* model = nullptr;
    std::string name;             // "input 'x'", for messages
    std::string base;             // of names of new nodes
    std::vector<Output> tensors;  // one, or the planes of a picture
    Layout layout;
    ColorFormat color = ColorFormat::UNDEFINED;
    // What the model (or, for outputs, the user) expects.
    ElementType target_type = ElementType::undefined;
    Layout target_layout;
    PartialShape target_shape;

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        throw Error("preprocess", detail::cat(name, ": ", args...));
    }
    // The tensor; refuses planes.
    const Output& one(const char* step) const;
    const PartialShape& shape(const char* step) const;
    // Index of the dimension of that name. `step` needs it.
    std::size_t dimension(const char* step, const char* dimension_name) const;
    // The number of channels; refuses an open one.
    std::size_t channels(const char* step) const;

    // A new node after the first tensor or over some; the one tensor is its result from now on.
    Output add(const char* type,
               int opset,
               std::vector<Output> inputs,
               std::unique_ptr<Attributes> attributes = nullptr) const;
    template <class A>
    Output add_with(const char* type,
                    int opset,
                    const std::vector<Output>& inputs,
                    A attributes) const {
        return add(type, opset, inputs, std::make_unique<A>(std::move(attributes)));
    }
    Output constant(const Tensor& value) const;
    Output ints(const std::vector<std::int64_t>& values) const;
    Output converted(const Output& tensor, ElementType type) const;
    // Values that broadcast along the channels, in the type of the tensor.
    Output per_channel(const char* step, const std::vector<float>& values) const;
    Output transposed(const Output& tensor, const std::vector<std::int64_t>& order) const;
};

// The steps, which the classes of the public header put together.
using StepFunction = std::function<void(StepState&)>;
StepFunction convert_type_step(ElementType type);
StepFunction convert_layout_step(const Layout& layout);
StepFunction convert_layout_step(const std::vector<std::uint64_t>& order);
StepFunction convert_color_step(ColorFormat format);
StepFunction resize_step(ResizeAlgorithm algorithm, std::optional<PartialShape> size);
StepFunction arithmetic_step(const char* operation,
                             const char* step,
                             const std::vector<float>& values);
StepFunction crop_step(const std::vector<int>& begin, const std::vector<int>& end);
StepFunction pad_step(const std::vector<int>& begin,
                      const std::vector<int>& end,
                      const std::vector<float>& values,
                      PaddingMode mode);
StepFunction reverse_channels_step();
StepFunction custom_step(std::function<Output(const Output&)> step);

// Channels of a picture in one tensor; nothing for planes and where it is not known.
std::optional<std::size_t> channels_of(ColorFormat format);
// How many tensors the format has.
std::size_t plane_count(ColorFormat format);
// NV12 and I420.
bool is_yuv(ColorFormat format);
std::string to_string(ColorFormat format);

// Dimension i of the result is dimension order[i] of `layout`; as it is when they do not fit.
Layout reordered(const Layout& layout, const std::vector<std::uint64_t>& order);
std::vector<std::uint64_t> inverse(const std::vector<std::uint64_t>& order);

// order[i] is the dimension of `from` that is dimension i of `to`. Throws through `state` when they
// do not have the same names.
std::vector<std::int64_t> permutation(const StepState& state, const Layout& from, const Layout& to);

}  // namespace fuseq::preprocess
