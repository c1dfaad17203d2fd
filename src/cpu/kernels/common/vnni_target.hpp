// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The instruction sets of kernels written with intrinsics: all that Highway's AVX-512 target has,
// and VNNI. One list, because a function is inlined only where its instruction sets are available.
#pragma once

// clang-format off
#define FUSEQ_BEGIN_VNNI       \
    _Pragma("GCC push_options") \
    _Pragma("GCC target(\"bmi,bmi2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni\")")
#define FUSEQ_END_VNNI _Pragma("GCC pop_options")
// clang-format on

// GCC's inline assembly for vectors of these sets. clang, which reads the code for clang-tidy,
// refuses them where the file as a whole is compiled for less.
#ifdef __clang__
#define FUSEQ_VECTOR_ASM 0
#else
#define FUSEQ_VECTOR_ASM 1
#endif
