// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/topology.hpp"

#include <sched.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <hwloc.h>

namespace fuseq::cpu {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
using TopologyPtr = std::unique_ptr<hwloc_topology, DestroyTopology>;

// hwloc's kinds from the fastest on. Those that the maker calls the same differ in clock only and
// count as one: a desktop has one or two cores that may clock a little higher than the others.
class Kinds {
public:
    explicit Kinds(hwloc_topology* topology) : topology_(topology) {
        const int count = hwloc_cpukinds_get_nr(topology, 0);
        std::map<std::string, int> of_type;
        for (int k = count - 1, next = 0; k >= 0; --k) {
            int efficiency = -1;
            unsigned infos = 0;
            hwloc_info_s* info = nullptr;
            hwloc_cpukinds_get_info(topology, static_cast<unsigned>(k), nullptr, &efficiency,
                                    &infos, &info, 0);
            if (efficiency < 0) {  // not ranked: as if there were one kind
                kinds_.assign(static_cast<std::size_t>(count), 0);
                return;
            }
            std::string type = fmt::format("#{}", k);
            for (unsigned i = 0; i < infos; ++i) {
                if (std::string_view(info[i].name) == "CoreType") {
                    type = info[i].value;
                }
            }
            const auto [found, is_new] = of_type.emplace(type, next);
            next += is_new ? 1 : 0;
            kinds_.insert(kinds_.begin(), found->second);
        }
    }

    int of(hwloc_obj_t processor) const {
        const int kind = hwloc_cpukinds_get_by_cpuset(topology_, processor->cpuset, 0);
        return kind < 0 || static_cast<std::size_t>(kind) >= kinds_.size()
                   ? 0
                   : kinds_[static_cast<std::size_t>(kind)];
    }

private:
    hwloc_topology* topology_;
    std::vector<int> kinds_;  // by hwloc's number
};

int number_of(hwloc_topology* topology, hwloc_obj_type_t type, hwloc_obj_t processor) {
    hwloc_obj_t const above = hwloc_get_ancestor_obj_by_type(topology, type, processor);
    return above == nullptr ? -1 : static_cast<int>(above->logical_index);
}

int node_of(hwloc_topology* topology, hwloc_obj_t processor) {
    hwloc_obj_t node = nullptr;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
        if (hwloc_bitmap_isincluded(processor->cpuset, node->cpuset) != 0) {
            return static_cast<int>(node->logical_index);
        }
    }
    return 0;
}

// What hwloc does not know is 0; cores without an L3 are together in a slice of their own.
Processor processor_of(hwloc_topology* topology, const Kinds& kinds, hwloc_obj_t pu) {
    Processor p;
    p.id = static_cast<int>(pu->os_index);
    p.core = number_of(topology, HWLOC_OBJ_CORE, pu);
    p.core = p.core < 0 ? static_cast<int>(pu->logical_index) : p.core;
    p.kind = kinds.of(pu);
    p.slice = number_of(topology, HWLOC_OBJ_L3CACHE, pu);
    p.node = node_of(topology, pu);
    p.socket = std::max(number_of(topology, HWLOC_OBJ_PACKAGE, pu), 0);
    return p;
}

// The largest mask that Linux has today; a call with a smaller one fails.
constexpr int kMaxProcessors = 8192;

struct FreeMask {
    void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
};
using Mask = std::unique_ptr<cpu_set_t, FreeMask>;

const std::size_t kMaskBytes = CPU_ALLOC_SIZE(kMaxProcessors);

// Null where hwloc cannot read the machine.
TopologyPtr load_this_machine() {
    hwloc_topology* topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) {
        return nullptr;
    }
    TopologyPtr owner(topology);
    // Only what is asked for above: 0.7 ms instead of 5. What CPUID adds, on every core in turn,
    // the system has said already.
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const auto type : {HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE}) {
        hwloc_topology_set_type_filter(topology, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    return hwloc_topology_load(topology) == 0 ? std::move(owner) : nullptr;
}

// As many equal processors as the thread may use.
Topology unknown_topology() {
    Topology topology;
    for (const int id : processors_of_this_thread()) {
        Processor p;
        p.id = id;
        p.core = id;
        topology.processors.push_back(p);
    }
    return topology;
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

template <class Number>
std::size_t count_of(const std::vector<Processor>& processors, Number number) {
    std::set<int> numbers;
    for (const Processor& p : processors) {
        numbers.insert(p.*number);
    }
    return numbers.size();
}

}  // namespace

bool Topology::is_hybrid() const {
    return count_of(processors, &Processor::kind) > 1;
}

std::string Topology::text() const {
    std::map<int, std::set<int>> cores;
    for (const Processor& p : processors) {
        cores[p.kind].insert(p.core);
    }
    std::string text;
    for (const auto& [kind, of_kind] : cores) {
        text += counted(of_kind.size(), "core");
        text += cores.size() > 1 ? fmt::format(" of kind {}, ", kind) : ", ";
    }
    const std::size_t slices = count_of(processors, &Processor::slice);
    return text + fmt::format("{}, {} L3, {}, {}", counted(processors.size(), "processor"), slices,
                              counted(count_of(processors, &Processor::node), "NUMA node"),
                              counted(count_of(processors, &Processor::socket), "socket"));
}

Topology topology_of(hwloc_topology* loaded) {
    Topology topology;
    const Kinds kinds(loaded);
    std::map<int, int> in_core;
    hwloc_obj_t pu = nullptr;
    while ((pu = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_PU, pu)) != nullptr) {
        Processor p = processor_of(loaded, kinds, pu);
        p.sibling = in_core[p.core]++;
        topology.processors.push_back(p);
    }
    std::sort(topology.processors.begin(), topology.processors.end(),
              [](const Processor& a, const Processor& b) { return a.id < b.id; });
    return topology;
}

Topology part_of(const Topology& topology, const std::vector<int>& ids) {
    Topology part;
    for (const Processor& p : topology.processors) {
        if (std::find(ids.begin(), ids.end(), p.id) != ids.end()) {
            part.processors.push_back(p);
        }
    }
    return part;
}

Topology allowed_topology() {
    static const Topology machine = [] {
        const TopologyPtr loaded = load_this_machine();
        return loaded ? topology_of(loaded.get()) : Topology{};
    }();
    Topology allowed = part_of(machine, processors_of_this_thread());
    return allowed.processors.empty() ? unknown_topology() : allowed;
}

std::vector<int> processors_of_this_thread() {
    const Mask mask(CPU_ALLOC(kMaxProcessors));
    CPU_ZERO_S(kMaskBytes, mask.get());
    std::vector<int> ids;
    if (sched_getaffinity(0, kMaskBytes, mask.get()) == 0) {
        for (int id = 0; id < kMaxProcessors; ++id) {
            if (CPU_ISSET_S(static_cast<std::size_t>(id), kMaskBytes, mask.get())) {
                ids.push_back(id);
            }
        }
    }
    return ids;
}

bool move_this_thread(const std::vector<int>& ids) {
    const Mask mask(CPU_ALLOC(kMaxProcessors));
    CPU_ZERO_S(kMaskBytes, mask.get());
    for (const int id : ids) {
        CPU_SET_S(static_cast<std::size_t>(id), kMaskBytes, mask.get());
    }
    return sched_setaffinity(0, kMaskBytes, mask.get()) == 0;
}

}  // namespace fuseq::cpu
