// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations between quantizers as ONNX Runtime computes them at optimization level `all`: in
// integers where it has a kernel, else on real values between QuantizeLinear and DequantizeLinear.
//
//   Law:     none: the results round as those of another engine. The method ONNX_FUSED asks for it.
//   Before:  FakeQuantize(x) -> Convolution(., w) -> Add(bias) -> ReLU -> FakeQuantize
//   After:   Quantize(x) -> QuantizedConvolution(., w, bias) -> Dequantize
//            Also MatMul with or without a row added, Add, Multiply, Concat, AvgPool, the mean over
//            an image, LeakyReLU, Sigmoid, SoftMax. Reshape, Transpose, Squeeze and Unsqueeze may
//            stand between them and the quantizers. A FakeQuantize of none of these becomes
//            Quantize -> Dequantize.
//   Refuses: a source or weights that are not quantized, integers of 16 bits, types that differ,
//            scales along another dimension, a bias that is not constant, a result that something
//            else reads, an operation without a kernel (not_fused). Bodies of If and Loop.
//   Source:  optimized models that ONNX Runtime 1.30 for x86 wrote.
#include "transformations/common/fuse_qdq_groups.hpp"

#include <algorithm>

#include "ops/clamp.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "transformations/qdq/qdq_group.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_qdq_groups_pass {
namespace {

constexpr std::string_view kName = "fuse_qdq_groups";

// Whether a source of the node is real values of a grid, moved or not.
bool reads_integers(const Node& node) {
    return std::any_of(node.inputs().begin(), node.inputs().end(), [](Output input) {
        while (input && is_qdq_movement(*input.node)) {
            input = input.node->input(0);
        }
        return input && qdq_value(input).has_value();
    });
}

// Whether the quantizer's own saturation does what an activation does.
bool is_implied(const Node& node, const QdqGrid& dst) {
    if (!dst.is_single()) {
        return false;
    }
    const bool negative = is_signed(dst.type);
    const std::int64_t levels = std::int64_t{1} << bits_of(dst.type);
    const std::int64_t lowest = negative ? -levels / 2 : 0;
    const auto real = [&](std::int64_t q) {
        return static_cast<float>(q - dst.zero_point()) * dst.scale();
    };
    if (node.is("ReLU")) {
        return dst.zero_point() == lowest;
    }
    if (!node.is("Clamp")) {
        return false;
    }
    const auto& clamp = node.attrs<ClampAttrs>();
    return clamp.min <= real(lowest) && clamp.max >= real(lowest + levels - 1);
}

// The anchor before a bias.
Node* product_of(Node& last) {
    const auto is_product = [](const Node& node) {
        return is_one_of(node, {"Convolution", "GroupConvolution", "MatMul"});
    };
    if (is_product(last)) {
        return &last;
    }
    for (std::size_t i = 0; last.is("Add") && i < 2; ++i) {
        if (is_product(*last.input_node(i)) && has_single_use(last.input(i))) {
            return last.input_node(i);
        }
    }
    return nullptr;
}

QdqMatch match(Node& last, const QdqGrid& dst) {
    if (Node* product = product_of(last)) {
        return product->is("MatMul") ? fuse_qdq_matmul(last, *product, dst)
                                     : fuse_qdq_convolution(last, *product, dst);
    }
    QdqMatch found = fuse_qdq_operation(last, dst);
    if (found.fused == nullptr && found.reason.empty()) {
        found.reason = "ONNX Runtime has no fused kernel of " + last.type();
    }
    return found;
}

void take_name(Node& to, Node& from) {
    const std::string name = from.name();
    from.set_name(from.model().unique_name(name + "/real"));
    to.set_name(name);
}

// The integers of a group that ends at `quantizer`; null where it is none.
Output fused_source(Node& quantizer, QdqGrid dst, PassContext& context) {
    std::vector<const Node*> movements;
    std::vector<const Node*> implied;
    Output source = quantizer.input(0);
    while (has_single_use(source) &&
           (is_qdq_movement(*source.node) || is_implied(*source.node, dst))) {
        (is_qdq_movement(*source.node) ? movements : implied).push_back(source.node);
        source = source.node->input(0);
    }
    dst.moved = !movements.empty();
    Node& last = *source.node;
    if (!reads_integers(product_of(last) != nullptr ? *product_of(last) : last) ||
        qdq_value(source)) {
        return {};
    }
    QdqMatch found = has_single_use(source) ? match(last, dst)
                                            : QdqMatch{nullptr, "something else reads its result"};
    if (found.fused == nullptr) {
        context.refused(kName, last, "not_fused", describe(last) + ": " + found.reason);
        return {};
    }
    add_origins(*found.fused, last);
    std::for_each(implied.begin(), implied.end(),
                  [&](const Node* node) { add_origins(*found.fused, *node); });
    take_name(*found.fused, last);
    context.rewritten(kName, *found.fused);
    Output integers = found.fused->output(0);
    std::for_each(movements.rbegin(), movements.rend(), [&](const Node* movement) {
        std::vector<Output> inputs = movement->inputs();
        inputs[0] = integers;
        const std::string name = movement->model().unique_name(movement->name() + "/integers");
        integers = copy_node(*movement, name, std::move(inputs))->output(0);
    });
    return integers;
}

Output quantized(Node& fq, const QdqGrid& grid) {
    QuantizeAttrs attrs;
    attrs.method = QuantizeMethod::kOnnxFused;
    attrs.scales = grid.scales;
    attrs.zero_points = grid.zero_points;
    attrs.axis = grid.axis;
    attrs.output_type = grid.type;
    Model& model = fq.model();
    Node* made = model.add("Quantize", 1, model.unique_name(fq.name() + "/quantize"), {fq.input(0)},
                           std::move(attrs));
    add_origins(*made, fq);
    return made->output(0);
}

// ONNX Runtime makes u8 of the i8 that one operation reads.
QdqGrid grid_of_result(const Node& fq, QdqGrid grid) {
    const std::vector<Use> readers = fq.users();
    if (grid.type == ElementType::i8 && grid.is_single() && readers.size() == 1) {
        grid.type = ElementType::u8;
        grid.zero_points[0] += 128;
    }
    return grid;
}

void replace_fake_quantize(Node& fq, const Output& integers, const QdqGrid& grid) {
    DequantizeAttrs attrs;
    attrs.scales = grid.scales;
    attrs.zero_points = grid.zero_points;
    attrs.axis = grid.axis;
    Model& model = fq.model();
    Node* made = model.add("Dequantize", 1, model.unique_name(fq.name() + "/dequantize"),
                           {integers}, std::move(attrs));
    add_origins(*made, fq);
    model.replace(fq.output(0), made->output(0));
    take_name(*made, fq);
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        std::optional<QdqGrid> grid = quantizer_grid(*node);
        if (!grid) {
            continue;
        }
        if (node->is("FakeQuantize")) {
            grid = grid_of_result(*node, *grid);
        }
        const Output fused = fused_source(*node, *grid, context);
        if (node->is("FakeQuantize")) {
            replace_fake_quantize(*node, fused ? fused : quantized(*node, *grid), *grid);
        } else if (fused) {
            model.replace(node->output(0), fused);
        }
        changed = changed || fused || node->is("FakeQuantize");
    }
    model.remove_dead_nodes();
    return changed;
}

}  // namespace
}  // namespace fuse_qdq_groups_pass

bool fuse_qdq_groups(Model& model, PassContext& context) {
    return fuse_qdq_groups_pass::run(model, context);
}

}  // namespace fuseq
