// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a product of its own of each part of a joint one, as exports of ViT, Swin and GPT-2 project
// queries, keys and values: each part then has its own quantization as the product's epilogue, and
// no floats are transposed and cut.
//
//   Law:     the columns J of x * W + b are x * W[:, J] + b[J]; an operation that cuts the
//            tensor of all columns leaves the columns of its indices.
//   Before:  x -> MatMul(quantized weights) -> [Add, Multiply, ... of a constant] -> [Reshape of the
//            last dimension to several] -> [Transpose] -> Split, Slice, Gather of an index, ... along
//            one of them
//   After:   a part: x -> MatMul(its columns) -> [Add, ...] -> [Reshape] -> [Transpose]
//   Refuses: weights that no columns can be taken of (weights_form); silently what is no such
//            product: a result that something else reads, parts along other dimensions, parts none
//            of which is quantized.
//   Source:  the definitions of the operations.
#include "transformations/low_precision/split_joint_projection.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "ops/matmul.hpp"
#include "ops/reshape.hpp"
#include "transformations/support/channelwise.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/part_of.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace split_joint_projection_pass {
namespace {

constexpr std::string_view kName = "split_joint_projection";

using Ints = std::vector<std::int64_t>;

// A joint product and what stands between it and its parts.
struct Joint {
    Node* matmul = nullptr;
    std::vector<Node*> arithmetic;  // of one constant each, in their order
    Node* reshape = nullptr;        // null: the parts are cut out of the last dimension
    Node* transpose = nullptr;      // null: none
    std::size_t columns = 0;
    Ints group{};                 // dimensions that the columns have when they are cut
    std::size_t group_begin = 0;  // the first of them, before the Transpose
    Ints order{};                 // of the Transpose; empty without

