// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A ModelProto to a Model. Value names become tensor names, names of nodes (of their first outputs
// where they have none) become names of layers.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "fuseq/model.hpp"

namespace onnx {
class ModelProto;
}

namespace fuseq::onnx_reader {

// Operator sets of ai.onnx that are read.
constexpr int kOldestOpset = 1;
constexpr int kNewestOpset = 23;

struct ImportOptions {
    std::string file;              // for messages; empty when in memory
    std::filesystem::path folder;  // where external data lie
    std::function<void(const std::string&)> on_warning;
};

// Throws Error (stage "read").
std::shared_ptr<Model> import_model(const ::onnx::ModelProto& proto, const ImportOptions& options);

}  // namespace fuseq::onnx_reader
