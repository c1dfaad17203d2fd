// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/common/file_error.hpp"

namespace fuseq::onnx_reader {

using readers::Place;

}  // namespace fuseq::onnx_reader
