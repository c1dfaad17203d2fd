// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes for code whose vectors must stay in registers: out of line, a lambda would take their
// addresses and force them into memory.
#pragma once

#define FUSEQ_INLINE inline __attribute__((always_inline))
#define FUSEQ_LAMBDA __attribute__((always_inline))
// In functions of Highway's targets; after hwy/highway.h.
#define FUSEQ_HWY_LAMBDA HWY_ATTR __attribute__((always_inline))
