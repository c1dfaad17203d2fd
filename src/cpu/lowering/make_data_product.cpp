// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of two computed integer matrices, as those of attention, where oneDNN's int8 kernels may
// saturate: without AVX-512 VNNI.
#include <algorithm>
#include <utility>

#include "cpu/kernels/gemm/data_product.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/matmul_operands.hpp"
#include "cpu/lowering/own_composition.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

using Strides = std::vector<std::size_t>;

// In elements, by dimension of the result; 0 along dimensions of size 1, which are broadcast.
Strides strides_of(const dnnl::memory::desc& desc) {
    const auto& data = desc.data;
    Strides strides;
    for (int d = 0; d < data.ndims; ++d) {
        const bool one = data.dims[d] == 1 && d + 2 < data.ndims;
        strides.push_back(one ? 0 : static_cast<std::size_t>(data.format_desc.blocking.strides[d]));
    }
    return strides;
}

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
        const TensorId a = read(0, a_);
        const TensorId b = read(1, b_);
        Node* const merged = transpose_after(builder_, group_);
        const Shape shape = merged == nullptr ? dims_ : merged->port(0).shape.to_shape();
        std::vector<TensorId> sources =
            source_tensors(builder_, group_, composition_.epilogue.program, Layout::kPlain);
        const TensorId dst =
            result_tensor(builder_, group_, composition_.anchor, shape, Layout::kPlain);
        const ElementType type = composition_.anchor.dst_type;
        dst_ = strides_of(merged == nullptr ? dnnl_desc(type, dims_, Layout::kPlain)
                                            : desc_before(*merged, type));
        add_step(a, b, dst, sources, merged);
        if (merged != nullptr) {
            builder_.finish_node(*merged, dst);
            return kNoTensor;
        }
        return finish_anchor(builder_, group_, composition_.anchor, dst);
    }

private:
    std::size_t depth() const {
        const Shape src = node_.input(0).shape();
        return src.back();
    }

    // The strides of an operand, before its transposition where the kernel takes them.
    TensorId read(std::size_t input, Strides& strides) {
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

    kernels::MatrixOperand operand(std::size_t input, const Strides& strides) const {
        return {.type = node_.input(input).type(),
                .zero_point = *single_zero_point(node_, input + 2),
                .row = strides[dims_.size() - 2],
                .column = strides[dims_.size() - 1]};
    }

    kernels::DataProductParams params() const {
        kernels::DataProductParams params;
        params.rows = dims_[dims_.size() - 2];
        params.columns = dims_.back();
        params.depth = depth();
        params.a = operand(0, a_);
        params.b = operand(1, b_);
        params.dst_row = dst_[dims_.size() - 2];
        params.dst_type = composition_.anchor.dst_type;
        params.scale = composition_.epilogue.scale;
        params.bias = composition_.epilogue.bias;
        params.ops = composition_.epilogue.program.ops;
        const bool vnni = gemm_form() == kernels::GemmForm::kVnni256;
        params.form = vnni ? kernels::GemmForm::kVnni256 : kernels::GemmForm::kPairs;
        return params;
    }

    // Every product is given to one thread, or where there are fewer than threads, some rows of it.
    Batches batches() const {
        Batches batches;
        const std::size_t rank = dims_.size();
        const std::size_t rows = dims_[rank - 2];
        const std::size_t count = shape_size(dims_) / (rows * dims_.back());
        for (std::size_t i = 0; i < count; ++i) {
            Batches::Offsets at{0, 0, 0, i * rows * dims_.back()};
            std::size_t rest = i;
            for (std::size_t d = rank - 2; d-- > 0; rest /= dims_[d]) {
                const std::size_t place = rest % dims_[d];
                at.a += place * a_[d];
                at.b += place * b_[d];
                at.dst += place * dst_[d];
            }
            batches.products.push_back(at);
        }
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        batches.parts = std::min(rows, (threads + count - 1) / count);
        batches.rows_a_part = (rows + batches.parts - 1) / batches.parts;
        return batches;
    }

    void add_step(TensorId a,
                  TensorId b,
                  TensorId dst,
                  const std::vector<TensorId>& sources,
                  const Node* merged) {
        auto product = std::make_shared<const kernels::DataProduct>(params());
        StepInfo info = describe(merged);
        info.implementation = "fuseq:" + product->implementation();
        CallStep::Tensors tensors{.inputs = {a, b}, .outputs = {dst}, .scratch = {}};
        std::vector<std::size_t> sizes;  // of an element, by number of the binary source; 0: unused
        for (const TensorId source : sources) {
            sizes.push_back(source == kNoTensor ? 0 : size_of(builder_.tensor(source).type));
            if (source != kNoTensor) {
                tensors.inputs.push_back(source);
            }
        }
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        tensors.scratch = {builder_.new_scratch(product->scratch_bytes() * threads)};
        const bool alone = threads_for(info.macs) == 1;
        builder_.add_step(std::make_unique<CallStep>(
            [product, batches = batches(), sizes, alone, rows = dims_[dims_.size() - 2],
             bytes = size_of(composition_.anchor.dst_type)](const CallMemory& memory) {
                parallel_team(alone, [&](std::size_t id, std::size_t size, const auto&) {
                    run_part(*product, batches, sizes, rows, bytes, memory, id, size);
                });
            },
            std::move(tensors), std::move(info)));
    }

    static void run_part(const kernels::DataProduct& product,
                         const Batches& batches,
                         const std::vector<std::size_t>& sizes,
                         std::size_t rows,
                         std::size_t dst_bytes,
                         const CallMemory& memory,
                         std::size_t id,
                         std::size_t size) {
        const void* sources[kMaxSources] = {};
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

    StepInfo describe(const Node* merged) const {
        StepInfo info;
        info.kind = "matmul";
        info.src_type = to_string(node_.input(0).type());
        info.wei_type = to_string(node_.input(1).type());
        info.dst_type = to_string(composition_.anchor.dst_type);
        info.layout = "plain";
        info.quantized = true;
        info.macs = static_cast<std::int64_t>(shape_size(dims_) * depth());
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

public:
    static constexpr std::size_t kMaxSources = 8;

private:
    StepBuilder& builder_;
    const Group& group_;
    const Node& node_;
    OwnComposition composition_;
    Shape dims_;
    Strides a_, b_, dst_;
    std::vector<std::string> read_through_;  // transpositions of operands
};

// The whole chain, whose tensors have the shape of the result.
std::optional<OwnComposition> compose(const StepBuilder& builder,
                                      const Group& group,
                                      std::string& refused) {
    const Shape dims = group.anchor->port(0).shape.to_shape();
    auto composition = compose_own(builder, group, post_ops::AnchorKind::kMatMul, dims.back(),
                                   Layout::kPlain, composer_of(group), refused);
    const bool fits = group.binary_sources.size() <= DataProductMaker::kMaxSources &&
                      std::all_of(group.binary_sources.begin(), group.binary_sources.end(),
                                  [&](const Output& source) { return source.shape() == dims; });
    if (composition && !fits) {
        refused = "reads tensors of other shapes";
        return std::nullopt;
    }
    return composition;
}

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
        compose(builder, group, refused);
    }
    return refused.empty() ? Verdict::yes() : Verdict::no(refused);
}

TensorId make_data_product(StepBuilder& builder, const Group& group) {
    std::string refused;
    auto composition = compose(builder, group, refused);
    if (!composition) {
        throw Error("compile", "data product: " + refused);
    }
    return DataProductMaker(builder, group, std::move(*composition)).make();
}

}  // namespace fuseq::cpu
