// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How many streams and threads a compiled model has, and on which processors they run: from the
// topology, the cgroup quota and what the user asked for (docs/threads.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/machine/topology.hpp"

namespace fuseq::cpu {

enum class CoreType { kAny, kPerformance, kEfficient };

struct PlacementRequest {
    bool throughput = false;  // else latency
    int threads = 0;          // in all; 0: as the machine has
    int streams = 0;          // 0: 1 for latency, as many as threads for throughput
    std::optional<CoreType> core_type = {};
    std::optional<bool> hyper_threading = {};  // two threads a core; not given: for throughput only
    bool pinning = false;                      // each thread to a processor of its own
    std::optional<double> quota = {};          // of the cgroup, in CPUs
};

// Where the threads of one stream run. Empty: where the system puts them.
struct StreamPlace {
    std::vector<int> processors;  // by thread where `pinned`, else any of them for each
    bool pinned = false;

    bool operator==(const StreamPlace&) const = default;
};

struct Placement {
    int streams = 1;
    int threads = 1;  // a stream
    // A stream has cores of different speed: its work is shared out while it is done.
    bool uneven = false;
    std::vector<StreamPlace> places;  // by stream; empty: all where the system puts them
    std::string why;                  // "1 stream of 8 threads: one a core, fastest cores only"
};

Placement place(const Topology& allowed, const PlacementRequest& request);

}  // namespace fuseq::cpu
