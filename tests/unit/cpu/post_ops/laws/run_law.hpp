// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One law on one chain, as text; and short names for chains.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {

using Ops = std::vector<BasicOp>;
inline constexpr ElementType f32 = ElementType::f32;
inline constexpr ElementType u8 = ElementType::u8;
inline constexpr ElementType i8 = ElementType::i8;
inline constexpr float kInf = std::numeric_limits<float>::infinity();

inline const Eltwise kRelu{};
inline const Eltwise kTanh{EltwiseKind::kTanh};
inline const Binary kAdd{BinaryKind::kAdd, 0, ElementType::u8, 0.5f};

// One value a channel.
inline Values oc(std::vector<float> values) {
    return {std::move(values)};
}

// The chain after the law at the first place where it applies; "refused: ...", the last reason; or
// "nothing".
std::string run(Result (*law)(const Site&),
                Ops ops,
                ElementType dst = ElementType::f32,
                SimplifyOptions options = {});

}  // namespace fuseq::post_ops::laws
