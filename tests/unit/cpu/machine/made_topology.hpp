// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Topologies of machines that are not here, by hwloc: from its synthetic strings, and from XML.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cpu/machine/topology.hpp"

namespace fuseq::cpu::test {

// "pack:2 numa:1 l3:8 core:8 pu:2": what is inside of what, how often.
Topology synthetic(const std::string& text);

// A socket with one L3: `fast` cores with two processors each come first, then `slow` ones with
// one. As hwloc finds them on Linux: the kinds are ranked, and named where `types` says so. It has
// gone through hwloc's XML.
Topology hybrid(std::size_t fast, std::size_t slow, std::vector<std::string> types = {});

// Of a file that `lstopo --of xml` wrote.
Topology recorded(const std::string& path);

}  // namespace fuseq::cpu::test
