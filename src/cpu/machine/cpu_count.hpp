// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How many CPUs this process may use: the cgroup quota, the affinity mask and the topology, the
// smallest wins. Nothing here changes the caller's affinity.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace fuseq::cpu {

struct CpuCount {
    std::size_t cpus = 1;  // what to use, 1 or more
    std::size_t online = 1;
    std::size_t affinity = 0;            // 0: not known
    std::optional<double> cgroup_quota;  // CPUs, if there is a limit
    // "2 threads: affinity mask 2, cgroup quota none, online 2"
    std::string explain() const;
};

// Reads the limits of this process.
CpuCount count_cpus();

// Quota in CPUs of the cgroup (v2 or v1) of the process whose /proc/self/cgroup is given, the
// smallest of the group and its parents; files are looked up under `root`. For tests with trees
// of their own.
std::optional<double> cgroup_quota(const std::filesystem::path& root,
                                   const std::filesystem::path& self_cgroup);
CpuCount combine(std::size_t online, std::size_t affinity, std::optional<double> quota);

}  // namespace fuseq::cpu
