// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the passes make of a model, ready to be planned.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cpu/compile/config.hpp"
#include "cpu/steps/plan_tensor.hpp"
#include "fuseq/model.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

struct Transformed {
    std::shared_ptr<Model> model;
    std::map<std::string, FakeQuantizeResult> ranges;  // of the FakeQuantize layers of the original
    std::vector<Remark> remarks;
    // The passes did not run for these shapes (open_passes.hpp); who asks what they say runs them.
    bool remarks_left_out = false;
    bool copy_of_open = false;  // the model is one of what they made of the open model
};

// Runs the passes on a copy. The same model and configuration give the same result. `constants`:
// what other plans of the same model computed; null: there are none.
Transformed transform_for_cpu(const Model& original,
                              const Config& config,
                              ConstantCache* constants = nullptr);

// The same without a copy: the passes run on the model itself.
Transformed transform_in_place(std::shared_ptr<Model> model,
                               const Config& config,
                               ConstantCache* constants = nullptr);

// On what they made of an open model, when its shapes are known: constants that follow from the
// shapes, and what such constants make superfluous.
void run_passes_of_shapes(Model& model, const Config& config, ConstantCache* constants);

// What it begins with: nothing was made of the FakeQuantize layers yet.
std::shared_ptr<Model> with_common_passes(const Model& original, const Config& config);

}  // namespace fuseq::cpu
