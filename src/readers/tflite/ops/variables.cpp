// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables by their names: what a model keeps from one inference to the next.
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::variables_operators {
namespace {

Values var_handle(Operator& op) {
    const auto& options = op.options<::tflite::VarHandleOptions>();
    const auto text = [](const flatbuffers::String* value) {
        return value == nullptr ? std::string() : value->str();
    };
    const std::string container = text(options.container());
    const std::string name = text(options.shared_name());
    op.graph().name_handle(op.output_index(), container.empty() ? name : container + "/" + name);
    return {};
}

Values read_variable(Operator& op) {
    const TensorInfo& as = op.output_tensor();
    return plain(op.graph().read_named(op.input_index(0), as, op.place()));
}

Values assign_variable(Operator& op) {
    op.graph().assign_named(op.input_index(0), op.input(1), op.place());
    return {};
}

Values call_once(Operator& op) {
    const auto& options = op.options<::tflite::CallOnceOptions>();
    op.graph().initialize_by(options.init_subgraph_index(), op.place());
    return {};
}

const OperatorRow kRows[] = {
    {.type = "ASSIGN_VARIABLE", .newest = 1, .translate = assign_variable, .handles = true},
    {.type = "CALL_ONCE",
     .newest = 1,
     .translate = call_once,
     .note = "what the variables begin with",
     .handles = true},
    {.type = "READ_VARIABLE", .newest = 1, .translate = read_variable, .handles = true},
    {.type = "VAR_HANDLE", .newest = 1, .translate = var_handle, .handles = true},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::variables_operators
