// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What decides the plan of a model, beside the model (compile/plan_options.hpp: from properties).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/steps/body.hpp"
#include "cpu/steps/packed_table.hpp"
#include "fuseq/model.hpp"

namespace fuseq {
class ConstantCache;
}

namespace fuseq::kernels {
class FloatSums;
class GemmWeightsCache;
}  // namespace fuseq::kernels

namespace fuseq::cpu {

class SharedGroups;

struct BuildOptions : LoweringOptions {
    bool fuse = true;
    // For -dump: quantizations in the middle of a chain are computed once more by the same
    // primitive cut off after them. The plan itself stays as it is.
    bool dump_intermediates = false;
    // Constants that only one step reads, in a form of its own, are given up when it has them. The
    // model cannot be planned a second time then.
    bool release_weights = false;
    // Of an earlier plan of the same model; null: none. Must live until build() is done.
    const PackedTable* packed = nullptr;
    // Of several plans of one model: constants that stay where they are, and packed weights of own
    // kernels that were made of them. Null: there is one plan. As long.
    const ConstantCache* constants = nullptr;
    kernels::GemmWeightsCache* gemm_weights = nullptr;
    SharedGroups* groups = nullptr;
    bool is_copy = false;  // of one model at other sizes, as ModelForm wants it
    // What kernels need not search for again; null: nothing is known. As long.
    kernels::FloatSums* float_sums = nullptr;
    std::size_t threads = 1;  // to build with; the plan is the same for any number
    // For the passes over the plan: FUSEQ_DISABLE, and where to dump; empty: nowhere.
    std::vector<std::string> disabled_passes;
    std::string dump_dir;
    // Leaves out roundings in the middle of chains, which changes results. What is hidden is not
    // shown then: it is not computed.
    bool drop_middle_rounds = false;
    // Makes a plan for a body of TensorIterator, Loop or If. Nothing, or no function: the reference
    // kernels run it.
    std::function<std::optional<CompiledBody>(const Model&)> compile_body;
};

}  // namespace fuseq::cpu
