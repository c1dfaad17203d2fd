// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which matrix products read f32 weights as halves; made by matmul.cpp.

#include <fmt/core.h>

#include "cpu/kernels/gemm/half_matrix.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"
#include "ops/matmul.hpp"

namespace fuseq::cpu {

// Of one row, and in half precision: then it takes the time of reading them.
Verdict half_matrix_supports(const StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("MatMul") || node.input(0).type() != ElementType::f32) {
        return Verdict::other_kind();
    }
    if (!builder.options().own_gemm) {
        return Verdict::no("FUSEQ_OWN_GEMM is NO");
    }
    const MachineTraits machine = machine_traits();
    if (!machine.avx512_vnni) {
        return Verdict::no(fmt::format("{}: no AVX-512 with VNNI", to_string(machine.isa)));
    }
    if (machine.one_wide_load_a_cycle) {
        return Verdict::no("one wide load a cycle: not measured to be faster");
    }
    if (!node.input_node(1)->is_constant() || node.input(1).type() != ElementType::f32 ||
        node.input(1).shape().size() != 2 || node.attrs<MatMulAttrs>().transpose_a) {
        return Verdict::no("for constant matrices of f32, nothing transposed");
    }
    const Shape dst = node.port(0).shape.to_shape();
    const std::size_t rows = shape_size(dst) / dst.back();
    if (rows != 1) {
        return Verdict::no(fmt::format("{} rows, for one", rows));
    }
    constexpr double kCost = 0.42;  // 6248 by 128: 48 of 114 us (docs/performance/log/matmul.md)
    const Tensor values = node.input_node(1)->constant();
    return values.get_element_type() == ElementType::f32 &&
                   values.get_shape() == node.input(1).shape() && values.get_size() != 0 &&
                   kernels::are_halves(values.values<float>())
               ? Verdict::yes(kCost)
               : Verdict::no("weights that are no halves");
}

}  // namespace fuseq::cpu
