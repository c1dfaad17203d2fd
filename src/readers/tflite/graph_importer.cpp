// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/graph_importer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "readers/common/unique_name.hpp"

namespace fuseq::tflite_reader {
namespace {

constexpr std::size_t kDeepestBody = 8;
// Subgraphs that call each other can stand for very many layers.
constexpr std::size_t kMaxBodies = 1000;

std::vector<std::int64_t> indices_of(const flatbuffers::Vector<std::int32_t>* values) {
    return values == nullptr ? std::vector<std::int64_t>{}
                             : std::vector<std::int64_t>{values->begin(), values->end()};
}

std::string list_of(const std::vector<std::string>& nodes) {
    constexpr std::size_t kShown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i) {
        text += (i == 0 ? "" : ", ") + nodes[i];
    }
    return nodes.size() > kShown ? fmt::format("{} and {} more", text, nodes.size() - kShown)
                                 : text;
}

}  // namespace

void refuse_unknown_operators(const FileContext& context) {
    std::map<std::string, std::vector<std::string>> unknown;
    std::size_t number = 0;
    for (const ::tflite::SubGraph* graph : *context.file.subgraphs()) {
        const std::size_t count = graph->operators() == nullptr ? 0 : graph->operators()->size();
        for (std::size_t i = 0; i < count; ++i) {
            const auto* stated = graph->operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
            context.place.require(stated->opcode_index() < context.kinds.size(), "operator ", i,
                                  " names operator code ", stated->opcode_index(),
                                  ", the file has ", context.kinds.size());
            const OperatorKind& kind = context.kinds[stated->opcode_index()];
            if (kind.row == nullptr || kind.version > kind.row->newest) {
                const std::string name =
                    kind.row == nullptr ? kind.type
                                        : fmt::format("{} version {}, known up to {}", kind.type,
                                                      kind.version, kind.row->newest);
                unknown[name].push_back(number == 0 ? std::to_string(i)
                                                    : fmt::format("{}:{}", number, i));
            }
        }
        ++number;
    }
    if (unknown.empty()) {
        return;
    }
    std::string text;
    for (const auto& [name, nodes] : unknown) {
        text += (text.empty() ? "" : "; ") + name + " (" + list_of(nodes) + ")";
    }
    context.place.fail("these operators are not supported (type and indices in the file): ", text);
}

GraphImporter::GraphImporter(const FileContext& context,
                             std::size_t subgraph,
                             std::shared_ptr<Model> model,
                             std::size_t depth)
    : context_(context),
      graph_(*context.file.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph))),
      model_(std::move(model)),
      depth_(depth),
      tensors_(read_tensors(context.file, graph_, context.bytes, context.place)),
      values_(tensors_.size()) {
    add_empty_constants();
}

// A tensor without elements needs no bytes: a shape of no dimensions, say. It is a constant where
// nothing else makes it.
void GraphImporter::add_empty_constants() {
    std::set<std::int64_t> made;
    const auto add = [&](const flatbuffers::Vector<std::int32_t>* indices) {
        const std::vector<std::int64_t> list = indices_of(indices);
        made.insert(list.begin(), list.end());
    };
    add(graph_.inputs());
    const std::size_t count = graph_.operators() == nullptr ? 0 : graph_.operators()->size();
    for (std::size_t i = 0; i < count; ++i) {
        add(graph_.operators()->Get(static_cast<flatbuffers::uoffset_t>(i))->outputs());
    }
    for (TensorInfo& info : tensors_) {
        if (!info.constant() && !info.variable && info.type != ElementType::undefined &&
            shape_size(info.shape) == 0 && !made.contains(static_cast<std::int64_t>(info.index))) {
            info.value = Tensor(info.type, info.shape);
        }
    }
}

std::shared_ptr<Model> GraphImporter::read_model() {
    add_parameters();
    translate_all();
    const std::vector<std::int64_t> outputs = indices_of(graph_.outputs());
    for (const std::int64_t index : outputs) {
        check_index(index, "output", context_.place);
        const auto at = static_cast<std::size_t>(index);
        const Place place = tensor_place(at);
        place.require(has_value(at) || tensors_[at].variable,
                      "is an output of the graph, and no operator makes it");
        model_->add_result(unique_name(tensor_name(at) + "/sink_port_0"), plain(at));
    }
    context_.place.require(!outputs.empty(), "the graph has no outputs");
    add_assigns();
    name_ports();
    return model_;
}

