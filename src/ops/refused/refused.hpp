// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/op_spec.hpp"

namespace fuseq {

// In OpSpec::refused: the operation is known by name only. Its summary is the reason.
inline constexpr std::string_view kAlwaysRefused = "always";

inline bool always_refused(const OpSpec& spec) {
    return spec.refused == kAlwaysRefused;
}

}  // namespace fuseq
