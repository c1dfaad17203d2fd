// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/isa_limit.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <mutex>

#include <fmt/core.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/machine/features.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"
#include "hwy/targets.h"

namespace fuseq::cpu {
namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

dnnl::cpu_isa onednn_isa(IsaLevel level, bool bf16) {
    switch (level) {
        case IsaLevel::kSse41: return dnnl::cpu_isa::sse41;
        case IsaLevel::kAvx2: return dnnl::cpu_isa::avx2;
        case IsaLevel::kAvx2Vnni: return dnnl::cpu_isa::avx2_vnni;
        case IsaLevel::kAvx512: return dnnl::cpu_isa::avx512_core;
        case IsaLevel::kAvx512Vnni:
            return bf16 ? dnnl::cpu_isa::avx512_core_bf16 : dnnl::cpu_isa::avx512_core_vnni;
        case IsaLevel::kAvx512Amx: return dnnl::cpu_isa::avx512_core_amx;
    }
    return dnnl::cpu_isa::sse41;
}

std::int64_t targets_above(IsaLevel level) {
    std::int64_t targets = 0;
    if (!includes(level, IsaLevel::kAvx2)) {
        targets |= HWY_AVX2;
    }
    if (!includes(level, IsaLevel::kAvx512)) {
        targets |= HWY_AVX3;
    }
    if (!includes(level, IsaLevel::kAvx512Vnni)) {
        targets |= HWY_AVX3_DL;
    }
    return targets;
}

// The highest level that both include.
IsaLevel common(IsaLevel one, IsaLevel other) {
    const auto lower = std::min(one, other);
    return includes(std::max(one, other), lower) ? lower : IsaLevel::kAvx2;
}

// Of the process.
class IsaLimit {
public:
    IsaLimit() noexcept {
        const std::string ours = environment(kMaxIsa);
        std::string onednns = environment("ONEDNN_MAX_CPU_ISA");
        if (onednns.empty()) {
            onednns = environment("DNNL_MAX_CPU_ISA");
        }
        onednn_ = onednn_limit(onednns);
        if (!ours.empty()) {
            try {
                asked_ = isa_level_of(ours, fmt::format("the environment variable {}", kMaxIsa));
            } catch (const Error& error) {
                wrong_ = error.info().rule;
            }
        }
        apply();
    }

    IsaLevel level() const { return level_.load(std::memory_order_relaxed); }
    bool bf16() const { return onednn_.bf16; }

    IsaLevel asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

    void set(IsaLevel limit) {
        const std::lock_guard lock(mutex_);
        if (fixed_ && asked_ != limit) {
            throw Error("property", fmt::format("{} cannot become {}: a model was compiled in this "
                                                "process with {}, and oneDNN takes a limit once",
                                                kMaxIsa, to_string(limit), to_string(asked_)));
        }
        asked_ = limit;
        wrong_.clear();
        apply();
    }

    void fix() {
        if (ready_.load(std::memory_order_acquire)) {
            return;
        }
        const std::lock_guard lock(mutex_);
        if (!wrong_.empty()) {
            throw Error("property", wrong_);
        }
        if (!fixed_) {
            limit_onednn();
        }
        fixed_ = true;
        ready_.store(true, std::memory_order_release);
    }

private:
    // What both limits include.
    IsaLevel limit() const { return common(asked_, onednn_.level); }

    void apply() {
        level_ = highest_level(cpu_features(), limit());
        hwy::DisableTargets(targets_above(level()));
    }

    void limit_onednn() const {
        if (limit() == IsaLevel::kAvx512Amx) {
            return;
        }
        const dnnl::cpu_isa isa = onednn_isa(level(), onednn_.bf16);
        if (dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)) == dnnl_success) {
            return;
        }
        // Instruction sets are bits.
        const auto used = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
        if ((used & ~static_cast<unsigned>(isa)) != 0) {
            throw Error("property", fmt::format("the level {} cannot be kept to: oneDNN was used "
                                                "in this process before, without that limit",
                                                to_string(level())));
        }
    }

    mutable std::mutex mutex_;
    IsaLevel asked_ = IsaLevel::kAvx512Amx;
    std::string wrong_;  // what is wrong with the environment variable
    OnednnLimit onednn_;
    bool fixed_ = false;
    std::atomic<bool> ready_{false};
    std::atomic<IsaLevel> level_{IsaLevel::kSse41};
};

IsaLimit& limit_of_process() {
    static IsaLimit limit;
    return limit;
}

// When the library is loaded, so that no kernel runs before.
[[maybe_unused]] const IsaLevel kLevelAtStart = limit_of_process().level();

}  // namespace

OnednnLimit onednn_limit(const std::string& value) {
    std::string name = value;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name == "sse41" || name == "avx") {
        return {IsaLevel::kSse41, false};
    }
    if (name == "avx2" || name == "avx512_mic" || name == "avx512_mic_4ops") {
        return {IsaLevel::kAvx2, false};
    }
    if (name == "avx2_vnni") {
        return {IsaLevel::kAvx2Vnni, false};
    }
    if (name == "avx512_core") {
        return {IsaLevel::kAvx512, false};
    }
    if (name == "avx512_core_vnni") {
        return {IsaLevel::kAvx512Vnni, false};
    }
    if (name == "avx512_core_bf16") {
        return {IsaLevel::kAvx512Vnni, true};
    }
    return {};
}

IsaLevel isa_level() {
    const MachineTraits* const replaced = replaced_machine_traits();
    return replaced != nullptr ? replaced->isa : limit_of_process().level();
}

bool int8_accumulates_exactly() {
    return includes(isa_level(), IsaLevel::kAvx512Vnni);
}

bool may_use_bf16() {
    return includes(isa_level(), IsaLevel::kAvx512Vnni) && limit_of_process().bf16();
}

IsaLevel max_isa() {
    return limit_of_process().asked();
}

void set_max_isa(IsaLevel limit) {
    limit_of_process().set(limit);
}

void fix_isa_level() {
    limit_of_process().fix();
}

}  // namespace fuseq::cpu
