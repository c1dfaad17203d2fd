// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that a user of Fuseq needs.
#pragma once

#include "fuseq/any.hpp"
#include "fuseq/compiled_model.hpp"
#include "fuseq/core.hpp"
#include "fuseq/error.hpp"
#include "fuseq/infer_request.hpp"
#include "fuseq/layout.hpp"
#include "fuseq/model.hpp"
#include "fuseq/node.hpp"
#include "fuseq/preprocess.hpp"
#include "fuseq/properties.hpp"
#include "fuseq/save_model.hpp"
#include "fuseq/tensor.hpp"
#include "fuseq/variable_state.hpp"
