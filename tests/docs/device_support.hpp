// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the CPU device does with each operation, found out by compiling the models of
// tests/op_cases and asking the report which implementation runs.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ops/op_spec.hpp"

namespace fuseq::docs {

struct DeviceSupport {
    bool onednn = false;
    bool own = false;
    bool view = false;       // nothing runs: the same memory under another shape
    bool reference = false;  // the reference kernel as a step
    bool folded = false;     // constant inputs give a constant
    bool post_op = false;    // joins the convolution before it
    bool takes_weights = false;
    std::string text() const;
};

// By type and version.
using DeviceSupports = std::map<std::pair<std::string, int>, DeviceSupport>;
DeviceSupports device_supports();

// What becomes of the scale of a quantized input, from the tables of the low-precision passes.
std::string int8_behaviour(const OpSpec& spec, const DeviceSupport& support);

}  // namespace fuseq::docs
