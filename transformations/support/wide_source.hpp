// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sources of layers that FakeQuantize layers with 257 to 65536 levels give, as integers of 16 bits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "transformations/pass.hpp"
#include "transformations/support/activation_limits.hpp"

namespace fuseq {

struct WideSource {
    Node* fq = nullptr;
    ActivationIntegers integers;
    std::vector<float> zero_points;  // of integers from 0 on: one, or one a channel
    bool per_tensor() const;
    // Zero points are integers from 0 to levels - 1.
    bool has_whole_zero_points() const;
};

// The FQ that a tensor consists of, Reshape and its like and MaxPool moving it; nothing where it is
// something else. Limits that cannot be read are split_fake_quantize's to report.
std::optional<WideSource> match_wide_source(const Output& tensor, const PassOptions& options);

// Makes u16 tensors of them, once each.
class WideTensors {
public:
    explicit WideTensors(Model& model) : model_(model) {}
    // As u16, what a tensor of that source holds.
    Output integers_of(const Output& tensor, const WideSource& source);

private:
    Output real_integers_of(const Output& tensor, const WideSource& source);

    Model& model_;
    std::map<std::pair<const Node*, std::size_t>, Output> integers_;
    std::map<const Node*, Output> real_;  // of FQs
};

// Whether sums of (q - zero point) times the constant i8 weights of a layer fit 32 bits, q from 0
// to 65535. `zero_points`: one, or one a channel of dst.
bool sums_of_u16_fit(const Node& layer,
                     const Tensor& weights,
                     const std::vector<double>& zero_points);

}  // namespace fuseq
