// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which level of instructions this process may use: one limit for oneDNN, Highway's targets and the
// kernels written with intrinsics. It comes from the property FUSEQ_MAX_ISA, else the environment
// variable of that name, and oneDNN's own DNNL_MAX_CPU_ISA (or ONEDNN_MAX_CPU_ISA) lowers it
// further. Highway follows at once, from the moment the library is loaded; oneDNN takes a limit
// once, before it is first used, so that nothing can be changed after the first compilation.
//
// The limit holds for other users of Highway in the process too.
#pragma once

#include <string>

#include "cpu/machine/isa.hpp"

namespace fuseq::cpu {

// Properties of the device. The limit is of the process and no model's own.
inline constexpr const char* kMaxIsa = "FUSEQ_MAX_ISA";
inline constexpr const char* kIsa = "FUSEQ_ISA";  // read-only: the level in use

// The level in use: the highest that the machine has and the limit includes.
IsaLevel isa_level();
// Whether oneDNN's int8 kernels add products in 32 bits at that level; else neighbouring products
// saturate at 16 bits.
bool int8_accumulates_exactly();
// Whether oneDNN may use instructions for bf16 that the machine has: DNNL_MAX_CPU_ISA can tell them
// from VNNI.
bool may_use_bf16();

// What was asked for; the highest level is no limit.
IsaLevel max_isa();
// Property FUSEQ_MAX_ISA. Throws Error("property") after fix_isa_level(), where the limit asked for
// is not the one there is. Not while models run.
void set_max_isa(IsaLevel limit);

// Gives the limit to oneDNN; isa_level() does not change after that. To be called before oneDNN is
// used; calls after the first do nothing. Thread-safe. Throws Error("property") for an environment
// variable with a wrong value, and where somebody else has used oneDNN with more instructions
// before.
void fix_isa_level();

// The limit that a value of DNNL_MAX_CPU_ISA stands for, in any case. oneDNN ignores values that it
// does not know, and so does this: no limit.
struct OnednnLimit {
    IsaLevel level = IsaLevel::kAvx512Amx;
    bool bf16 = true;
};
OnednnLimit onednn_limit(const std::string& value);

}  // namespace fuseq::cpu
