// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cpu/machine/traits.hpp"

namespace fuseq::cpu {

// Parts of machine_traits() (traits.hpp), without asking for the others.
//
// The instruction set that oneDNN uses on this machine, as limited by DNNL_MAX_CPU_ISA:
// "avx512_core_vnni".
std::string effective_isa();
IsaLevel isa_level();
// Whether int8 kernels add products in 32 bits.
bool int8_accumulates_exactly();

}  // namespace fuseq::cpu
