// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models with inputs and the outputs of TFLite 2.9 (built-in kernels), as make_cases.py wrote them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"

namespace fuseq::test {

struct TfliteCase {
    std::string name;
    nlohmann::json model;                      // by the names of the schema
    std::vector<std::vector<Tensor>> inputs;   // a list a run
    std::vector<std::vector<Tensor>> outputs;  // likewise
    double tolerance = 0;                      // of real outputs, relative to the largest magnitude
    std::size_t steps = 0;                     // that integers may differ by
};

// All cases of the folder, in the order of files and lines.
std::vector<TfliteCase> tflite_cases();

// The file that the JSON describes.
std::string tflite_bytes(const nlohmann::json& model);

std::shared_ptr<Model> read_tflite(const std::string& bytes, const std::string& file = "m.tflite");

// Message of the Error that the function throws; empty when none.
template <class Function>
std::string error_text(Function function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace fuseq::test
