// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms of the integer product with panels of 16 channels, and what their tests run on.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/traits.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels::test {

inline constexpr GemmForm kNarrowForms[] = {GemmForm::kVnni256, GemmForm::kBytes, GemmForm::kPairs};

class GemmNarrow : public testing::TestWithParam<GemmForm> {
protected:
    void SetUp() override {
        if (GetParam() == GemmForm::kVnni256 && !has_avx_vnni() && !has_avx_vnni_in_evex() &&
            !has_avx512_vnni()) {
            GTEST_SKIP() << "this machine has neither AVX-VNNI nor AVX-512 VNNI";
        }
    }

    // kVnni256 is no Highway target; its tiles depend on the machine.
    static void on_every_target(const std::function<void()>& body) {
        if (GetParam() == GemmForm::kVnni256) {
            for (const bool two_loads : {false, true}) {
                SCOPED_TRACE(two_loads ? "tiles of six rows" : "tiles of seven rows");
                cpu::MachineTraits traits = cpu::machine_traits();
                traits.two_loads_a_cycle = two_loads;
                const cpu::ScopedMachineTraits scope(traits);
                body();
            }
            return;
        }
        fuseq::test::on_every_target([&](const std::string&) { body(); });
    }

    static Case random_case(std::mt19937& rng) {
        Case c = test::random_case(rng);
        c.params.form = GetParam();
        return c;
    }
};

inline std::string name_of_form(const testing::TestParamInfo<GemmForm>& info) {
    switch (info.param) {
        case GemmForm::kVnni256: return "Vnni256";
        case GemmForm::kBytes: return "Bytes";
        default: return "Pairs";
    }
}

}  // namespace fuseq::kernels::test
