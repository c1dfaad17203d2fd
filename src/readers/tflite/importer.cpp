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
    const auto* name = file.subgraphs()->Get(0)->name();
    const bool named = name != nullptr && name->size() > 0;
    GraphImporter graph(context, 0, std::make_shared<Model>(named ? name->str() : "model"));
    std::shared_ptr<Model> model = graph.read_model();
    model->remove_dead_nodes();
    return model;
}

}  // namespace fuseq::tflite_reader
