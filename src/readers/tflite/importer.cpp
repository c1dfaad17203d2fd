// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/importer.hpp"

#include <algorithm>

#include "readers/tflite/graph_importer.hpp"
#include "readers/tflite/model_file.hpp"

namespace fuseq::tflite_reader {
namespace {

OperatorKind read_kind(const ::tflite::OperatorCode& code, const Place& place) {
    // Files before format 3a have the number in one byte only.
    const std::int32_t number =
        std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code());
    OperatorKind kind{.type = std::string(builtin_name(number)), .version = code.version()};
    place.require(!kind.type.empty(), "has an operator with the number ", number,
                  ", which the format does not have");
    place.require(kind.version >= 1, "has an operator ", kind.type, " of version ", kind.version);
    if (number == kCustomCode) {
        kind.type = code.custom_code() == nullptr ? "" : code.custom_code()->str();
        place.require(!kind.type.empty(), "has a custom operator without a name");
        kind.row = find_operator(kind.type);
        if (kind.row == nullptr || !kind.row->custom) {
            kind.row = nullptr;
            kind.type = "custom operator '" + kind.type + "'";
        }
        return kind;
    }
    kind.row = find_operator(kind.type);
    return kind;
}

std::shared_ptr<Model> import_graph(const FileContext& context) {
    const auto* name = context.file.subgraphs()->Get(0)->name();
    const bool named = name != nullptr && name->size() > 0;
    GraphImporter graph(context, 0, std::make_shared<Model>(named ? name->str() : "model"));
    std::shared_ptr<Model> model = graph.read_model();
    model->remove_dead_nodes();
    return model;
}

// The sizes that the file gives its inputs, in the order of the Parameters.
std::vector<TensorInfo> inputs_of(const FileContext& context) {
    const ::tflite::SubGraph& graph = *context.file.subgraphs()->Get(0);
    const std::vector<TensorInfo> tensors =
        read_tensors(context.file, graph, context.bytes, context.place);
    std::vector<TensorInfo> inputs;
    if (graph.inputs() != nullptr) {
        for (const std::int32_t index : *graph.inputs()) {
            if (index >= 0 && static_cast<std::size_t>(index) < tensors.size()) {
                inputs.push_back(tensors[static_cast<std::size_t>(index)]);
            }
        }
    }
    return inputs;
}

// Read with open sizes, so that no layer depends on them, then given those of the file. Null where
// an operator must know them when it is read.
std::shared_ptr<Model> import_free(FileContext context, const std::vector<TensorInfo>& inputs) {
    std::vector<std::string> warnings;
    const auto on_warning = context.on_warning;
    context.free_sizes = true;
    context.on_warning = [&](const std::string& sentence) { warnings.push_back(sentence); };
    try {
        std::shared_ptr<Model> model = import_graph(context);
        std::map<std::string, PartialShape> shapes;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            shapes[model->parameters().at(i)->name()] = PartialShape(inputs[i].shape);
        }
        model->reshape(shapes);
        if (on_warning) {
            std::for_each(warnings.begin(), warnings.end(), on_warning);
        }
        return model;
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace

std::shared_ptr<Model> import_model(const FileBytes& bytes, const ImportOptions& options) {
    const Place place{.file = options.file};
    const ::tflite::Model& file = verify_model(bytes, place);
    place.require(file.subgraphs() != nullptr && file.subgraphs()->size() > 0, "has no graph");
    FileContext context{.file = file,
                        .bytes = bytes,
                        .place = place,
                        .kinds = {},
                        .on_warning = options.on_warning};
    if (file.operator_codes() != nullptr) {
        for (const ::tflite::OperatorCode* code : *file.operator_codes()) {
            context.kinds.push_back(read_kind(*code, place));
        }
    }
    refuse_unknown_operators(context);
    const std::vector<TensorInfo> inputs = inputs_of(context);
    const bool free = std::any_of(inputs.begin(), inputs.end(), [](const TensorInfo& info) {
        return std::find(info.free.begin(), info.free.end(), true) != info.free.end();
    });
    std::shared_ptr<Model> model = free ? import_free(context, inputs) : nullptr;
    return model ? model : import_graph(context);
}

}  // namespace fuseq::tflite_reader
