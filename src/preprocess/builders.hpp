// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What was stated about one input or output: into a model, and as text.
#pragma once

#include "preprocess/step_state.hpp"

namespace fuseq::preprocess {

class InputBuilder {
public:
    InputBuilder(const InputInfo& info, Model& model, std::size_t index);
    // Inputs after this one move on when it becomes several.
    void build();

private:
    Layout model_layout() const;
    Layout tensor_layout(const Layout& model_layout) const;
    PartialShape tensor_shape(const Layout& model_layout, const Layout& tensor_layout) const;
    std::vector<PartialShape> plane_shapes(const Layout& model_layout) const;
    void set_planes(const std::vector<PartialShape>& shapes);
    void check_result() const;

    const InputInfo& info_;
    Model& model_;
    std::size_t index_;
    StepState state_;
};

class OutputBuilder {
public:
    OutputBuilder(const OutputInfo& info, Model& model, std::size_t index);
    void build();

private:
    void take_names(const Output& source, const Output& result) const;

    const OutputInfo& info_;
    Model& model_;
    std::size_t index_;
};

// What was stated, as text.
class Description {
public:
    static std::string of(const InputInfo& info, const Output& input);
    static std::string of(const OutputInfo& info, const Output& output);
};

}  // namespace fuseq::preprocess
