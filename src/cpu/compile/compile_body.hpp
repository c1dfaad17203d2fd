// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cpu/compile/config.hpp"
#include "cpu/steps/body.hpp"

namespace fuseq::cpu {

// The body of a TensorIterator, Loop or If as a compiled model of its own, with all passes and the
// threads of the outer one. Nothing where a Parameter of it has an open shape: a plan for each
// shape that a loop goes through would cost more than it saves. Throws Error.
std::optional<CompiledBody> compile_body(const Model& body, const Config& outer);

}  // namespace fuseq::cpu