    Output end() const {
        Node* last = transpose != nullptr ? transpose
                     : reshape != nullptr ? reshape
                     : arithmetic.empty() ? matmul
                                          : arithmetic.back();
        return last->output();
    }
};

struct CutPart {
    Output port;
    Part part;
};

Node* only_reader(const Output& port) {
    return has_single_use(port) ? port.node->port(port.index).uses[0].node : nullptr;
}

bool is_arithmetic(const Node& node) {
    return is_one_of(node, {"Add", "Subtract", "Multiply"}) && node.input_count() == 2 &&
           is_constant_expression(node.input(1)) && node.port().shape.rank_is_static() &&
           node.port().shape == node.input(0).partial_shape();
}

// The dimensions that a Reshape makes of the last one, where it leaves the others together.
bool find_group(Joint& joint) {
    const PartialShape& shape = joint.reshape->port().shape;
    if (!shape.rank_is_static()) {
        return false;
    }
    auto left = static_cast<std::int64_t>(joint.columns);
    std::size_t at = shape.rank();
    while (left > 1 && at > 0 && shape[at - 1].is_static()) {
        const std::int64_t size = shape[at - 1].get_length();
        if (size < 1 || left % size != 0) {
            return false;
        }
        left /= size;
        joint.group.insert(joint.group.begin(), size);
        --at;
    }
    joint.group_begin = at;
    return left == 1;
}

// A 0 in the pattern stands for the dimension of the source there: it may only do so before the
// columns.
bool follow_reshape(Joint& joint, Node* node) {
    joint.reshape = node;
    if (!find_group(joint)) {
        return false;
    }
    Node* next = only_reader(node->output());
    if (next == nullptr || !next->is("Transpose")) {
        return true;
    }
    const Tensor* order = known_constant(next->input(1));
    if (order == nullptr || order->get_size() != node->port().shape.rank()) {
        return false;
    }
    joint.transpose = next;
    joint.order = to_ints(*order);
    return true;
}

std::optional<Joint> joint_of(Node& matmul) {
    Joint joint;
    joint.matmul = &matmul;
    const PartialShape& shape = matmul.port().shape;
    if (!match_weight_chain(matmul) || !shape.rank_is_static() || shape.rank() < 2 ||
        !shape[shape.rank() - 1].is_static()) {
        return std::nullopt;
    }
    joint.columns = static_cast<std::size_t>(shape[shape.rank() - 1].get_length());
    Node* next = only_reader(matmul.output());
    while (next != nullptr && is_arithmetic(*next)) {
        joint.arithmetic.push_back(next);
        next = only_reader(next->output());
    }
    if (next != nullptr && next->is("Reshape")) {
        return follow_reshape(joint, next) ? std::optional(joint) : std::nullopt;
    }
    joint.group = {static_cast<std::int64_t>(joint.columns)};
    joint.group_begin = shape.rank() - 1;
    return joint;
}

// The dimension of the group that a part is cut along.
std::optional<std::size_t> cut_dimension(const Joint& joint, const Part& part) {
    const auto axis =
        joint.order.empty() ? part.axis : static_cast<std::size_t>(joint.order[part.axis]);
    return axis >= joint.group_begin ? std::optional(axis - joint.group_begin) : std::nullopt;
}

// Whether the first operation on it that does more than move elements is a FakeQuantize.
bool is_quantized(const Output& port) {
    Node* at = only_reader(port);
    while (at != nullptr && is_one_of(*at, {"Reshape", "Transpose", "Squeeze", "Unsqueeze"})) {
        at = only_reader(at->output());
    }
    return at != nullptr && at->is("FakeQuantize");
}

// The part as what reads it, where that only drops the dimension of size 1 that it was cut along.
CutPart without_axis(const CutPart& cut) {
    Node* reader = cut.part.size == 1 && !cut.part.drops_axis ? only_reader(cut.port) : nullptr;
    if (reader == nullptr || !is_one_of(*reader, {"Squeeze", "Reshape"}) ||
        !reader->port().shape.rank_is_static()) {
        return cut;
    }
    const PartialShape& whole = cut.port.partial_shape();
    std::vector<Dimension> left;
    for (std::size_t d = 0; d < whole.size(); ++d) {
        if (d != cut.part.axis) {
            left.push_back(whole[d]);
        }
    }
    const auto open = std::count_if(left.begin(), left.end(), [](const Dimension& dimension) {
        return dimension.is_dynamic();
    });
    if (open > 1 || reader->port().shape != PartialShape(left)) {
        return cut;
    }
    return {reader->output(), {cut.part.axis, cut.part.begin, 1, true}};
}

// All that is read of the product; empty when something else than parts is.
std::vector<CutPart> parts_of(const Joint& joint) {
    std::vector<CutPart> parts;
    const Output end = joint.end();
    for (const Use& use : end.node->port(end.index).uses) {
        for (std::size_t i = 0; i < use.node->output_count(); ++i) {
            const Output port = use.node->output(i);
            const auto& uses = use.node->port(i).uses;
            const auto part = use.index == 0 ? part_of(port) : std::nullopt;
            if (!part || !cut_dimension(joint, *part) ||
                (part->drops_axis && joint.reshape == nullptr) ||
                std::any_of(uses.begin(), uses.end(),
                            [](const Use& reader) { return reader.node->is("Result"); })) {
                return {};
            }
            if (!uses.empty()) {
                parts.push_back(joint.reshape == nullptr ? CutPart{port, *part}
                                                         : without_axis({port, *part}));
            }
        }
    }
    const bool worth =
        parts.size() > 1 && std::any_of(parts.begin(), parts.end(),
                                        [](const CutPart& cut) { return is_quantized(cut.port); });
    return worth ? parts : std::vector<CutPart>{};
}

// The columns that the part has, in the order in which it has them.
std::vector<std::size_t> columns_of(const Joint& joint, const Part& part) {
    const std::size_t cut = *cut_dimension(joint, part);
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (std::size_t d = 0; d < joint.group.size(); ++d) {
        outer *= d < cut ? joint.group[d] : 1;
        inner *= d > cut ? joint.group[d] : 1;
    }
    std::vector<std::size_t> columns;
    for (std::int64_t o = 0; o < outer; ++o) {
        const std::int64_t first = (o * joint.group[cut] + part.begin) * inner;
        for (std::int64_t i = 0; i < part.size * inner; ++i) {
            columns.push_back(static_cast<std::size_t>(first + i));
        }
    }
    return columns;
}

// The pattern of the Reshape with other dimensions in the place of the group.
Output new_pattern(const Joint& joint, const Ints& group, const std::string& name) {
    Model& model = joint.matmul->model();
    const Output pattern = joint.reshape->input(1);
    if (const Tensor* known = known_constant(pattern)) {
        Ints values = to_ints(*known);
        values.resize(joint.group_begin);
        values.insert(values.end(), group.begin(), group.end());
        return make_constant(model, name, Tensor::of(Shape{values.size()}, values));
    }
    Ints leading(joint.group_begin);
    for (std::size_t i = 0; i < leading.size(); ++i) {
        leading[i] = static_cast<std::int64_t>(i);
    }
    const Output indices =
        make_constant(model, name + "/indices", Tensor::of(Shape{leading.size()}, leading));
    const Output axis = make_constant(model, name + "/axis", Tensor::scalar(std::int64_t{0}));
    Node* first = model.add("Gather", 1, name + "/leading", {pattern, indices, axis});
    const Output rest = make_constant(model, name + "/columns",
                                      Tensor::of(Shape{group.size()}, group).to(pattern.type()));
    return model.add("Concat", 1, name, {first->output(), rest})->output();
}

// The Reshape and Transpose for a part: without the dimension that it drops.
Output laid_out(const Joint& joint, const Part& part, Output at, const std::string& name) {
    const std::size_t cut = *cut_dimension(joint, part);
    Ints group = joint.group;
    group[cut] = part.size;
    if (part.drops_axis) {
        group.erase(group.begin() + static_cast<std::ptrdiff_t>(cut));
    }
    at = copy_node(*joint.reshape, name + "/reshape",
                   {at, new_pattern(joint, group, name + "/pattern")})
             ->output();
    if (joint.transpose == nullptr) {
        return at;
    }
    Ints order = joint.order;
    if (part.drops_axis) {
        const auto gone = static_cast<std::int64_t>(joint.group_begin + cut);
        order.erase(std::find(order.begin(), order.end(), gone));
        for (std::int64_t& dimension : order) {
            dimension -= dimension > gone ? 1 : 0;
        }
    }
    const Output constant = make_constant(joint.matmul->model(), name + "/order",
                                          Tensor::of(Shape{order.size()}, order));
    return copy_node(*joint.transpose, name + "/transpose", {at, constant})->output();
}

// The product of the columns of a part; a null Output when weights or constants are of another form.
Output product_of(const Joint& joint,
                  const std::vector<std::size_t>& columns,
                  const std::string& name) {
    constexpr int kMaxDepth = 4;  // of weights: Const -> Convert -> Subtract -> Multiply
    const Node& matmul = *joint.matmul;
    const std::size_t depths =
        matmul.attrs<MatMulAttrs>().transpose_b ? 1 : 0;  // after the columns
    const std::size_t rank = matmul.input(1).partial_shape().rank();
    const std::string suffix = "/" + name;
    const auto weights = remapped_operand(
        matmul.input(1), {rank - 1 - depths, joint.columns, rank, columns}, suffix, kMaxDepth);
    if (!weights) {
        return {};
    }
    Output at = copy_node(matmul, name + "/product", {matmul.input(0), *weights})->output();
    const std::size_t data_rank = at.partial_shape().rank();
    for (const Node* node : joint.arithmetic) {
        const auto constant = remapped_operand(
            node->input(1), {data_rank - 1, joint.columns, data_rank, columns}, suffix, kMaxDepth);
        if (!constant) {
            return {};
        }
        at = copy_node(*node, name + "/" + node->type(), {at, *constant})->output();
    }
    return at;
}

bool rewrite(Node& matmul, PassContext& context) {
    const auto joint = joint_of(matmul);
    if (!joint) {
        return false;
    }
    const std::vector<CutPart> parts = parts_of(*joint);
    std::vector<Output> made;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i].part;
        const std::string name = fmt::format("{}/part{}", matmul.name(), i);
        Output at = product_of(*joint, columns_of(*joint, part), name);
        if (!at) {
            context.refused(kName, matmul, "weights_form",
                            fmt::format("the {} parts of the result have no columns of their own "
                                        "in the weights or constants",
                                        parts.size()));
            return false;
        }
        made.push_back(joint->reshape == nullptr ? at : laid_out(*joint, part, at, name));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        add_origins(*made[i].node, *parts[i].port.node);
        redirect(parts[i].port, made[i]);
    }
    return !parts.empty();
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "MatMul", context, kName,
                        [&](Node& matmul) { return rewrite(matmul, context); });
}

}  // namespace
}  // namespace split_joint_projection_pass

bool split_joint_projection(Model& model, PassContext& context) {
    return split_joint_projection_pass::run(model, context);
}

}  // namespace fuseq
