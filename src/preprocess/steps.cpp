// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps of types, layouts, numbers and sizes; those of colors are in color_steps.cpp.
#include <algorithm>
#include <numeric>

#include "ops/concat.hpp"
#include "ops/gather.hpp"
#include "ops/pad.hpp"
#include "ops/resize/interpolate.hpp"
#include "preprocess/step_state.hpp"

namespace fuseq::preprocess {
namespace {

std::vector<std::int64_t> to_int64(const std::vector<int>& values) {
    return {values.begin(), values.end()};
}

// Dimensions of ones in front for names that the tensor does not have.
void add_missing_dimensions(StepState& state, const Layout& to) {
    std::vector<std::int64_t> missing;
    std::string names;
    for (const std::string& name : to.names()) {
        if (name != "?" && !state.layout.has_name(name)) {
            missing.push_back(static_cast<std::int64_t>(missing.size()));
            names += (names.empty() ? "" : ",") + name;
        }
    }
    const auto before = state.layout.rank();
    if (missing.empty() || !before || *before + missing.size() != to.rank().value_or(0)) {
        return;
    }
    state.tensors = {state.add("Unsqueeze", 1, {state.tensors[0], state.ints(missing)})};
    std::string old = state.layout.to_string();
    old.front() = ',';
    state.layout = Layout("[" + names + old);
}

InterpolateMode to_mode(ResizeAlgorithm algorithm) {
    switch (algorithm) {
        case ResizeAlgorithm::RESIZE_NEAREST: return InterpolateMode::kNearest;
        case ResizeAlgorithm::RESIZE_CUBIC: return InterpolateMode::kCubic;
        case ResizeAlgorithm::RESIZE_BILINEAR_PILLOW: return InterpolateMode::kBilinearPillow;
        case ResizeAlgorithm::RESIZE_BICUBIC_PILLOW: return InterpolateMode::kBicubicPillow;
        default: return InterpolateMode::kLinear;
    }
}

// Height and width of the model's input.
std::vector<std::int64_t> model_size(const StepState& state) {
    std::vector<std::int64_t> size;
    for (const char* name : {"H", "W"}) {
        const PartialShape& shape = state.target_shape;
        const auto index = shape.rank_is_static() ? state.target_layout.index_in(name, shape.rank())
                                                  : std::nullopt;
        if (!index || !shape[*index].is_static()) {
            state.fail("resize without a size takes that of the model, whose shape is ",
                       fuseq::to_string(shape), " and whose layout is ",
                       state.target_layout.empty() ? "not set" : state.target_layout.to_string(),
                       "; state height and width, or model().set_layout()");
        }
        size.push_back(shape[*index].get_length());
    }
    return size;
}

void check_amounts(const StepState& state,
                   const char* step,
                   const std::vector<int>& begin,
                   const std::vector<int>& end) {
    const std::size_t rank = state.shape(step).rank();
    if (begin.size() != rank || end.size() != rank) {
        state.fail(step, " has ", begin.size(), " and ", end.size(), " values, the tensor has ",
                   rank, " dimensions: ", fuseq::to_string(state.shape(step)));
    }
}

}  // namespace

StepFunction convert_type_step(ElementType type) {
    return [type](StepState& state) {
        const ElementType to = type == ElementType::undefined ? state.target_type : type;
        for (Output& tensor : state.tensors) {
            tensor = state.converted(tensor, to);
        }
    };
}

StepFunction convert_layout_step(const Layout& layout) {
    return [layout](StepState& state) {
        const Layout& to = layout.empty() ? state.target_layout : layout;
        state.one("convert_layout");
        if (to.empty()) {
            state.fail("convert_layout needs a layout, as the model has none");
        }
        add_missing_dimensions(state, to);
        state.tensors = {state.transposed(state.tensors[0], permutation(state, state.layout, to))};
        state.layout = to;
    };
}

StepFunction convert_layout_step(const std::vector<std::uint64_t>& order) {
    return [order](StepState& state) {
        const std::size_t rank = state.shape("convert_layout").rank();
        std::vector<std::int64_t> wanted(order.begin(), order.end());
        std::vector<std::int64_t> sorted = wanted;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::int64_t> all(rank);
        std::iota(all.begin(), all.end(), 0);
        if (sorted != all) {
            state.fail("convert_layout has an order of ", order.size(),
                       " dimensions, expected each of 0 to ", rank - 1, " once");
        }
        state.tensors = {state.transposed(state.tensors[0], wanted)};
        state.layout = reordered(state.layout, order);
    };
}

StepFunction resize_step(ResizeAlgorithm algorithm, std::optional<PartialShape> size) {
    return [algorithm, size = std::move(size)](StepState& state) {
        const auto height = static_cast<std::int64_t>(state.dimension("resize", "H"));
        const auto width = static_cast<std::int64_t>(state.dimension("resize", "W"));
        std::vector<std::int64_t> wanted;
        if (size) {
            wanted = {(*size)[0].get_length(), (*size)[1].get_length()};
        } else {
            wanted = model_size(state);
        }
        InterpolateAttrs attributes;
        attributes.mode = to_mode(algorithm);
        attributes.pads_begin = {0};
        attributes.pads_end = {0};
        const Output axes = state.ints({height, width});
        const bool pillow = attributes.mode == InterpolateMode::kBilinearPillow ||
                            attributes.mode == InterpolateMode::kBicubicPillow;
        std::vector<Output> inputs = {state.tensors[0], state.ints(wanted)};
        if (!pillow) {  // opset 4 has scales too, which it does not read here
            inputs.push_back(state.constant(Tensor::of<float>(Shape{2}, {1.0F, 1.0F})));
        }
        inputs.push_back(axes);
        state.tensors = {state.add_with("Interpolate", pillow ? 11 : 4, inputs, attributes)};
    };
}

StepFunction arithmetic_step(const char* operation,
                             const char* step,
                             const std::vector<float>& values) {
    return [operation, step, values](StepState& state) {
        const Output& tensor = state.one(step);
        if (!is_real(tensor.type())) {
            state.fail(step, " is for real types, the tensor is ", fuseq::to_string(tensor.type()),
                       "; convert_element_type(f32) must stand before it");
        }
        const bool zero = std::find(values.begin(), values.end(), 0.0F) != values.end();
        if (values.empty() || (zero && std::string_view(operation) == "Divide")) {
            state.fail(step, values.empty() ? " has no value" : " of 0");
        }
        state.tensors = {state.add(operation, 1, {tensor, state.per_channel(step, values)})};
    };
}

StepFunction crop_step(const std::vector<int>& begin, const std::vector<int>& end) {
    return [begin, end](StepState& state) {
        check_amounts(state, "crop", begin, end);
        const std::vector<std::int64_t> steps(begin.size(), 1);
        state.tensors = {state.add("Slice", 8,
                                   {state.tensors[0], state.ints(to_int64(begin)),
                                    state.ints(to_int64(end)), state.ints(steps)})};
    };
}

namespace {

Output padded(const StepState& state,
              const Output& tensor,
              const std::vector<int>& begin,
              const std::vector<int>& end,
              float value,
              PaddingMode mode) {
    PadAttrs attributes;
    attributes.pad_mode = static_cast<PadMode>(static_cast<int>(mode));  // the same order
    std::vector<Output> inputs = {tensor, state.ints(to_int64(begin)), state.ints(to_int64(end))};
    if (mode == PaddingMode::CONSTANT) {
        inputs.push_back(state.constant(Tensor::scalar<float>(value).to(tensor.type())));
    }
    const bool cuts = std::any_of(begin.begin(), begin.end(), [](int n) { return n < 0; }) ||
                      std::any_of(end.begin(), end.end(), [](int n) { return n < 0; });
    return state.add_with("Pad", cuts ? 12 : 1, inputs, attributes);
}

}  // namespace

StepFunction pad_step(const std::vector<int>& begin,
                      const std::vector<int>& end,
                      const std::vector<float>& values,
                      PaddingMode mode) {
    return [begin, end, values, mode](StepState& state) {
        check_amounts(state, "pad", begin, end);
        if (values.empty()) {
            state.fail("pad has no value");
        }
        if (values.size() == 1 || mode != PaddingMode::CONSTANT) {
            state.tensors = {padded(state, state.tensors[0], begin, end, values[0], mode)};
            return;
        }
        // Channel by channel.
        const std::size_t axis = state.dimension("pad", "C");
        if (state.channels("pad") != values.size() || begin[axis] != 0 || end[axis] != 0) {
            state.fail("pad has ", values.size(), " values for ", state.channels("pad"),
                       " channels, which are not padded themselves");
        }
        const Output number =
            state.constant(Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(axis)));
        std::vector<Output> parts;
        for (std::size_t c = 0; c < values.size(); ++c) {
            const Output channel = state.add_with(
                "Gather", 8, {state.tensors[0], state.ints({static_cast<std::int64_t>(c)}), number},
                GatherAttrs{});
            parts.push_back(padded(state, channel, begin, end, values[c], mode));
        }
        ConcatAttrs attributes;
        attributes.axis = static_cast<std::int64_t>(axis);
        state.tensors = {state.add_with("Concat", 1, parts, attributes)};
    };
}

StepFunction reverse_channels_step() {
    return [](StepState& state) {
        const std::size_t axis = state.dimension("reverse_channels", "C");
        std::vector<std::int64_t> reversed(state.channels("reverse_channels"));
        std::iota(reversed.rbegin(), reversed.rend(), 0);
        const Output number =
            state.constant(Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(axis)));
        state.tensors = {state.add_with(
            "Gather", 8, {state.tensors[0], state.ints(reversed), number}, GatherAttrs{})};
        if (state.color == ColorFormat::RGB || state.color == ColorFormat::BGR) {
            state.color = state.color == ColorFormat::RGB ? ColorFormat::BGR : ColorFormat::RGB;
        }
    };
}

StepFunction custom_step(std::function<Output(const Output&)> step) {
    return [step = std::move(step)](StepState& state) {
        const Output made = step(state.one("custom"));
        if (!made || &made.node->model() != state.model) {
            state.fail("a custom step returned no tensor of the model");
        }
        state.tensors = {made};
    };
}

}  // namespace fuseq::preprocess
