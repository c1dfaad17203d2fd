// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory from the system on pages of 2 MB, where it has any: for what kernels stream through.
#pragma once

#include <cstddef>

namespace fuseq {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Zeroed, begins at a multiple of kHugePage. A rest of `bytes` after the last whole page of that
// size lies on small ones; so does everything where the system has no others. Null where there is
// no such memory.
void* map_huge_pages(std::size_t bytes) noexcept;
// `bytes` as they were asked for.
void unmap_huge_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace fuseq
