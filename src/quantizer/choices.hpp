// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Choices: layers that select or sort computed values, as the end of a detector does. Where two
// models differ a little, what comes after one is in another order, and cannot be compared.
#pragma once

#include <set>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// Layers whose values come from a choice among values that an anchor computed. A choice that
// follows from inputs or shapes alone is the same in every model, and does not count.
std::set<const Node*> after_choices(const Model& model);

}  // namespace fuseq::quantizer
