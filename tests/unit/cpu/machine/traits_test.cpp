// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/traits.hpp"

#include <gtest/gtest.h>

#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa.hpp"

namespace fuseq::cpu {
namespace {

MachineTraits other_machine(bool vnni) {
    MachineTraits traits;
    traits.isa = vnni ? IsaLevel::kVnni : IsaLevel::kAvx2;
    traits.isa_name = vnni ? "avx512_core_vnni" : "avx2";
    traits.avx512_vnni = traits.avx512_vbmi = vnni;
    traits.one_wide_load_a_cycle = vnni;
    traits.other_cores_lines_are_slow = !vnni;
    traits.tile_bytes = vnni ? 1000 : 2000;
    return traits;
}

// Everything that can be asked of the machine, in one line.
std::string answers() {
    const MachineTraits traits = machine_traits();
    std::string text = effective_isa() + " " + traits.isa_name;
    for (const std::size_t value :
         {static_cast<std::size_t>(isa_level()), static_cast<std::size_t>(traits.isa),
          traits.tile_bytes, std::size_t{int8_accumulates_exactly()},
          std::size_t{kernels::has_avx512_vnni()}, std::size_t{kernels::has_avx512_vbmi()},
          std::size_t{kernels::loads_one_wide_vector_a_cycle()},
          std::size_t{kernels::other_cores_lines_are_slow()}}) {
        text += " " + std::to_string(value);
    }
    return text;
}

TEST(MachineTraits, AScopeReplacesAllOfThem) {
    for (const bool vnni : {false, true}) {
        const ScopedMachineTraits scope(other_machine(vnni));
        EXPECT_EQ(answers(), vnni ? "avx512_core_vnni avx512_core_vnni 3 3 1000 1 1 1 1 0"
                                  : "avx2 avx2 1 1 2000 0 0 0 0 1");
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

// A level that cannot be: what oneDNN calls VNNI has AVX-512.
TEST(MachineTraits, OfThisMachineAgreeWithEachOther) {
    const MachineTraits traits = machine_traits();
    EXPECT_EQ(traits.isa == IsaLevel::kVnni, traits.isa_name.starts_with("avx512_core_"))
        << traits.isa_name;
    EXPECT_LE(traits.avx512_vbmi, traits.avx512_vnni);
    EXPECT_GE(traits.tile_bytes, std::size_t{256} << 10);
    EXPECT_LE(traits.tile_bytes, std::size_t{2} << 20);
}

}  // namespace
}  // namespace fuseq::cpu
