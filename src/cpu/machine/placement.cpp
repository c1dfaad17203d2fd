// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/placement.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace fuseq::cpu {
namespace {

using Processors = std::vector<Processor>;

// A region ends with its slowest thread wherever a step splits its work evenly beforehand, as
// oneDNN does. N fast and M slow cores, each of these r times as fast, then do (N + M) * r: more
// than N once M > N * (1 / r - 1). r is 0.4 or a little more for the integer units of the hybrid
// processors that we know, so for twice as many slow cores it pays, and with steps that share out
// their work before that.
constexpr std::size_t kSlowPerFast = 2;

template <class Keep>
void keep_if(Processors& from, Keep keep) {
    Processors kept;
    std::copy_if(from.begin(), from.end(), std::back_inserter(kept), keep);
    if (!kept.empty()) {  // asked for what the machine does not have: without effect
        from = std::move(kept);
    }
}

std::size_t cores_of_kind(const Processors& all, bool fastest) {
    std::set<int> cores;
    for (const Processor& p : all) {
        if ((p.kind == 0) == fastest) {
            cores.insert(p.core);
        }
    }
    return cores.size();
}

CoreType core_type_of(const Processors& all, const PlacementRequest& request) {
    if (request.core_type) {
        return *request.core_type;
    }
    const std::size_t slow = cores_of_kind(all, false);
    return request.throughput || slow >= kSlowPerFast * cores_of_kind(all, true)
               ? CoreType::kAny
               : CoreType::kPerformance;
}

// The socket with the most of them.
int largest_socket(const Processors& all) {
    std::map<int, int> counts;
    for (const Processor& p : all) {
        ++counts[p.socket];
    }
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

// The first processor of each core that is left: an affinity mask may have taken the others.
void keep_one_a_core(Processors& all) {
    std::set<int> cores;
    keep_if(all, [&](const Processor& p) { return cores.insert(p.core).second; });
}

// In the order in which they are used: each core once, the fastest ones first, neighbours together.
Processors candidates(const Topology& allowed, const PlacementRequest& request) {
    Processors all = allowed.processors;
    const CoreType type = core_type_of(all, request);
    if (type != CoreType::kAny) {
        keep_if(all, [type](const Processor& p) {
            return (p.kind == 0) == (type == CoreType::kPerformance);
        });
    }
    std::sort(all.begin(), all.end(), [](const Processor& a, const Processor& b) {
        const auto key = [](const Processor& p) {
            return std::tuple(p.sibling, p.kind, p.socket, p.node, p.slice, p.core, p.id);
        };
        return key(a) < key(b);
    });
    if (!request.hyper_threading.value_or(request.throughput)) {
        keep_one_a_core(all);
    }
    // One inference does not cross sockets unless it is told to have so many threads.
    if (!request.throughput && request.streams <= 1 && request.threads == 0 && !all.empty()) {
        keep_if(all,
                [socket = largest_socket(all)](const Processor& p) { return p.socket == socket; });
    }
    return all;
}

// A part of a CPU still needs a thread: 1.5 CPUs are 2 threads.
int limit_of(std::size_t processors, std::optional<double> quota) {
    const double limit = std::min(static_cast<double>(std::max<std::size_t>(processors, 1)),
                                  quota ? std::max(1.0, std::ceil(*quota)) : HUGE_VAL);
    return static_cast<int>(limit);
}

// Takes processors for a stream: all of one slice of the L3 if one has so many left.
Processors take(Processors& left, std::size_t count) {
    std::map<int, std::size_t> in_slice;
    for (const Processor& p : left) {
        ++in_slice[p.slice];
    }
    const auto fits = std::find_if(left.begin(), left.end(),
                                   [&](const Processor& p) { return in_slice[p.slice] >= count; });
    const bool one_slice = fits != left.end();
    const int slice = one_slice ? fits->slice : 0;
    Processors taken;
    Processors others;
    for (const Processor& p : left) {
        const bool mine = taken.size() < count && (!one_slice || p.slice == slice);
        (mine ? taken : others).push_back(p);
    }
    left = std::move(others);
    return taken;
}

// Processors between which a thread moves at no loss.
auto domain_of(const Processor& p) {
    return std::tuple(p.kind, p.slice, p.node, p.socket);
}

auto domains_of(const Processors& processors) {
    std::set<std::tuple<int, int, int, int>> domains;
    for (const Processor& p : processors) {
        domains.insert(domain_of(p));
    }
    return domains;
}

// Pinned, or all of the domains that it has processors of; empty where those are all there are.
StreamPlace place_of(const Processors& mine, const Topology& allowed, bool pinning) {
    StreamPlace place;
    place.pinned = pinning;
    if (pinning) {
        for (const Processor& p : mine) {
            place.processors.push_back(p.id);
        }
        return place;
    }
    const auto domains = domains_of(mine);
    if (domains != domains_of(allowed.processors)) {
        for (const Processor& p : allowed.processors) {
            if (domains.contains(domain_of(p))) {
                place.processors.push_back(p.id);
            }
        }
    }
    return place;
}

bool is_uneven(const Processors& processors) {
    return std::any_of(processors.begin(), processors.end(),
                       [&](const Processor& p) { return p.kind != processors.front().kind; });
}

std::string why_of(const Placement& placement,
                   const Topology& allowed,
                   const PlacementRequest& request) {
    std::string text = fmt::format("{} {} of {} {}; {}", placement.streams,
                                   placement.streams == 1 ? "stream" : "streams", placement.threads,
                                   placement.threads == 1 ? "thread" : "threads", allowed.text());
    if (request.quota) {
        text += fmt::format(", cgroup quota {:g}", *request.quota);
    }
    if (placement.uneven) {
        text += ", work is shared out while it is done";
    }
    return text + (placement.places.empty()          ? ", placed by the system"
                   : placement.places.front().pinned ? ", pinned"
                                                     : ", kept to parts of the machine");
}

// With more threads than there are such processors, those that were left out come in too, unless
// they were excluded by name.
Processors candidates_for_threads(const Topology& allowed, PlacementRequest request) {
    Processors all = candidates(allowed, request);
    const auto wanted = static_cast<std::size_t>(std::max(request.threads, 0));
    if (wanted > all.size() && !request.core_type) {
        request.core_type = CoreType::kAny;
        all = candidates(allowed, request);
    }
    if (wanted > all.size() && !request.hyper_threading) {
        request.hyper_threading = true;
        all = candidates(allowed, request);
    }
    return all;
}

}  // namespace

Placement place(const Topology& allowed, const PlacementRequest& request) {
    Processors left = candidates_for_threads(allowed, request);
    const int all = request.threads > 0 ? request.threads : limit_of(left.size(), request.quota);
    Placement placement;
    placement.streams = request.streams > 0 ? request.streams : request.throughput ? all : 1;
    placement.threads = std::max(1, all / placement.streams);
    const auto threads = static_cast<std::size_t>(placement.threads);
    // More threads than processors: no placement is better than another.
    if (threads * static_cast<std::size_t>(placement.streams) <= left.size()) {
        bool any = false;
        for (int stream = 0; stream < placement.streams; ++stream) {
            const Processors mine = take(left, threads);
            placement.uneven = placement.uneven || is_uneven(mine);
            placement.places.push_back(place_of(mine, allowed, request.pinning));
            any = any || !placement.places.back().processors.empty();
        }
        if (!any) {
            placement.places.clear();
        }
    } else {
        placement.uneven = is_uneven(left);
    }
    placement.why = why_of(placement, allowed, request);
    return placement;
}

}  // namespace fuseq::cpu
