// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A verified file to a Model.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fuseq/model.hpp"
#include "readers/tflite/tensor_info.hpp"

namespace fuseq::tflite_reader {

struct ImportOptions {
    std::string file;  // for messages; empty when the model is in memory
    std::function<void(const std::string&)> on_warning;
};

// All types and shapes are inferred. Throws Error naming the file, the operator, the tensor and the
// rule.
std::shared_ptr<Model> import_model(const FileBytes& file, const ImportOptions& options);

}  // namespace fuseq::tflite_reader
