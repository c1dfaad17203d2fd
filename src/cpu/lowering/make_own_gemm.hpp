// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the candidates "amx" and "gemm" share: the device's own integer product in one of its forms.
#pragma once

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/lowering/group.hpp"
#include "cpu/lowering/step_builder.hpp"
#include "cpu/lowering/verdict.hpp"

namespace fuseq::cpu {

// form: one that this machine has. With kAmx no cost is compared: its rule has been asked.
Verdict own_gemm_supports(const StepBuilder& builder, const Group& group, kernels::GemmForm form);
TensorId make_own_gemm(StepBuilder& builder, const Group& group, kernels::GemmForm form);

}  // namespace fuseq::cpu
