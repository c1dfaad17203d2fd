// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Failures of oneDNN, of the heap and of general functions know nothing of layers.
#pragma once

#include <string>

namespace fuseq::cpu {

// To be called in a catch block. Throws what is being handled again: as an Error of that stage, which names
// the layer, what failed and oneDNN's status, when oneDNN or the heap threw it or an Error names neither
// layer nor file; as it is otherwise.
[[noreturn]] void throw_named(const std::string& stage,
                              const std::string& layer,
                              const std::string& operation);

}  // namespace fuseq::cpu
