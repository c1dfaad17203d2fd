// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that only move elements: slices, splits, gathers, shuffles, pads, transposes. When all
// their other inputs are constant, the reference kernel run once over the positions of the elements
// in memory says where each element of the result comes from, whatever the attributes; the step
// only replays that.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/dnnl_support.hpp"
#include "cpu/steps/movement.hpp"
#include "cpu/steps/reorder.hpp"
#include "cpu/steps/strided_map.hpp"
#include "ops/op_spec.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::cpu {
namespace {

// Tables for more elements than that take too long to make.
constexpr std::size_t kMaxElements = std::size_t{1} << 26;

bool only_moves(const Node& node) {
    static constexpr const char* kTypes[] = {
        "Split",        "VariadicSplit",   "StridedSlice",
        "Slice",        "Gather",          "Tile",
        "DepthToSpace", "SpaceToDepth",    "Pad",
        "Transpose",    "BatchToSpace",    "SpaceToBatch",
        "Roll",         "Broadcast",       "ShuffleChannels",
        "ReorgYolo",    "ReverseSequence", "ExtractImagePatches",
        "Reverse"};
    return std::any_of(std::begin(kTypes), std::end(kTypes),
                       [&](const char* type) { return node.is(type); });
}

bool fits(const Output& output) {
    const PartialShape& shape = output.partial_shape();
    if (!shape.is_static() || output.type() == ElementType::undefined || is_packed(output.type())) {
        return false;
    }
    const std::size_t count = shape_size(shape.to_shape());
    return count != 0 && count <= kMaxElements &&
           count * size_of(output.type()) <= std::numeric_limits<std::int32_t>::max();
}

bool takes_movement(Node& node) {
    if (!only_moves(node) || node.input_node(0)->is_constant() || !fits(node.input(0))) {
        return false;
    }
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        if (node.has_input(i) && !node.input_node(i)->is_constant()) {
            return false;
        }
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (!fits(node.output(i)) || node.port(i).type != node.input(0).type()) {
            return false;
        }
    }
    return true;
}

Shape memory_shape(const Shape& shape, Layout layout) {
    Shape result;
    for (const std::size_t d : memory_order(shape.size(), layout)) {
        result.push_back(shape[d]);
    }
    return result;
}

// Element by element in the order of the IR: 1 + its place in memory.
Tensor positions(const PlanTensor& tensor) {
    const Shape shape = tensor.dims();
    Tensor in_memory(ElementType::i32, memory_shape(shape, tensor.layout));
    std::iota(in_memory.data<std::int32_t>(), in_memory.data<std::int32_t>() + in_memory.get_size(),
              std::int32_t{1});
    if (tensor.layout == Layout::kPlain) {
        return in_memory;
    }
    std::vector<std::size_t> place(shape.size());  // in memory, of every dimension
    const std::vector<std::size_t> order = memory_order(shape.size(), tensor.layout);
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
    }
    Tensor result(ElementType::i32, shape);
    copy_transposed(in_memory, place, result);
    return result;
}

// Runs a kernel on positions in the place of the elements.
class PositionContext final : public EvalContext {
public:
    PositionContext(const Node& node, std::span<const Tensor> inputs)
        : EvalContext(node, inputs), outputs_(node.output_count()) {}
    Tensor& output(std::size_t i, const Shape& shape) override {
        return outputs_.at(i) = Tensor(ElementType::i32, shape);
    }
    const std::vector<Tensor>& outputs() const { return outputs_; }

private:
    std::vector<Tensor> outputs_;
};

// Kernels write zero where no element goes (kFromConstant); so does Pad without its constant.
std::vector<Tensor> sources_of(const Node& node, const PlanTensor& src) {
    std::vector<Tensor> inputs = {positions(src)};
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        const bool pad_value = node.is("Pad") && i == 3;
        inputs.push_back(node.has_input(i) && !pad_value ? node.input_node(i)->constant()
                                                         : Tensor());
    }
    PositionContext context(node, inputs);
    node.spec().evaluate(context);
    return context.outputs();
}

std::vector<std::byte> constant_of(const Node& node) {
    std::vector<std::byte> bytes(size_of(node.port(0).type));
    if (node.is("Pad") && node.has_input(3)) {
        const Tensor& value = node.input_node(3)->constant();
        if (value.get_byte_size() == bytes.size()) {
            std::memcpy(bytes.data(), value.data(), bytes.size());
        }
    }
    return bytes;
}

void add_periods(const Shape& shape, std::vector<std::size_t>& periods) {
    std::size_t product = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        product *= shape[d];
        periods.push_back(product);
    }
}

MovementMap map_of(const Tensor& sources, const PlanTensor& src, const PlanTensor& dst) {
    std::vector<std::size_t> periods;
    add_periods(memory_shape(src.dims(), src.layout), periods);
    add_periods(memory_shape(dst.dims(), dst.layout), periods);
    const Tensor ordered =
        dst.layout == Layout::kPlain ? sources : reordered(sources, Layout::kChannelsLast);
    return make_movement_map({ordered.data<std::int32_t>(), ordered.get_size()}, size_of(dst.type),
                             periods);
}

std::vector<MovementMap> maps_of(const Node& node,
                                 const PlanTensor& src,
                                 const std::vector<PlanTensor>& dst) {
    std::vector<Tensor> sources;  // worked out when they are needed
    std::vector<MovementMap> maps;
    for (std::size_t i = 0; i < dst.size(); ++i) {
        if (auto dims = strided_dims(node, i, src, dst[i])) {
            maps.push_back(make_strided_map(std::move(*dims), size_of(dst[i].type)));
            continue;
        }
        if (sources.empty()) {
            sources = sources_of(node, src);
        }
        maps.push_back(map_of(sources[i], src, dst[i]));
    }
    return maps;
}

}  // namespace

Verdict make_movement(StepBuilder& builder, Node& node) {
    if (!takes_movement(node)) {
        return only_moves(node)
                   ? Verdict::no(
                         "computed indices, a constant or packed source, or too many elements")
                   : Verdict::other_kind();
    }
    const TensorId src_id = builder.tensor_of(node.input(0));
    const PlanTensor src = builder.tensor(src_id);
    std::vector<PlanTensor> dst;
    std::vector<TensorId> dst_ids;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const OutputPort& port = node.port(i);
        const bool keeps_order = port.shape.rank() == src.shape.rank() && !node.is("Transpose");
        const Layout layout = keeps_order && port.shape.rank() >= 3 ? src.layout : Layout::kPlain;
        dst_ids.push_back(builder.new_tensor(port.type, port.shape, layout));
        dst.push_back(builder.tensor(dst_ids.back()));
        builder.set_tensor(node.output(i), dst_ids.back());
    }
    auto step = std::make_unique<MovementStep>(src, src_id, std::move(dst_ids), constant_of(node));
    name_after(step->info(), node);
    MovementStep& later = *step;
    builder.add_step(std::move(step));
    builder.defer(
        [&later, &node, src, dst = std::move(dst)] { later.set_maps(maps_of(node, src, dst)); });
    return Verdict::yes();
}

}  // namespace fuseq::cpu
