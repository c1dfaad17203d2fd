// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From the nets of a file to a Model.
#pragma once

#include <functional>
#include <memory>

#include "fuseq/model.hpp"
#include "readers/caffe2/net_file.hpp"

namespace fuseq::caffe2_reader {

struct ImportOptions {
    std::string predict_file;  // for messages; empty when the model is in memory
    std::string init_file;
    std::map<std::string, InputInfo> inputs = {};  // as far as known
    std::function<void(const std::string&)> on_warning = {};
};

// Types and shapes are inferred. Throws Error naming file, operator, tensor and rule.
std::shared_ptr<Model> import_model(std::string_view predict_net,
                                    std::string_view init_net,
                                    const ImportOptions& options);

}  // namespace fuseq::caffe2_reader
