// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that move whole channels: Concat, Split and Gather along dimension 1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// 0 when it is not known.
std::size_t channel_count(const Output& port);

// A Concat along channels of inputs whose numbers of channels are known.
bool concatenates_channels(const Node& node);

// Whether the constant `axis` is the dimension of the channels of `data`.
bool is_channel_axis(const Output& axis, const Output& data);

// The channels of its source that a Gather takes, none of them negative; nothing when it is not
// along channels, or when they are not known or reach beyond the source.
std::optional<std::vector<std::int64_t>> gathered_channels(const Node& node);

}  // namespace fuseq
