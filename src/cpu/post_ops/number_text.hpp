// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers and names in the texts of chains and emissions.
#pragma once

#include <charconv>
#include <string>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::post_ops {

// The shortest text that reads back as the same float.
inline std::string number_text(float value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
    return {buffer, end.ptr};
}

}  // namespace fuseq::post_ops
