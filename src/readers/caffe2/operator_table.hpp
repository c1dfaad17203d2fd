// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operators can be read, and how: one file of ops/ a family, each with a list.
#pragma once

#include <span>
#include <string_view>

#include "readers/caffe2/operator.hpp"

namespace fuseq::caffe2_reader {

// The outputs of the operator. Throws Error naming the rule.
using Translate = Values (*)(Operator&);

struct OperatorRow {
    std::string_view type;
    Translate translate;
    std::string_view note = "";  // for docs/caffe2.md: what is refused, or how it is read
};

// All rows, sorted by type.
std::span<const OperatorRow* const> all_operators();
// Null where there is none.
const OperatorRow* find_operator(std::string_view type);

#define FUSEQ_CAFFE2_FILE(name)              \
    namespace name##_operators {             \
        std::span<const OperatorRow> rows(); \
    }
#include "readers/caffe2/op_files.inc"
#undef FUSEQ_CAFFE2_FILE

}  // namespace fuseq::caffe2_reader
