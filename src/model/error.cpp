// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/error.hpp"

namespace fuseq {

std::string Error::compose(const Info& info) {
    std::ostringstream out;
    out << info.stage;
    if (!info.file.empty()) {
        out << " '" << info.file << "'";
    }
    out << ": ";
    if (!info.layer_id.empty() || !info.layer.empty()) {
        out << "layer ";
        if (!info.layer_id.empty()) {
            out << info.layer_id << ' ';
        }
        out << "'" << info.layer << "'";
        if (!info.op.empty()) {
            out << " (" << info.op << ")";
        }
        out << ": ";
    }
    out << info.rule;
    return out.str();
}

}  // namespace fuseq
