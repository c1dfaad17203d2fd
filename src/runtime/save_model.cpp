// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/save_model.hpp"

#include "fuseq/error.hpp"
#include "ir/ir.hpp"

namespace fuseq {

void save_model(const Model& model,
                const std::string& xml,
                const std::string& bin,
                int ir_version) {
    if (!xml.ends_with(".xml")) {
        throw Error("write", "'" + xml + "' does not end in .xml, as the file of an IR does");
    }
    write_ir(model, xml, bin, {.version = ir_version});
}

}  // namespace fuseq
