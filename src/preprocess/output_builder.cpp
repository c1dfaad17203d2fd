// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "preprocess/builders.hpp"

namespace fuseq::preprocess {

OutputBuilder::OutputBuilder(const OutputInfo& info, Model& model, std::size_t index)
    : info_(info), model_(model), index_(index) {}

// The output of the model keeps its names: the last step has them now, unless they are those of
// another output or of an input too.
void OutputBuilder::take_names(const Output& source, const Output& result) const {
    const auto& uses = source.node->port(source.index).uses;
    const bool shared = std::any_of(uses.begin(), uses.end(),
                                    [](const Use& use) { return use.node->is("Result"); });
    if (shared || source.node->is("Parameter")) {
        return;
    }
    auto& names = source.node->port(source.index).names;
    result.node->port(result.index).names.merge(names);
    names.clear();
    if (source.node->output_count() == 1) {
        const std::string name = source.node->name();
        source.node->set_name(model_.unique_name(name + "/before_postprocess"));
        result.node->set_name(name);
    } else {
        result.node->set_name(source.node->name() + "." + std::to_string(source.index));
    }
}

void OutputBuilder::build() {
    Node* result = model_.results()[index_];
    const Output source = result->input(0);
    StepState state;
    state.model = &model_;
    state.name = "output '" + source.get_any_name() + "'";
    state.base = source.node->name() + "/postprocess";
    state.tensors = {source};
    state.layout = info_.model_.layout_;
    state.target_type = info_.tensor_.type_.value_or(source.type());
    state.target_layout = info_.tensor_.layout_;
    const PartialShape& shape = source.partial_shape();
    for (const Layout& layout : {state.layout, state.target_layout}) {
        if (layout.rank() && shape.rank_is_static() && *layout.rank() != shape.rank()) {
            state.fail("the layout ", layout.to_string(), " is one of ", *layout.rank(),
                       " dimensions, the shape is ", fuseq::to_string(shape));
        }
    }
    for (const Step& step : info_.steps_.steps_) {
        step.run(state);
    }
    if (!state.target_layout.empty() && !state.layout.empty() &&
        state.target_layout != state.layout) {
        convert_layout_step(Layout())(state);
    }
    if (info_.tensor_.type_) {
        convert_type_step(ElementType::undefined)(state);
    }
    const Output last = state.tensors[0];
    if (last != source) {
        result->set_input(0, last);
        take_names(source, last);
    }
}

}  // namespace fuseq::preprocess
