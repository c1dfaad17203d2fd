// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/preprocess.hpp"

#include <fmt/core.h>

#include "preprocess/builders.hpp"

namespace fuseq::preprocess {
namespace {

template <class Infos>
auto& only(Infos& infos, const char* what) {
    if (infos.size() != 1) {
        throw Error("preprocess", fmt::format("the model has {} {}s; state an index or a name",
                                              infos.size(), what));
    }
    return infos[0];
}

template <class Infos>
auto& at(Infos& infos, std::size_t index, const char* what) {
    if (index >= infos.size()) {
        throw Error("preprocess",
                    fmt::format("there is no {} {}; the model has {}", what, index, infos.size()));
    }
    return infos[index];
}

void apply(const std::deque<InputInfo>& inputs,
           const std::deque<OutputInfo>& outputs,
           Model& model) {
    // From the last one: an input that becomes several moves those after it.
    for (std::size_t i = inputs.size(); i-- > 0;) {
        InputBuilder(inputs[i], model, i).build();
    }
    model.validate();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        OutputBuilder(outputs[i], model, i).build();
    }
    model.validate();
}

}  // namespace

PrePostProcessor::PrePostProcessor(std::shared_ptr<Model> model) : model_(std::move(model)) {
    if (model_ == nullptr) {
        throw Error("preprocess", "the model is null");
    }
    inputs_.resize(model_->parameters().size());
    outputs_.resize(model_->results().size());
}

InputInfo& PrePostProcessor::input() {
    return only(inputs_, "input");
}
InputInfo& PrePostProcessor::input(std::size_t index) {
    return at(inputs_, index, "input");
}
InputInfo& PrePostProcessor::input(std::string_view name) {
    return inputs_[model_->input_index(name)];
}
OutputInfo& PrePostProcessor::output() {
    return only(outputs_, "output");
}
OutputInfo& PrePostProcessor::output(std::size_t index) {
    return at(outputs_, index, "output");
}
OutputInfo& PrePostProcessor::output(std::string_view name) {
    return outputs_[model_->output_index(name)];
}

std::string PrePostProcessor::to_string() const {
    std::string text;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        text += Description::of(inputs_[i], model_->input(i)) + "\n";
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        text += Description::of(outputs_[i], model_->output(i)) + "\n";
    }
    return text;
}

std::shared_ptr<Model> PrePostProcessor::build() {
    // What is refused is refused on a copy.
    apply(inputs_, outputs_, *model_->clone());
    apply(inputs_, outputs_, *model_);
    return model_;
}

}  // namespace fuseq::preprocess
