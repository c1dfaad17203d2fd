// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Biases by measurement: rounding before a ReLU moves means, and each layer gets what the layers
// before it have moved. What a bias can take away of that is measured, one layer after the other.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fuseq::quantizer {

// By name of an anchor: what the bias of each output channel is moved by.
using BiasShifts = std::map<std::string, std::vector<double>>;

}  // namespace fuseq::quantizer