std::vector<Output> GraphImporter::insert(const std::vector<Output>& inputs) {
    const std::vector<std::int64_t> indices = indices_of(graph_.inputs());
    context_.place.require(indices.size() == inputs.size(), "a subgraph has ", indices.size(),
                           " inputs, the operator that calls it gives ", inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check_index(indices[i], "input", context_.place);
        values_[static_cast<std::size_t>(indices[i])].plain = inputs[i];
    }
    translate_all();
    context_.place.require(variables_.empty(), "variables within bodies are not supported");
    std::vector<Output> outputs;
    for (const std::int64_t index : indices_of(graph_.outputs())) {
        check_index(index, "output", context_.place);
        const auto at = static_cast<std::size_t>(index);
        tensor_place(at).require(has_value(at),
                                 "is an output of a subgraph, and no operator makes it");
        outputs.push_back(plain(at));
    }
    return outputs;
}

void GraphImporter::add_parameters() {
    for (const std::int64_t index : indices_of(graph_.inputs())) {
        check_index(index, "input", context_.place);
        const auto at = static_cast<std::size_t>(index);
        const TensorInfo& info = tensors_[at];
        const Place place = tensor_place(at);
        place.require(info.type != ElementType::undefined, "is an input of type ", info.type_name,
                      ", which is not supported");
        place.require(!has_value(at), "is an input twice, or a constant");
        std::vector<Dimension> dims;
        for (std::size_t d = 0; d < info.shape.size(); ++d) {
            const bool open = context_.free_sizes && info.is_free(d);
            dims.push_back(open ? Dimension::dynamic()
                                : Dimension(static_cast<std::int64_t>(info.shape[d])));
        }
        values_[at].plain =
            model_->add_parameter(unique_name(tensor_name(at)), info.type, PartialShape(dims))
                ->output();
    }
}

void GraphImporter::translate_all() {
    const std::size_t count = graph_.operators() == nullptr ? 0 : graph_.operators()->size();
    for (std::size_t i = 0; i < count; ++i) {
        translate(*graph_.operators()->Get(static_cast<flatbuffers::uoffset_t>(i)), i);
    }
}

void GraphImporter::translate(const ::tflite::Operator& stated, std::size_t position) {
    const OperatorKind& kind = context_.kinds[stated.opcode_index()];
    const std::vector<std::int64_t> outputs = indices_of(stated.outputs());
    Place place = context_.place;
    place.op = kind.type;
    place.layer = fmt::format("operator {}", position);
    place.require(!outputs.empty() || kind.row->handles, "has no outputs");
    for (const std::int64_t index : outputs) {
        check_index(index, "output", place);
    }
    check_inputs(indices_of(stated.inputs()), *kind.row, place);
    std::string name = place.layer;
    if (!outputs.empty()) {
        name = place.layer = tensor_name(static_cast<std::size_t>(outputs[0]));
    }
    Operator op(stated, kind.type, kind.version, name, *this, place);
    readers::translate_at(
        place, [] { return ""; },
        [&] {
            Values values = kind.row->translate(op);
            if (!kind.row->handles || !values.empty()) {
                take_outputs(op, outputs, std::move(values));
            }
        });
}

void GraphImporter::take_outputs(Operator& op,
                                 const std::vector<std::int64_t>& indices,
                                 Values values) {
    op.require(values.size() >= indices.size(), "has ", indices.size(), " outputs, expected ",
               values.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto at = static_cast<std::size_t>(indices[i]);
        const TensorInfo& info = tensors_[at];
        op.require(!has_value(at), "output ", i, ", ", info.title(),
                   ", has a value already: it is an input, a constant or made a second time");
        const Output made = values[i].plain ? values[i].plain : values[i].image;
        op.require(bool(made), "output ", i, " is not supported");
        op.require(made.type() == info.type, "output ", i, ", ", info.title(), ", is ",
                   to_string(info.type), ", the operator makes ", to_string(made.type()));
        values_[at] = values[i];
    }
    // The layer that makes the first output gets its name.
    const Output first = values[0].plain ? values[0].plain : values[0].image;
    const auto& made = op.made();
    if (std::find(made.begin(), made.end(), first.node) != made.end()) {
        names_.erase(first.node->name());
        first.node->set_name(unique_name(tensor_name(static_cast<std::size_t>(indices[0]))));
    }
}

void GraphImporter::check_inputs(const std::vector<std::int64_t>& indices,
                                 const OperatorRow& row,
                                 const Place& place) const {
    for (const std::int64_t index : indices) {
        if (index == -1) {
            continue;
        }
        check_index(index, "input", place);
        const TensorInfo& info = tensors_[static_cast<std::size_t>(index)];
        const bool handle = row.handles && handles_.contains(info.index);
        place.require(has_value(info.index) || info.variable || handle, "reads ", info.title(),
                      ", which has no value here: nothing makes it, or a later operator (a cycle)");
    }
}

