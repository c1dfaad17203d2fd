// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The attributes global_seed and op_seed, which the random operations share.
#pragma once

#include "ops/op_spec.hpp"
#include "ops/random/philox.hpp"

namespace fuseq {

template <class A>
void check_seeds(const InferContext& context, const A& attrs) {
    context.require(attrs.global_seed >= 0, "global_seed is ", attrs.global_seed,
                    ", expected 0 or more");
    context.require(attrs.op_seed >= 0, "op_seed is ", attrs.op_seed, ", expected 0 or more");
}

// Both 0: a random key, another one at each call, as OpenVINO defines it.
template <class A>
PhiloxKey key_of(const A& attrs) {
    return attrs.global_seed == 0 && attrs.op_seed == 0
               ? unpredictable_key()
               : PhiloxKey{static_cast<std::uint64_t>(attrs.global_seed),
                           static_cast<std::uint64_t>(attrs.op_seed)};
}

}  // namespace fuseq
