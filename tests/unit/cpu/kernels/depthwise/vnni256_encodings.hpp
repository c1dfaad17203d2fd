// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Dot products of bytes in 256 bits in the encodings that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/traits.hpp"

namespace fuseq::test {

// Runs body with each encoding; false: the machine has none of them.
inline bool with_each_encoding(const std::function<void()>& body) {
    const bool has_vex = kernels::has_avx_vnni();
    const bool has_evex = kernels::has_avx512_vnni() || kernels::has_avx_vnni_in_evex();
    for (const bool vex : {true, false}) {
        if (vex ? !has_vex : !has_evex) {
            continue;
        }
        SCOPED_TRACE(vex ? "VEX" : "EVEX");
        cpu::MachineTraits traits = cpu::machine_traits();
        traits.isa = cpu::IsaLevel::kAvx2Vnni;
        traits.avx512_vnni = false;
        traits.avx_vnni = vex;
        traits.avx_vnni_in_evex = !vex;
        const cpu::ScopedMachineTraits scope(traits);
        body();
    }
    return has_vex || has_evex;
}

}  // namespace fuseq::test
