// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of two computed integer matrices, as those of attention, where oneDNN's int8 kernels may
// saturate: without AVX-512 VNNI.
#include <algorithm>
#include <utility>

#include "cpu/lowering/computed_product.hpp"
#include "cpu/lowering/matmul_operands.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "ops/matmul.hpp"

namespace fuseq::cpu {
namespace {

// What a thread needs to find the matrices of each product.
struct Batches {
    struct Offsets {
        std::size_t a, b, dst, binary;  // in elements
    };
    std::vector<Offsets> products;
    std::size_t rows_a_part = 0;
    std::size_t parts = 1;  // of the rows of a product
};

class DataProductMaker {
public:
    DataProductMaker(StepBuilder& builder, const Group& group, OwnComposition composition)
        : builder_(builder),
          group_(group),
          node_(*group.anchor),
          composition_(std::move(composition)),
          dims_(node_.port(0).shape.to_shape()) {}

    TensorId make() {
        places_.a = read(0, places_.a_strides);
        places_.b = read(1, places_.b_strides);
        Node* const merged = transpose_after(builder_, group_);
        const Shape shape = merged == nullptr ? dims_ : merged->port(0).shape.to_shape();
        places_.dst = result_tensor(builder_, group_, composition_.anchor, shape, Layout::kPlain);
        const ElementType type = composition_.anchor.dst_type;
        places_.dst_strides = strides_of(merged == nullptr ? dnnl_desc(type, dims_, Layout::kPlain)
                                                           : desc_before(*merged, type));
        ComputedProduct product = computed_product(builder_, group_, composition_, places_);
        product.own = true;
        add_step(std::make_shared<const ComputedProduct>(std::move(product)), merged);
        if (merged != nullptr) {
            builder_.finish_node(*merged, places_.dst);
            return kNoTensor;
        }
        return finish_anchor(builder_, group_, composition_.anchor, places_.dst);
    }

private:
    // The strides of an operand, before its transposition where the kernel takes them.
    TensorId read(std::size_t input, std::vector<std::size_t>& strides) {
        const bool transposed = input == 1 && node_.attrs<MatMulAttrs>().transpose_b;
        if (builder_.deferred_transpose(node_.input(input)) != nullptr &&
            node_.input(input).shape().size() == dims_.size()) {
            const MatMulOperand operand = matmul_operand(builder_, node_, input, transposed);
            strides = strides_of(operand.desc);
            const std::size_t rank = dims_.size();
            if (strides[rank - 1] == 1 || (input == 1 && strides[rank - 2] == 1)) {
                read_through_.push_back(node_.input_node(input)->name());
                return builder_.tensor_of(operand.output, Layout::kPlain);
            }
        }
        const TensorId id = builder_.tensor_of(node_.input(input), Layout::kPlain);
        strides =
            strides_of(matrix_desc(node_.input(input).type(),
                                   padded(node_.input(input).shape(), dims_.size()), transposed));
        return id;
    }

    // Every product is given to one thread, or where there are fewer than threads, some rows of it.
    static Batches batches_of(const ComputedProduct& product) {
        Batches batches;
        const std::size_t rows = product.rows();
        const std::size_t count = product.places();
        for (std::size_t i = 0; i < count; ++i) {
            batches.products.push_back({product.offset(product.a, i), product.offset(product.b, i),
                                        product.offset(product.dst, i),
                                        i * rows * product.columns()});
        }
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        batches.parts = std::min(rows, (threads + count - 1) / count);
        batches.rows_a_part = (rows + batches.parts - 1) / batches.parts;
        return batches;
    }

    void add_step(std::shared_ptr<const ComputedProduct> computed, const Node* merged) {
        auto product = std::make_shared<const kernels::DataProduct>(computed->params());
        StepInfo info = describe(*computed, merged);
        info.implementation = "fuseq:" + product->implementation();
        CallStep::Tensors tensors{.inputs = {computed->a.id, computed->b.id},
                                  .outputs = {computed->dst.id},
                                  .scratch = {}};
        std::vector<std::size_t> sizes;  // of an element, by number of the binary source; 0: unused
        for (std::size_t i = 0; i < computed->sources.size(); ++i) {
            sizes.push_back(computed->source_bytes(i));
            if (sizes.back() != 0) {
                tensors.inputs.push_back(computed->sources[i]);
            }
        }
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        tensors.scratch = {builder_.new_scratch(product->scratch_bytes() * threads)};
        const bool alone = threads_for(info.macs) == 1;
        auto step = std::make_unique<CallStep>(
            [product, batches = batches_of(*computed), sizes, alone, rows = computed->rows(),
             bytes = size_of(composition_.anchor.dst_type)](const CallMemory& memory) {
                parallel_team(alone, [&](std::size_t id, std::size_t size, const auto&) {
                    run_part(*product, batches, sizes, rows, bytes, memory, id, size);
                });
            },
            std::move(tensors), std::move(info));
        step->set_computed_product(std::move(computed));
        builder_.add_step(std::move(step));
    }

