// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What OpenVINO's operation sets contain, supported here or not.
#pragma once

#include <span>
#include <string_view>

#include "ops/op_spec.hpp"

namespace fuseq {

inline constexpr int kNewestOpset = 16;

// What a layer names as its version when its operation is one of Fuseq's own (OpSpec::own_set).
inline constexpr std::string_view kOwnSet = "fuseq";

// An operation in one of its forms. opsets.inc says what the members mean.
struct OpsetForm {
    std::string_view type;
    int version;
    int first;
    int last;

    // The lowest opset that an IR may name for this form: most exporters write the first opset that
    // contains it, some the version of its class, and for the oldest classes opset1.
    int lowest() const { return version < 1 ? 1 : version < first ? version : first; }
};

// Sorted by type and version.
std::span<const OpsetForm> opset_forms();

// The form that a layer of that opset has: the newest one, also where later opsets no longer
// contain it. Null when there is none.
const OpsetForm* find_opset_form(std::string_view type, int opset);
// The row of the registry for a form, and the form of a row; null when there is none.
const OpSpec* find_op(const OpsetForm& form);
const OpsetForm* opset_form_of(const OpSpec& spec);

}  // namespace fuseq
