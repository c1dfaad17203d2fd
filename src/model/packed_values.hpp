// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of packed types (u1, u2, u4, i4, nf4) as values of their unpacked_type, and back. The
// first element lies in the lowest bits of the first byte; of u1 in the highest.
#pragma once

#include <cstddef>

#include "fuseq/element_type.hpp"

namespace fuseq {

// The range of a packed integer type, both ends included.
struct PackedRange {
    int low = 0;
    int high = 0;
};
PackedRange packed_range(ElementType type);

// `source` begins with a whole byte; `values` has room for `count` values of unpacked_type(type).
void unpack_values(ElementType type, const void* source, std::size_t count, void* values);
// Integers are clamped to the range of the type; nf4 takes the nearest of its values, from the
// middle the lower one (NaN: the lowest). Bits after the last element are 0.
void pack_values(ElementType type, const void* values, std::size_t count, void* destination);

}  // namespace fuseq
