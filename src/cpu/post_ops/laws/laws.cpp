// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {

std::span<const Law> all() {
    static constexpr Law kLaws[] = {
        {"remove_identity", remove_identity},
        {"use_plain_form", use_plain_form},
        {"split_zero_point_of_add", split_zero_point_of_add},
        {"fold_scales", fold_scales},
        {"fold_shifts", fold_shifts},
        {"scale_before_shift", scale_before_shift},
        {"last_shift_crosses_round", last_shift_crosses_round},
        {"drop_last_round", drop_last_round},
        {"drop_round_of_integers", drop_round_of_integers},
        {"drop_middle_round", drop_middle_round},
        {"drop_negligible_shift", drop_negligible_shift},
        {"join_clips", join_clips},
        {"clip_over_shift", clip_over_shift},
        {"drop_clip_in_range", drop_clip_in_range},
        {"drop_clip_before_quantize", drop_clip_before_quantize},
        {"drop_clip_before_store", drop_clip_before_store},
        {"scale_over_relu", scale_over_relu},
        {"scale_over_clip", scale_over_clip},
        {"scale_over_binary", scale_over_binary},
        {"scale_into_eltwise", scale_into_eltwise},
        {"shift_over_clip", shift_over_clip},
        {"shift_over_binary", shift_over_binary},
    };
    return kLaws;
}

}  // namespace fuseq::post_ops::laws
