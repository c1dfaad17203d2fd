// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of constant expressions.
#pragma once

#include <optional>

#include "fuseq/model.hpp"
#include "transformations/support/channel_values.hpp"

namespace fuseq {

// The value of a Const, or one that shape inference already knows. Null when there is none.
const Tensor* known_constant(const Output& source);

// A Const or a short expression of nothing but Consts.
bool is_constant_expression(const Output& source);
// Whether that holds for all inputs from `first` on.
bool inputs_are_constant(const Node& node, std::size_t first);

// The same as known_constant, computing constant expressions (Convert of a Const, ...) with the
// reference kernels. Looks at no more than a few nodes: it serves scales and limits, not whole
// graphs.
std::optional<Tensor> evaluate_constant(const Output& source);

// evaluate_constant as values of one dimension of data of `rank` dimensions.
std::optional<ChannelValues> constant_channels(const Output& source, std::size_t rank);

// One finite number, whatever the shape; nothing when not constant or of several elements.
std::optional<double> constant_number(const Output& source);

Output make_constant(Model& model, const std::string& base_name, Tensor value);

}  // namespace fuseq
