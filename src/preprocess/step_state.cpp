// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "preprocess/step_state.hpp"

#include <algorithm>

#include "ops/convert.hpp"

namespace fuseq::preprocess {

const Output& StepState::one(const char* step) const {
    if (tensors.size() != 1) {
        fail(step, " of ", tensors.size(),
             " planes; convert_color to RGB, BGR or GRAY must stand before it");
    }
    return tensors[0];
}

const PartialShape& StepState::shape(const char* step) const {
    const PartialShape& known = one(step).partial_shape();
    if (!known.rank_is_static()) {
        fail(step, " of a tensor of unknown rank");
    }
    return known;
}

std::size_t StepState::dimension(const char* step, const char* dimension_name) const {
    const PartialShape& known = shape(step);
    const auto index = layout.index_in(dimension_name, known.rank());
    if (!index) {
        fail(step, " needs to know the dimension ", dimension_name, "; the layout is ",
             layout.empty() ? "not set" : layout.to_string(), " and the shape ",
             fuseq::to_string(known), "; set_layout() of tensor() or model()");
    }
    return *index;
}

std::size_t StepState::channels(const char* step) const {
    const Dimension& count = shape(step)[dimension(step, "C")];
    if (!count.is_static()) {
        fail(step, " needs to know how many channels there are; the shape is ",
             fuseq::to_string(shape(step)));
    }
    return static_cast<std::size_t>(count.get_length());
}

Output StepState::add(const char* type,
                      int opset,
                      std::vector<Output> inputs,
                      std::unique_ptr<Attributes> attributes) const {
    return model
        ->add(type, opset, model->unique_name(base + "/" + type), std::move(inputs),
              std::move(attributes))
        ->output();
}

Output StepState::constant(const Tensor& value) const {
    return model->add_constant(model->unique_name(base + "/Const"), value)->output();
}

Output StepState::ints(const std::vector<std::int64_t>& values) const {
    return constant(Tensor::of<std::int64_t>(Shape{values.size()}, values));
}

Output StepState::converted(const Output& tensor, ElementType type) const {
    if (tensor.type() == type) {
        return tensor;
    }
    ConvertAttrs attributes;
    attributes.destination_type = type;
    return add_with("Convert", 1, {tensor}, attributes);
}

Output StepState::per_channel(const char* step, const std::vector<float>& values) const {
    const ElementType type = one(step).type();
    if (values.size() == 1) {
        return constant(Tensor::scalar<float>(values[0]).to(type));
    }
    const std::size_t axis = dimension(step, "C");
    Shape dims(shape(step).rank(), 1);
    dims[axis] = values.size();
    if (!shape(step)[axis].compatible(static_cast<std::int64_t>(values.size()))) {
        fail(step, " has ", values.size(), " values, the tensor of shape ",
             fuseq::to_string(shape(step)), " and layout ", layout.to_string(), " has ",
             fuseq::to_string(shape(step)[axis]), " channels");
    }
    return constant(Tensor::of<float>(dims, values).to(type));
}

Output StepState::transposed(const Output& tensor, const std::vector<std::int64_t>& order) const {
    return std::is_sorted(order.begin(), order.end()) ? tensor
                                                      : add("Transpose", 1, {tensor, ints(order)});
}

Layout reordered(const Layout& layout, const std::vector<std::uint64_t>& order) {
    if (layout.rank() != order.size()) {
        return layout;
    }
    std::string names;
    for (const std::uint64_t dimension : order) {
        if (dimension >= order.size()) {
            return layout;
        }
        names += (names.empty() ? "[" : ",") + layout.names()[dimension];
    }
    return names + "]";
}

std::vector<std::uint64_t> inverse(const std::vector<std::uint64_t>& order) {
    std::vector<std::uint64_t> back(order.size());
    for (std::uint64_t i = 0; i < order.size(); ++i) {
        back.at(order[i] < order.size() ? order[i] : i) = i;
    }
    return back;
}

std::vector<std::int64_t> permutation(const StepState& state,
                                      const Layout& from,
                                      const Layout& to) {
    std::vector<std::int64_t> order;
    const bool ranks = from.rank() && to.rank() && *from.rank() == *to.rank();
    for (const std::string& name : ranks ? to.names() : std::vector<std::string>()) {
        if (name == "?" || !from.has_name(name)) {
            // Without a name in both: the same place.
            const std::size_t place = order.size();
            if (name != "?" || from.names()[place] != "?") {
                break;
            }
            order.push_back(static_cast<std::int64_t>(place));
            continue;
        }
        order.push_back(from.get_index_by_name(name));
    }
    if (order.size() != to.rank().value_or(0) || order.empty()) {
        state.fail("layout ", from.empty() ? "'' (not set)" : from.to_string(), " does not become ",
                   to.empty() ? "'' (not set)" : to.to_string(), ": both need the same dimensions");
    }
    return order;
}

}  // namespace fuseq::preprocess
