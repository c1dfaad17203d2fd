// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/compressed_matmul.hpp"
#include "cpu/steps/dnnl_support.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "model/mapped_memory.hpp"
#include "ops/compressed_matmul.hpp"

namespace fuseq::cpu {
namespace {

kernels::CompressedMatrixParams matrix_params_of(const Node& node) {
    const bool transposed = node.attrs<CompressedMatMulAttrs>().transpose_b;
    const Shape codes = node.input(1).shape();
    kernels::CompressedMatrixParams params;
    params.type = node.input(1).type();
    params.channels = codes[transposed ? 0 : 1];
    params.depth = codes[transposed ? 1 : 0];
    params.groups = node.input(2).shape()[1];
    return params;
}

std::size_t bytes_of(const Output& output) {
    return byte_size_of(output.type(), shape_size(output.shape()));
}

StepInfo describe(const Node& node, const kernels::CompressedMatrixParams& params) {
    StepInfo info;
    info.kind = "matmul";
    info.implementation = "fuseq:compressed_matrix";
    info.layers = origins_of(node);
    info.group = node.name();
    info.src_type = to_string(ElementType::f32);
    info.wei_type = to_string(params.type);
    info.dst_type = to_string(ElementType::f32);
    info.layout = "plain";
    const std::size_t results = shape_size(node.port(0).shape.to_shape());
    info.macs = static_cast<std::int64_t>(results * params.depth);
    std::size_t bytes = results * sizeof(float);
    for (const Output& input : node.inputs()) {
        bytes += input ? bytes_of(input) : 0;
    }
    info.bytes = static_cast<std::int64_t>(bytes);
    return info;
}

// Packs when the step has its place in the plan.
void pack_later(StepBuilder& builder, const Node& node, kernels::CompressedMatrix& matrix) {
    Tensor codes = node.input_node(1)->constant();
    const Tensor scales = node.input_node(2)->constant();
    const Tensor zero_points = node.has_input(3) ? node.input_node(3)->constant() : Tensor();
    release(weights_to_release(builder, node));
    builder.defer([&matrix, codes = std::move(codes), scales, zero_points,
                   transposed = node.attrs<CompressedMatMulAttrs>().transpose_b]() mutable {
        kernels::CompressedMatrix::Source source;
        source.codes = std::as_const(codes).data();
        source.channels_first = transposed;
        source.scales = scales.values<float>();
        if (zero_points) {
            source.zero_points = zero_points.values<float>();
        }
        matrix.pack(source);
        let_go_of_pages(codes);
        codes = Tensor();
    });
}

}  // namespace

Verdict make_compressed_matmul(StepBuilder& builder, Node& node) {
    if (!node.is("CompressedMatMul")) {
        return Verdict::other_kind();
    }
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        if (node.has_input(i) && !node.input_node(i)->is_constant()) {
            return Verdict::no("computed weights");
        }
    }
    const kernels::CompressedMatrixParams params = matrix_params_of(node);
    const std::size_t rows = shape_size(node.input(0).shape()) / params.depth;
    CompressedMatMulStep::Tensors tensors;
    tensors.src = builder.tensor_of(node.input(0), Layout::kPlain);
    tensors.dst = builder.new_tensor(ElementType::f32, node.port(0).shape, Layout::kPlain);
    kernels::CompressedMatrix matrix(params);
    if (rows <= kernels::CompressedMatrix::kMaxStreamedRows) {
        tensors.work = builder.new_scratch(matrix.work_size(rows) * sizeof(float));
    }
    auto step = std::make_unique<CompressedMatMulStep>(std::move(matrix), rows, tensors,
                                                       describe(node, params));
    pack_later(builder, node, step->matrix());
    step->info().name = node.name();
    builder.add_step(std::move(step));
    builder.set_tensor(node.output(0), tensors.dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
