// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of rows and segments that a model states as a value.
#pragma once

#include <cstdint>
#include <string_view>

#include "ops/op_spec.hpp"

namespace fuseq {

// A number that becomes a size, as a value in [0, 2^24].
template <class Context>
std::int64_t checked_count(const Context& context, std::int64_t count, std::string_view what) {
    constexpr std::int64_t kMost = 1 << 24;
    context.require(count >= 0 && count <= kMost, what, " is ", count, ", expected a value in [0, ",
                    kMost, "]");
    return count;
}

}  // namespace fuseq
