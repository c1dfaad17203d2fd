// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operators can be read, and how: one file of ops/ a family, each with a list.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// The outputs of the operator. Throws Error naming the rule.
using Translate = Values (*)(Operator&);

struct OperatorRow {
    std::string_view type;  // as the format's list spells it, or the custom operator
    int newest;             // version that is read; a newer one may mean something else
    Translate translate;
    std::string_view note = "";  // for docs/tflite.md: what is refused, or how it is read
    bool custom = false;         // of a custom operator, by its name
    // Of variables: reads or makes a handle, and gives no values but READ_VARIABLE's.
    bool handles = false;
};

// All rows, sorted by type.
std::span<const OperatorRow* const> all_operators();
// Null where there is none.
const OperatorRow* find_operator(std::string_view type);
// The name of a builtin operator; empty for a number that the format does not have.
std::string_view builtin_name(std::int32_t code);
inline constexpr std::int32_t kCustomCode = 32;

#define FUSEQ_TFLITE_FILE(name)              \
    namespace name##_operators {             \
        std::span<const OperatorRow> rows(); \
    }
#include "readers/tflite/op_files.inc"
#undef FUSEQ_TFLITE_FILE

}  // namespace fuseq::tflite_reader
