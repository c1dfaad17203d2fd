// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq_isa_levels: the levels of instructions that this machine has, one a line, the lowest first;
// FUSEQ_MAX_ISA does not change them.
#include <cstdio>

#include "cpu/machine/features.hpp"

int main() {
    for (const fuseq::cpu::IsaLevel level : fuseq::cpu::isa_levels()) {
        if (fuseq::cpu::has_level(fuseq::cpu::cpu_features(), level)) {
            std::printf("%s\n", fuseq::cpu::to_string(level));
        }
    }
    return 0;
}
