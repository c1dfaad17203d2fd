// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "preprocess/builders.hpp"

#include <algorithm>

#include "ops/parameter.hpp"

namespace fuseq::preprocess {
namespace {

void change_parameter(Node& parameter, ElementType type, const PartialShape& shape) {
    auto& attributes = parameter.attrs<ParameterAttrs>();
    attributes.element_type = type;
    attributes.shape = shape;
    parameter.infer();
}

// A new Parameter at the end of the list in the place of this one.
void move_to_end(Model& model, Node* parameter) {
    const auto& attributes = parameter->attrs<ParameterAttrs>();
    Node* moved = model.add_parameter(parameter->name(), attributes.element_type, attributes.shape);
    moved->rt_info = parameter->rt_info;
    moved->origins = parameter->origins;
    moved->layer_id = parameter->layer_id;
    model.replace(parameter->output(), moved->output());
    model.remove(parameter);
}

Dimension times(const Dimension& size, std::int64_t by, std::int64_t divisor) {
    return size.is_static() ? Dimension(size.get_length() * by / divisor) : Dimension::dynamic();
}

// Sizes of the model's dimensions for the names of the tensor.
std::optional<Dimension> size_of(const PartialShape& shape,
                                 const Layout& layout,
                                 const char* name) {
    const auto index =
        shape.rank_is_static() ? layout.index_in(name, shape.rank()) : std::optional<std::size_t>();
    return index ? std::optional(shape[*index]) : std::nullopt;
}

}  // namespace

InputBuilder::InputBuilder(const InputInfo& info, Model& model, std::size_t index)
    : info_(info), model_(model), index_(index) {
    const Node& parameter = *model.parameters()[index];
    const auto& attributes = parameter.attrs<ParameterAttrs>();
    state_.model = &model;
    state_.name = "input '" + model.inputs()[index].get_any_name() + "'";
    state_.base = parameter.name() + "/preprocess";
    state_.color = info.tensor_.color_;
    state_.target_type = attributes.element_type;
    state_.target_shape = attributes.shape;
}

// As it was set; else as the model states it; else what the tensor's becomes by the steps.
Layout InputBuilder::model_layout() const {
    Layout layout = info_.model_.layout_;
    if (layout.empty()) {
        layout = get_layout(model_.inputs()[index_]);
    }
    if (layout.empty() && !is_yuv(info_.tensor_.color_)) {
        layout = info_.tensor_.layout_;
        for (const auto& order : info_.steps_.orders_) {
            layout = reordered(layout, order);
        }
    }
    return layout;
}

// Layout before a conversion to the model's.
Layout InputBuilder::tensor_layout(const Layout& model_layout) const {
    if (is_yuv(info_.tensor_.color_)) {
        return "NHWC";
    }
    if (!info_.tensor_.layout_.empty()) {
        return info_.tensor_.layout_;
    }
    Layout layout = model_layout;
    for (auto order = info_.steps_.orders_.rbegin(); order != info_.steps_.orders_.rend();
         ++order) {
        layout = reordered(layout, inverse(*order));
    }
    return layout;
}

PartialShape InputBuilder::tensor_shape(const Layout& model_layout,
                                        const Layout& tensor_layout) const {
    PartialShape shape = state_.target_shape;
    if (info_.tensor_.shape_) {
        return *info_.tensor_.shape_;
    }
    if (!shape.rank_is_static()) {
        return shape;
    }
    if (tensor_layout != model_layout && tensor_layout.rank() &&
        model_layout.rank() == shape.rank()) {
        std::vector<Dimension> sizes;
        sizes.reserve(tensor_layout.names().size());
        for (const std::string& name : tensor_layout.names()) {
            sizes.push_back(
                size_of(shape, model_layout, name.c_str()).value_or(Dimension::dynamic()));
        }
        shape = PartialShape(std::move(sizes));
    } else if (info_.tensor_.layout_.empty()) {
        for (auto order = info_.steps_.orders_.rbegin(); order != info_.steps_.orders_.rend();
             ++order) {
            if (order->size() == shape.rank()) {
                const std::vector<std::uint64_t> back = inverse(*order);
                std::vector<Dimension> sizes;
                sizes.reserve(back.size());
                for (const std::uint64_t d : back) {
                    sizes.push_back(shape[d]);
                }
                shape = PartialShape(std::move(sizes));
            }
        }
    }
    const auto channels = channels_of(info_.tensor_.color_);
    if (const auto axis = tensor_layout.index_in("C", shape.rank()); channels && axis) {
        shape[*axis] = Dimension(static_cast<std::int64_t>(*channels));
    }
    if (info_.tensor_.spatial_) {
        const auto height = tensor_layout.index_in("H", shape.rank());
        const auto width = tensor_layout.index_in("W", shape.rank());
        if (!height || !width) {
            state_.fail("a spatial shape needs a layout with H and W, the layout is ",
                        tensor_layout.empty() ? "not set" : tensor_layout.to_string());
        }
        shape[*height] = (*info_.tensor_.spatial_)[0];
        shape[*width] = (*info_.tensor_.spatial_)[1];
    }
    return shape;
}

std::vector<PartialShape> InputBuilder::plane_shapes(const Layout& model_layout) const {
    const ColorFormat color = info_.tensor_.color_;
    const auto size = [&](const char* name) {
        return size_of(state_.target_shape, model_layout, name).value_or(Dimension::dynamic());
    };
    const Dimension n = model_layout.has_name("N") ? size("N") : Dimension(1);
    const auto& spatial = info_.tensor_.spatial_;
    const Dimension h = spatial ? (*spatial)[0] : size("H");
    const Dimension w = spatial ? (*spatial)[1] : size("W");
    for (const Dimension& side : {h, w}) {
        if (side.is_static() && side.get_length() % 2 != 0) {
            state_.fail("a picture of ", to_string(color), " has even sides, not ",
                        fuseq::to_string(h), " x ", fuseq::to_string(w));
        }
    }
    if (plane_count(color) == 1) {
        return {PartialShape{n, times(h, 3, 2), w, 1}};
    }
    const Dimension half_h = times(h, 1, 2);
    const Dimension half_w = times(w, 1, 2);
    if (color == ColorFormat::NV12_TWO_PLANES) {
        return {PartialShape{n, h, w, 1}, PartialShape{n, half_h, half_w, 2}};
    }
    const PartialShape quarter{n, half_h, half_w, 1};
    return {PartialShape{n, h, w, 1}, quarter, quarter};
}

// The Parameter becomes the first plane, and new ones follow it.
void InputBuilder::set_planes(const std::vector<PartialShape>& shapes) {
    const std::vector<Node*> before = model_.parameters();
    Node* first = before[index_];
    const ElementType type = info_.tensor_.type_.value_or(state_.target_type);
    change_parameter(*first, type, shapes[0]);
    state_.tensors = {first->output()};
    if (shapes.size() == 1) {
        return;
    }
    std::vector<std::string> subs = info_.tensor_.sub_names_;
    if (!subs.empty() && subs.size() != shapes.size()) {
        state_.fail(to_string(info_.tensor_.color_), " has ", shapes.size(), " planes, ",
                    subs.size(), " names were given");
    }
    for (std::size_t i = subs.size(); i < shapes.size(); ++i) {
        subs.push_back(std::to_string(i));
    }
    const std::string name = first->name();
    const std::unordered_set<std::string> tensor_names = first->port().names;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const std::string plane = name + "/" + subs[i];
        Node* node = i == 0 ? first : model_.add_parameter(plane, type, shapes[i]);
        node->set_name(plane);
        node->port().names.clear();
        for (const std::string& tensor_name : tensor_names) {
            node->port().names.insert(tensor_name + "/" + subs[i]);
        }
        if (i != 0) {
            state_.tensors.push_back(node->output());
        }
    }
    for (std::size_t i = index_ + 1; i < before.size(); ++i) {
        move_to_end(model_, before[i]);
    }
}

