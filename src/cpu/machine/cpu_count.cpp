// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/cpu_count.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

namespace fuseq::cpu {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) {
        return std::nullopt;
    }
    return line;
}

// "max 100000" or "150000 100000" (cgroup v2).
std::optional<double> parse_cpu_max(const std::string& line) {
    std::istringstream in(line);
    std::string quota;
    double period = 0;
    if (!(in >> quota >> period) || quota == "max" || period <= 0) {
        return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(quota.c_str(), &end);
    return *end == '\0' && value > 0 ? std::optional<double>(value / period) : std::nullopt;
}

std::optional<double> quota_of(const fs::path& folder) {
    if (const auto line = first_line(folder / "cpu.max")) {
        return parse_cpu_max(*line);
    }
    const auto quota = first_line(folder / "cpu.cfs_quota_us");
    const auto period = first_line(folder / "cpu.cfs_period_us");
    if (!quota || !period) {
        return std::nullopt;
    }
    return parse_cpu_max((quota->front() == '-' ? "max" : *quota) + " " + *period);
}

// The cpu controller's path of a line of /proc/self/cgroup: "0::/a/b" or "4:cpu,cpuacct:/a/b".
std::optional<std::pair<std::string, bool>> cpu_group(const std::string& line) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) {
        return std::nullopt;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
        return std::pair{path, true};
    }
    std::istringstream list(controllers);
    for (std::string name; std::getline(list, name, ',');) {
        if (name == "cpu") {
            return std::pair{path, false};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> cgroup_quota(const fs::path& root, const fs::path& self_cgroup) {
    std::optional<double> smallest;
    std::ifstream file(self_cgroup);
    for (std::string line; std::getline(file, line);) {
        const auto group = cpu_group(line);
        if (!group) {
            continue;
        }
        const fs::path top = group->second ? root : root / "cpu";
        fs::path folder = group->first;
        // The limits of all parents hold too; in a container the path may begin at its own root.
        while (true) {
            if (const auto quota = quota_of(top / folder.relative_path())) {
                smallest = smallest ? std::min(*smallest, *quota) : *quota;
            }
            if (!folder.has_relative_path()) {
                break;
            }
            folder = folder.parent_path();
        }
    }
    return smallest;
}

CpuCount combine(std::size_t online, std::size_t affinity, std::optional<double> quota) {
    CpuCount count;
    count.online = std::max<std::size_t>(1, online);
    count.affinity = affinity;
    count.cgroup_quota = quota;
    count.cpus = count.online;
    if (affinity != 0) {
        count.cpus = std::min(count.cpus, affinity);
    }
    if (quota) {
        // A part of a CPU still needs a thread: 1.5 CPUs are 2 threads.
        const auto limit = static_cast<std::size_t>(std::max(1.0, std::ceil(*quota)));
        count.cpus = std::min(count.cpus, limit);
    }
    return count;
}

CpuCount count_cpus() {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    std::size_t affinity = 0;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        affinity = static_cast<std::size_t>(CPU_COUNT(&mask));
    }
    return combine(online > 0 ? static_cast<std::size_t>(online) : 1, affinity,
                   cgroup_quota("/sys/fs/cgroup", "/proc/self/cgroup"));
}

std::string CpuCount::explain() const {
    return fmt::format("{} {}: affinity mask {}, cgroup quota {}, online {}", cpus,
                       cpus == 1 ? "CPU" : "CPUs",
                       affinity == 0 ? "unknown" : std::to_string(affinity),
                       cgroup_quota ? fmt::format("{:g}", *cgroup_quota) : "none", online);
}

}  // namespace fuseq::cpu
