// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/traits.hpp"

#include <gtest/gtest.h>

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa_limit.hpp"

namespace fuseq::cpu {
namespace {

MachineTraits other_machine(bool vnni) {
    MachineTraits traits;
    traits.isa = vnni ? IsaLevel::kAvx512Vnni : IsaLevel::kAvx2;
    traits.avx512_vnni = traits.avx512_vbmi = vnni;
    traits.one_wide_load_a_cycle = vnni;
    traits.two_loads_a_cycle = vnni;
    traits.other_cores_lines_are_slow = !vnni;
    traits.avx_vnni = vnni;
    traits.avx_vnni_in_evex = !vnni;
    traits.tile_bytes = vnni ? 1024 : 2048;
    return traits;
}

// Everything that can be asked of the machine, in one line.
std::string answers() {
    const MachineTraits traits = machine_traits();
    std::string text = traits.text();
    for (const std::size_t value :
         {static_cast<std::size_t>(isa_level()), static_cast<std::size_t>(traits.isa),
          std::size_t{int8_accumulates_exactly()}, std::size_t{kernels::has_avx512_vnni()},
          std::size_t{kernels::has_avx512_vbmi()}, std::size_t{kernels::has_avx_vnni()},
          std::size_t{kernels::has_avx_vnni_in_evex()},
          std::size_t{kernels::loads_one_wide_vector_a_cycle()},
          std::size_t{kernels::loads_two_vectors_a_cycle()},
          std::size_t{kernels::other_cores_lines_are_slow()}}) {
        text += " " + std::to_string(value);
    }
    return text;
}

TEST(MachineTraits, AScopeReplacesAllOfThem) {
    for (const bool vnni : {false, true}) {
        const ScopedMachineTraits scope(other_machine(vnni));
        EXPECT_EQ(answers(),
                  vnni
                      ? "avx512_vnni, VBMI, AVX-VNNI, one wide load a cycle, two loads a cycle, "
                        "fast lines of other cores, tiles of 1 KiB, L2 of 2048 KiB 4 4 1 1 1 1 0 1 "
                        "1 0"
                      : "avx2, AVX-VNNI in EVEX, tiles of 2 KiB, L2 of 2048 KiB 1 1 0 0 0 0 1 0 0 "
                        "1");
    }
}

TEST(MachineTraits, ScopesNestAndEnd) {
    const std::string before = answers();
    {
        const ScopedMachineTraits outer(other_machine(true));
        const std::string with_outer = answers();
        {
            const ScopedMachineTraits inner(other_machine(false));
            EXPECT_NE(answers(), with_outer);
        }
        EXPECT_EQ(answers(), with_outer);
    }
    EXPECT_EQ(answers(), before);
}

TEST(MachineTraits, OfThisMachineAgreeWithEachOther) {
    const MachineTraits traits = machine_traits();
    EXPECT_EQ(traits.avx512_vnni, includes(traits.isa, IsaLevel::kAvx512Vnni));
    EXPECT_EQ(traits.amx_int8, traits.isa == IsaLevel::kAvx512Amx);
    EXPECT_LE(traits.avx512_bf16, traits.avx512_vnni);
    EXPECT_LE(traits.avx_vnni, includes(traits.isa, IsaLevel::kAvx2Vnni));
    EXPECT_EQ(traits.isa == IsaLevel::kAvx2Vnni,
              !traits.avx512_vnni && (traits.avx_vnni || traits.avx_vnni_in_evex));
    EXPECT_LE(traits.avx512_vbmi, traits.avx512_vnni);
    EXPECT_GE(traits.tile_bytes, std::size_t{256} << 10);
    EXPECT_LE(traits.tile_bytes, std::size_t{2} << 20);
}

}  // namespace
}  // namespace fuseq::cpu
