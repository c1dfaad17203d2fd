// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a model with open dimensions, run once for all shapes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/compile/config.hpp"
#include "cpu/compile/transformed.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Runs the passes on the open model, and afterwards only puts shapes into what they made of it. A
// rewrite of the open model holds for all shapes, but where a dimension is known a pass may find more
// to do. Shapes are therefore of kinds (an open dimension is 0, 1, as large as another one, or none
// of these). Of each kind the first shapes are transformed in both ways; only where the two models
// are equal, others of that kind go the short way. Where kernels move over open dimensions (a picture
// of any height), borders depend on the numbers, and the passes run for all shapes. Not thread-safe.
class OpenPasses {
public:
    // What the passes make of the model with these shapes (with_shapes()). The same open model,
    // configuration and constants in all calls.
    Transformed transform(const Model& open,
                          const std::vector<Shape>& shapes,
                          const Config& config,
                          ConstantCache& constants);
    // How often the list of passes has run.
    std::size_t runs() const { return runs_; }

private:
    using Kind = std::vector<std::size_t>;

    Transformed run(std::shared_ptr<Model> model, const Config& config, ConstantCache& constants);
    void run_on_open(const Model& open, const Config& config, ConstantCache& constants);
    Transformed with(const std::vector<Shape>& shapes,
                     const Config& config,
                     ConstantCache& constants) const;
    // The model that with() gives, if that is `expected`; else null.
    std::shared_ptr<Model> same_as(const Model& expected,
                                   const std::vector<Shape>& shapes,
                                   const Config& config,
                                   ConstantCache& constants) const;

    std::optional<Transformed> of_open_;  // none: not run yet, or they do not take open dimensions
    bool run_on_open_ = false;
    std::map<Kind, bool> short_way_;
    std::size_t runs_ = 0;
};

// The model with these shapes of its inputs, then of its variables, which are inputs and outputs of
// the result (ops/state/separate_state.hpp). Throws Error where a layer does not take them.
std::shared_ptr<Model> with_shapes(const Model& model, const std::vector<Shape>& shapes);

}  // namespace fuseq::cpu
