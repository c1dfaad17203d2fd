// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a symbol and its parameters to a Model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fuseq/model.hpp"

namespace fuseq::mxnet_reader {

struct ImportOptions {
    std::string symbol_file;  // for messages; empty when the model is in memory
    std::string params_file;
    std::function<void(const std::string&)> on_warning = {};
};

// Types and shapes are inferred. Throws Error naming file, operator, tensor and rule.
std::shared_ptr<Model> import_model(std::string_view symbol,
                                    std::string_view params,
                                    const ImportOptions& options);

}  // namespace fuseq::mxnet_reader
