// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs that another runtime was recorded with, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq::test {

// A list of tensors a run; each {"type", "shape", "values"}. Values that JSON has no numbers for
// are texts.
std::vector<std::vector<Tensor>> recorded_runs(const nlohmann::json& runs);
std::string whole_text(const std::string& path);

// How far apart values may be.
struct Closeness {
    double tolerance = 0;   // of reals, relative to the largest magnitude
    std::size_t steps = 0;  // of integers
};
// Adds a failure that names `peer` for each of the first elements that differ.
void compare_recorded(const Tensor& actual,
                      const Tensor& expected,
                      const Closeness& allowed,
                      const std::string& peer);

}  // namespace fuseq::test