void GraphImporter::check_index(std::int64_t index, const char* what, const Place& place) const {
    place.require(index >= 0 && static_cast<std::size_t>(index) < tensors_.size(), "an ", what,
                  " names tensor ", index, ", the graph has ", tensors_.size());
}

bool GraphImporter::has_value(std::size_t index) const {
    return values_[index].plain || values_[index].image || tensors_[index].constant();
}

Output GraphImporter::plain(std::size_t index) {
    Value& value = values_[index];
    const TensorInfo& info = tensors_[index];
    if (!value.plain) {
        if (value.image) {
            readers::LayerBuilder builder(*this, tensor_name(index), tensor_place(index));
            value.plain =
                builder.transpose(value.image, {std::begin(kFromImage), std::end(kFromImage)});
        } else if (info.constant()) {
            value.plain =
                model_->add_constant(unique_name(tensor_name(index)), info.value)->output();
        } else if (info.variable) {
            value.plain = read_variable(info);
        }
    }
    return value.plain;
}

Output GraphImporter::image(std::size_t index) {
    Value& value = values_[index];
    if (!value.image) {
        const Output source = plain(index);
        readers::LayerBuilder builder(*this, tensor_name(index), tensor_place(index));
        value.image = builder.transpose(source, {std::begin(kToImage), std::end(kToImage)});
    }
    return value.image;
}

bool GraphImporter::is_image(std::size_t index) const {
    return values_[index].image && !values_[index].plain;
}

// The order of the file where there is one: an image that nobody reads in that order keeps its own.
void GraphImporter::name_ports() {
    std::unordered_set<std::string> taken;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
        const Output made = values_[i].plain ? values_[i].plain : values_[i].image;
        if (made && !made.node->is_constant() && taken.insert(tensor_name(i)).second) {
            made.node->port(made.index).names.insert(tensor_name(i));
        }
    }
}

std::vector<Output> GraphImporter::insert_subgraph(std::int64_t subgraph,
                                                   const std::vector<Output>& inputs,
                                                   const Place& place) {
    GraphImporter inner(context_, checked_subgraph(subgraph, place), model_, depth_ + 1);
    inner.names_.swap(names_);
    std::vector<Output> outputs = inner.insert(inputs);
    inner.names_.swap(names_);
    return outputs;
}

std::shared_ptr<Model> GraphImporter::read_body(std::int64_t subgraph,
                                                const std::vector<Output>& like,
                                                std::int64_t and_then,
                                                const Place& place) {
    auto body = std::make_shared<Model>("body");
    GraphImporter inner(context_, checked_subgraph(subgraph, place), body, depth_ + 1);
    std::vector<Output> inputs;
    inputs.reserve(like.size());
    for (const Output& source : like) {
        inputs.push_back(
            body->add_parameter(inner.unique_name("input"), source.type(), source.partial_shape())
                ->output());
    }
    std::vector<Output> outputs = inner.insert(inputs);
    if (and_then >= 0) {
        std::vector<Output> first = inner.insert_subgraph(and_then, outputs, place);
        outputs.insert(outputs.begin(), first.begin(), first.end());
    }
    for (const Output& output : outputs) {
        body->add_result(inner.unique_name("output"), output);
    }
    return body;
}

std::size_t GraphImporter::checked_subgraph(std::int64_t subgraph, const Place& place) const {
    const std::size_t count = context_.file.subgraphs()->size();
    place.require(subgraph >= 0 && static_cast<std::size_t>(subgraph) < count, "names subgraph ",
                  subgraph, ", the file has ", count);
    place.require(++context_.bodies <= kMaxBodies, "more than ", kMaxBodies, " bodies are called");
    place.require(depth_ < kDeepestBody, "bodies are nested more than ", kDeepestBody, " deep");
    return static_cast<std::size_t>(subgraph);
}

std::string GraphImporter::unique_name(const std::string& base) {
    return readers::unique_name(names_, base);
}

std::string GraphImporter::tensor_name(std::size_t index) const {
    const std::string& name = tensors_[index].name;
    return name.empty() ? "t" + std::to_string(index) : name;
}

Place GraphImporter::tensor_place(std::size_t index) const {
    Place place = context_.place;
    place.layer = tensor_name(index);
    place.op = "tensor";
    return place;
}

void GraphImporter::warn(const std::string& sentence) const {
    if (context_.on_warning) {
        context_.on_warning(sentence);
    }
}

}  // namespace fuseq::tflite_reader
