// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::test {

// The model, saved as an IR and read again: the same nodes and constants, and on the device, from
// one inference to the next, the same bytes. `runs`: inputs, a list an inference.
void expect_same_when_saved(const std::shared_ptr<Model>& model,
                            const std::vector<std::vector<Tensor>>& runs,
                            const std::string& device);

// The same on both devices, of a model with one f32 input, whose values are counted up.
void expect_same_when_saved(const std::shared_ptr<Model>& model);

}  // namespace fuseq::test
