// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operators can be read, and how: one file of ops/ a family, each with a list.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// The outputs of the node, as many as the translation gives at most; null ones where the Model has
// no such output. Throws Error naming the rule.
using Translate = std::vector<Output> (*)(Operator&);

struct OperatorRow {
    std::string_view type;
    int since;  // operator set that introduced this form; the next row of the type ends it
    Translate translate;
    std::string_view domain = "";
    std::string_view note = "";  // for docs/onnx.md: what is refused, or how it is read
    bool sequences = false;      // input 0 is a sequence
};

// All rows, sorted by domain, type and since.
std::span<const OperatorRow* const> all_operators();
// The newest form not newer than `version`; null where there is none.
const OperatorRow* find_operator(std::string_view domain, std::string_view type, int version);

#define FUSEQ_ONNX_FILE(name)                \
    namespace name##_operators {             \
        std::span<const OperatorRow> rows(); \
    }
#include "readers/onnx/op_files.inc"
#undef FUSEQ_ONNX_FILE

}  // namespace fuseq::onnx_reader
