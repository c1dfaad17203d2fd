// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/save_model.hpp"

#include "ir/ir.hpp"

namespace fuseq {

void save_model(const Model& model, const std::string& xml_path, const std::string& bin_path) {
    write_ir(model, xml_path, bin_path);
}

}  // namespace fuseq
