// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ov::preprocess: the classes of fuseq::preprocess, whose functions have the same names, over
// ov::Model. custom() steps are absent: they build graphs.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "fuseq/preprocess.hpp"
#include "openvino/core/absent.hpp"
#include "openvino/core/model.hpp"
#include "openvino/core/preprocess/color_format.hpp"

namespace ov::preprocess {

using fuseq::preprocess::InputInfo;
using fuseq::preprocess::InputModelInfo;
using fuseq::preprocess::InputTensorInfo;
using fuseq::preprocess::OutputInfo;
using fuseq::preprocess::OutputModelInfo;
using fuseq::preprocess::OutputTensorInfo;
using fuseq::preprocess::PostProcessSteps;
using fuseq::preprocess::PreProcessSteps;

class PrePostProcessor {
public:
    explicit PrePostProcessor(const std::shared_ptr<Model>& model)
        : model_(model), own_(model->own()) {}

    InputInfo& input() {
        return detail::guarded([&]() -> InputInfo& { return own_.input(); });
    }
    InputInfo& input(std::size_t index) {
        return detail::guarded([&]() -> InputInfo& { return own_.input(index); });
    }
    InputInfo& input(const std::string& name) {
        return detail::guarded([&]() -> InputInfo& { return own_.input(name); });
    }
    OutputInfo& output() {
        return detail::guarded([&]() -> OutputInfo& { return own_.output(); });
    }
    OutputInfo& output(std::size_t index) {
        return detail::guarded([&]() -> OutputInfo& { return own_.output(index); });
    }
    OutputInfo& output(const std::string& name) {
        return detail::guarded([&]() -> OutputInfo& { return own_.output(name); });
    }
    std::shared_ptr<Model> build() {
        detail::guarded([&] { own_.build(); });
        return model_;
    }
    friend std::ostream& operator<<(std::ostream& out, const PrePostProcessor& processor) {
        return out << processor.own_.to_string();
    }

private:
    std::shared_ptr<Model> model_;
    fuseq::preprocess::PrePostProcessor own_;
};

}  // namespace ov::preprocess
