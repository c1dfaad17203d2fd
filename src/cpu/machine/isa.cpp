// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/isa.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

constexpr IsaLevel kLevels[] = {IsaLevel::kSse41,  IsaLevel::kAvx2,       IsaLevel::kAvx2Vnni,
                                IsaLevel::kAvx512, IsaLevel::kAvx512Vnni, IsaLevel::kAvx512Amx};

}  // namespace

std::span<const IsaLevel> isa_levels() {
    return kLevels;
}

const char* to_string(IsaLevel level) {
    switch (level) {
        case IsaLevel::kSse41: return "sse41";
        case IsaLevel::kAvx2: return "avx2";
        case IsaLevel::kAvx2Vnni: return "avx2_vnni";
        case IsaLevel::kAvx512: return "avx512";
        case IsaLevel::kAvx512Vnni: return "avx512_vnni";
        case IsaLevel::kAvx512Amx: return "avx512_amx";
    }
    return "unknown";
}

IsaLevel isa_level_of(const std::string& name, const std::string& source) {
    std::string known;
    for (const IsaLevel level : kLevels) {
        if (name == to_string(level)) {
            return level;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(level));
    }
    throw Error("property", fmt::format("{} is '{}', expected one of {}", source, name, known));
}

bool includes(IsaLevel level, IsaLevel other) {
    return other <= level && !(level == IsaLevel::kAvx512 && other == IsaLevel::kAvx2Vnni);
}

}  // namespace fuseq::cpu
