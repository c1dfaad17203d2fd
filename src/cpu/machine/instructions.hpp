// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which instructions the kernels written with intrinsics may use. The answers follow the target
// that Highway has chosen for the process, so that a test which restricts the targets restricts
// these too; they cost a load, where asking the machine is a CPUID, which a virtual machine has to
// trap.
#pragma once

namespace fuseq::kernels {

// AVX2 with fused multiply-adds.
bool has_avx2();
// AVX-512 (F, BW, DQ, VL) with VNNI.
bool has_avx512_vnni();
// The same with VBMI.
bool has_avx512_vbmi();
// AMX for bytes, with AVX-512 VNNI, which this process may use: the first call asks Linux for it.
bool has_amx_int8();
// AVX-512 that loads one vector of 512 bits a cycle and not two: AMD Zen 4, whose units have 256
// bits. A loop that reads an operand of every dot product from memory is bound by that.
bool loads_one_wide_vector_a_cycle();
// Two vectors of 256 bits are loaded a cycle and not three: all of AMD's. A dot product that reads an
// operand from memory waits for it there.
bool loads_two_vectors_a_cycle();
// Cores wait for cache lines that another one has written (15 to 25 GB/s on Intel's, which write to
// such lines no faster), so that threads should go on with what they have written themselves.
// AMD Zen 4 reads them at 64 GB/s and more.
bool other_cores_lines_are_slow();

}  // namespace fuseq::kernels