void InputBuilder::check_result() const {
    if (state_.tensors.size() != 1) {
        state_.fail("the planes of ", to_string(state_.color),
                    " were not converted; preprocess().convert_color()");
    }
    const Output& result = state_.tensors[0];
    if (result.type() != state_.target_type ||
        !result.partial_shape().compatible(state_.target_shape)) {
        state_.fail("preprocessing gives ", fuseq::to_string(result.type()),
                    fuseq::to_string(result.partial_shape()), ", the model's input is ",
                    fuseq::to_string(state_.target_type), fuseq::to_string(state_.target_shape));
    }
}

void InputBuilder::build() {
    const Layout model = model_layout();
    if (model.rank() && state_.target_shape.rank_is_static() &&
        *model.rank() != state_.target_shape.rank()) {
        state_.fail("the layout ", model.to_string(), " of the model is one of ", *model.rank(),
                    " dimensions, its shape is ", fuseq::to_string(state_.target_shape));
    }
    state_.target_layout = model;
    state_.layout = tensor_layout(model);
    const std::vector<Use> uses = model_.parameters()[index_]->port().uses;
    const PartialShape shape =
        is_yuv(state_.color) ? PartialShape() : tensor_shape(model, state_.layout);
    set_planes(is_yuv(state_.color) ? plane_shapes(model) : std::vector{shape});
    const Output first = state_.tensors[0];
    set_layout(first, state_.layout);
    for (const Step& step : info_.steps_.steps_) {
        step.run(state_);
    }
    convert_type_step(ElementType::undefined)(state_);
    if (!model.empty() && !state_.layout.empty() && state_.tensors.size() == 1 &&
        model != state_.layout) {
        convert_layout_step(Layout())(state_);
    }
    check_result();
    for (const Use& use : uses) {
        use.node->set_input(use.index, state_.tensors[0]);
    }
}

}  // namespace fuseq::preprocess
