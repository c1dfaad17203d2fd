// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a model with one output computes, by the reference plugin.
#pragma once

#include <memory>
#include <vector>

#include "fuseq/core.hpp"

namespace fuseq::test {

inline std::vector<float> run_reference(const std::shared_ptr<const Model>& model,
                                        const Tensor& input) {
    InferRequest request = Core().compile_model(model, "REFERENCE").create_infer_request();
    request.set_input_tensor(input);
    request.infer();
    return to_floats(request.get_output_tensor());
}

}  // namespace fuseq::test
