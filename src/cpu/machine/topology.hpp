// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the processors that this process may use lie together: cores of different speed, processors
// that share a core, cores that share an L3, NUMA nodes, sockets. hwloc reads it.
#pragma once

#include <string>
#include <vector>

struct hwloc_topology;

namespace fuseq::cpu {

// Numbers from 0; processors with the same number are together.
struct Processor {
    int id = 0;       // the system's number, for affinity masks
    int core = 0;     // processors of a core share its units
    int sibling = 0;  // place in its core
    int kind = 0;     // of the core: 0 is the fastest there is
    int slice = 0;    // of the L3
    int node = 0;
    int socket = 0;
};

struct Topology {
    std::vector<Processor> processors;  // by id

    bool is_hybrid() const;
    // "8 cores of kind 0, 4 of kind 1, 20 processors, 1 L3, 1 NUMA node, 1 socket"
    std::string text() const;
};

Topology topology_of(hwloc_topology* loaded);
// Of this machine, read once; the part of it that the affinity mask of this thread allows.
Topology allowed_topology();
// Processors with one of these ids.
Topology part_of(const Topology& topology, const std::vector<int>& ids);

// The system's numbers of the processors on which this thread may run.
std::vector<int> processors_of_this_thread();
// False where the system refuses.
bool move_this_thread(const std::vector<int>& ids);

}  // namespace fuseq::cpu
