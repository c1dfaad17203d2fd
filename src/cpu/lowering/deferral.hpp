// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Results that are computed when a step asks for them and not before, as the implementation of
// their one reader may do without: the candidates for that reader decide (registry.hpp), by
// GraphReaders::integers_before_convert(), deferred_transpose() and deferred_resize(). The plan
// builder keeps what is deferred.
#pragma once

#include "cpu/lowering/step_builder.hpp"

namespace fuseq::cpu {

// Nothing but a conversion of integers to f32, for an MVN or an Interpolate: the candidates `mvn`
// and `interpolate` may read the integers.
bool may_be_read_as_integers(const Group& group);

// A transposition that is an operand of one product of two tensors: the candidate `onednn` may read
// its source with other strides.
bool may_be_read_with_strides(const StepBuilder& builder, const Node& node);

// A linear Interpolate before a run of element-wise nodes that its own kernel does not take: the
// candidate `resized_chain` computes both.
bool may_be_resized_with_chain(const StepBuilder& builder, Node& node);

}  // namespace fuseq::cpu