    static void run_part(const kernels::DataProduct& product,
                         const Batches& batches,
                         const std::vector<std::size_t>& sizes,
                         std::size_t rows,
                         std::size_t dst_bytes,
                         const CallMemory& memory,
                         std::size_t id,
                         std::size_t size) {
        const void* sources[ComputedProduct::kMaxSources] = {};
        kernels::DataProductArgs args;
        args.binary_sources = {sources, sizes.size()};
        args.scratch = memory.work<std::uint8_t>(0) + id * product.scratch_bytes();
        const std::size_t count = batches.products.size() * batches.parts;
        for (std::size_t i = count * id / size; i < count * (id + 1) / size; ++i) {
            const Batches::Offsets& at = batches.products[i / batches.parts];
            args.a = memory.input<std::uint8_t>(0) + at.a;
            args.b = memory.input<std::uint8_t>(1) + at.b;
            args.dst = memory.output<std::uint8_t>(0) + at.dst * dst_bytes;
            std::size_t input = 2;
            for (std::size_t n = 0; n < sizes.size(); ++n) {
                sources[n] = sizes[n] == 0
                                 ? nullptr
                                 : memory.input<std::uint8_t>(input) + at.binary * sizes[n];
                input += sizes[n] == 0 ? 0 : 1;
            }
            const std::size_t begin = i % batches.parts * batches.rows_a_part;
            product.run(args, {std::min(begin, rows), std::min(begin + batches.rows_a_part, rows)});
        }
    }

    StepInfo describe(const ComputedProduct& product, const Node* merged) const {
        StepInfo info;
        info.kind = "matmul";
        info.src_type = to_string(node_.input(0).type());
        info.wei_type = to_string(node_.input(1).type());
        info.dst_type = to_string(composition_.anchor.dst_type);
        info.layout = "plain";
        info.quantized = true;
        info.macs = static_cast<std::int64_t>(shape_size(dims_) * product.depth);
        info.bytes = static_cast<std::int64_t>(
            shape_size(node_.input(0).shape()) + shape_size(node_.input(1).shape()) +
            shape_size(dims_) * size_of(composition_.anchor.dst_type));
        describe_anchor(info, group_, composition_.anchor);
        info.post_ops = composition_.text;
        info.notes = composition_.notes;
        info.layers.insert(info.layers.end(), read_through_.begin(), read_through_.end());
        if (merged != nullptr) {
            info.layers.push_back(merged->name());
        }
        return info;
    }

    StepBuilder& builder_;
    const Group& group_;
    const Node& node_;
    OwnComposition composition_;
    Shape dims_;
    ProductPlaces places_;
    std::vector<std::string> read_through_;  // transpositions of operands
};

std::string refusal_of(const Node& node) {
    if (node.attrs<MatMulAttrs>().transpose_a) {
        return "the columns of its first matrix are contiguous, and not the rows";
    }
    if (!single_zero_point(node, 2) || !single_zero_point(node, 3)) {
        return "several zero points";
    }
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    if (src.size() < 2 || node.input(1).shape().size() < 2 || shape_size(dst) == 0 ||
        src.back() == 0 || src.back() > kernels::DataProduct::kMaxDepth) {
        return "for matrices, of at least one element and a depth of 32768 at most";
    }
    return {};
}

}  // namespace

Verdict data_product_supports(const StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("MatMul") || !is_integral(node.input(0).type()) ||
        !is_integral(node.input(1).type()) || node.input_node(1)->is_constant()) {
        return Verdict::other_kind();
    }
    if (!builder.options().own_gemm) {
        return Verdict::no("FUSEQ_OWN_GEMM is NO");
    }
    if (int8_accumulates_exactly()) {
        return Verdict::no("oneDNN does not saturate with AVX-512 VNNI");
    }
    std::string refused = refusal_of(node);
    if (refused.empty()) {
        compose_product(builder, group, refused);
    }
    return refused.empty() ? Verdict::yes() : Verdict::no(refused);
}

TensorId make_data_product(StepBuilder& builder, const Group& group) {
    std::string refused;
    auto composition = compose_product(builder, group, refused);
    if (!composition) {
        throw Error("compile", "data product: " + refused);
    }
    return DataProductMaker(builder, group, std::move(*composition)).make();
}

}  // namespace fuseq::cpu
