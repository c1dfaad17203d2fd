// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// AMX's instructions on tiles of bytes, as assembly: clang, which reads the code for clang-tidy, has
// no pragma for their intrinsics. Numbers of registers are literals.
#pragma once

#include <cstddef>

// clang-format off
#define FUSEQ_BEGIN_AMX         \
    _Pragma("GCC push_options") \
    _Pragma("GCC target(\"amx-tile,amx-int8\")")
#define FUSEQ_END_AMX _Pragma("GCC pop_options")
// clang-format on

// Rows of a tile, `step` bytes apart.
#define FUSEQ_TILE_LOAD(tile, from, step)                                                  \
    asm volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(static_cast<const void*>(from)), \
                 "r"(static_cast<std::size_t>(step))                                       \
                 : "memory")
#define FUSEQ_TILE_STORE(tile, to, step)                                               \
    asm volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(static_cast<void*>(to)), \
                 "r"(static_cast<std::size_t>(step))                                   \
                 : "memory")
// sums += pixels * weights; pixels are i8 (is_signed, a constant) or u8.
#define FUSEQ_TILE_PRODUCT(is_signed, sums, pixels, weights)                             \
    do {                                                                                 \
        if constexpr (is_signed) {                                                       \
            asm volatile("tdpbssd %%tmm" #weights ", %%tmm" #pixels ", %%tmm" #sums ::); \
        } else {                                                                         \
            asm volatile("tdpbusd %%tmm" #weights ", %%tmm" #pixels ", %%tmm" #sums ::); \
        }                                                                                \
    } while (false)
#define FUSEQ_TILE_CONFIGURE(config) asm volatile("ldtilecfg %0" ::"m"(*(config)) : "memory")
#define FUSEQ_TILE_RELEASE() asm volatile("tilerelease" ::)
