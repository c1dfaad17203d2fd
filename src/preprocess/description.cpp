// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "preprocess/builders.hpp"

namespace fuseq::preprocess {
namespace {

// "u8[1,2] [N,C] BGR"
std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += part.empty() ? "" : (text.empty() ? "" : " ") + part;
    }
    return text;
}

std::string with_steps(std::string text, const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        text += " -> " + step.text;
    }
    return text;
}

std::string typed(const Output& port) {
    return fuseq::to_string(port.type()) + fuseq::to_string(port.partial_shape());
}

}  // namespace

std::string Description::of(const InputInfo& info, const Output& input) {
    const InputTensorInfo& tensor = info.tensor_;
    const std::string given =
        joined({fuseq::to_string(tensor.type_.value_or(input.type())),
                tensor.shape_ ? fuseq::to_string(*tensor.shape_) : "", tensor.layout_.to_string(),
                tensor.spatial_ ? "height and width " + fuseq::to_string(*tensor.spatial_) : "",
                tensor.color_ == ColorFormat::UNDEFINED ? "" : to_string(tensor.color_)});
    return with_steps("input '" + input.get_any_name() + "': " + given, info.steps_.steps_) +
           " -> " + joined({typed(input), info.model_.layout_.to_string()});
}

std::string Description::of(const OutputInfo& info, const Output& output) {
    const std::string model = "output '" + output.get_any_name() +
                              "': " + joined({typed(output), info.model_.layout_.to_string()});
    return with_steps(model, info.steps_.steps_) + " -> " +
           joined({fuseq::to_string(info.tensor_.type_.value_or(output.type())),
                   info.tensor_.layout_.to_string()});
}

}  // namespace fuseq::preprocess
