// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The file with the parameters: a list of NDArrays and their names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fuseq/tensor.hpp"
#include "readers/common/file_error.hpp"

namespace fuseq::mxnet_reader {

using readers::Place;

// By name, without the "arg:" or "aux:" before it. Throws Error for what is no list of dense arrays.
std::map<std::string, Tensor> parse_params(std::string_view bytes, const Place& place);

// Of a type that the format numbers; undefined where there is none.
ElementType element_type(std::int64_t number);

}  // namespace fuseq::mxnet_reader
