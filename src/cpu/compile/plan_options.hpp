// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the properties decide what PlanBuilder does.
#pragma once

#include "cpu/compile/config.hpp"
#include "cpu/plan/builder.hpp"

namespace fuseq::cpu {

// The configuration must live as long as the options.
BuildOptions build_options(const Config& config);

// Of a model that is compiled as a part of another one with that configuration.
Config config_of_part(const Config& whole);

}  // namespace fuseq::cpu
