// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/machine/made_topology.hpp"

#include <memory>
#include <stdexcept>

#include <hwloc.h>

namespace fuseq::cpu::test {
namespace {

struct Destroy {
    void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
    void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};
using Loaded = std::unique_ptr<hwloc_topology, Destroy>;
using Set = std::unique_ptr<hwloc_bitmap_s, Destroy>;

void require(int result, const std::string& what) {
    if (result != 0) {
        throw std::runtime_error("hwloc refuses " + what);
    }
}

template <class Choose>
Loaded load(const std::string& what, const Choose& choose) {
    hwloc_topology* topology = nullptr;
    require(hwloc_topology_init(&topology), what);
    Loaded owner(topology);
    require(choose(topology), what);
    require(hwloc_topology_load(topology), what);
    return owner;
}

Loaded load_synthetic(const std::string& text) {
    return load(text,
                [&](hwloc_topology* t) { return hwloc_topology_set_synthetic(t, text.c_str()); });
}

Set range(std::size_t begin, std::size_t end) {
    Set set(hwloc_bitmap_alloc());
    for (std::size_t i = begin; i < end; ++i) {
        hwloc_bitmap_set(set.get(), static_cast<unsigned>(i));
    }
    return set;
}

}  // namespace

Topology synthetic(const std::string& text) {
    return topology_of(load_synthetic(text).get());
}

Topology hybrid(std::size_t fast, std::size_t slow, std::vector<std::string> types) {
    const Loaded made = load_synthetic("pack:1 l3:1 core:" + std::to_string(fast + slow) + " pu:2");
    const Set present = range(0, 2 * fast);
    for (std::size_t core = fast; core < fast + slow; ++core) {
        hwloc_bitmap_set(present.get(), static_cast<unsigned>(2 * core));
    }
    require(hwloc_topology_restrict(made.get(), present.get(), 0), "the restriction");
    const Set sets[] = {range(2 * fast, 2 * (fast + slow)), range(0, 2 * fast)};
    for (std::size_t kind = 0; kind < 2; ++kind) {  // efficiency 1 is the faster one
        hwloc_info_s info = {};
        std::string name = "CoreType";
        info.name = name.data();
        info.value = types.empty() ? nullptr : types[kind].data();
        require(hwloc_cpukinds_register(made.get(), sets[kind].get(), static_cast<int>(kind),
                                        types.empty() ? 0 : 1, &info, 0),
                "the kind");
    }
    char* xml = nullptr;
    int size = 0;
    require(hwloc_topology_export_xmlbuffer(made.get(), &xml, &size, 0), "the export");
    const Loaded read = load("its own XML", [&](hwloc_topology* t) {
        return hwloc_topology_set_xmlbuffer(t, xml, size);
    });
    hwloc_free_xmlbuffer(made.get(), xml);
    return topology_of(read.get());
}

Topology recorded(const std::string& path) {
    return topology_of(load(path, [&](hwloc_topology* t) {
                           return hwloc_topology_set_xml(t, path.c_str());
                       }).get());
}

}  // namespace fuseq::cpu::test
