// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

bool split_joint_projection(Model& model, PassContext& context);

}  // namespace fuseq
