// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A subgraph of a file to layers of a Model.
#pragma once

#include <functional>
#include <map>
#include <unordered_set>

#include "readers/tflite/operator.hpp"
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader {

struct OperatorKind {
    std::string type;
    int version = 1;
    const OperatorRow* row = nullptr;  // null where it cannot be read
};

// What the subgraphs of one file share.
struct FileContext {
    const ::tflite::Model& file;
    FileBytes bytes;
    Place place;
    std::vector<OperatorKind> kinds;  // by the index of the operator code
    std::function<void(const std::string&)> on_warning;
    bool free_sizes = false;         // sizes of inputs that may change are open
    mutable std::size_t bodies = 0;  // read so far
};

// Throws one Error that lists all operators of the file that cannot be read.
void refuse_unknown_operators(const FileContext& context);

class GraphImporter final : public GraphServices {
public:
    GraphImporter(const FileContext& context,
                  std::size_t subgraph,
                  std::shared_ptr<Model> model,
                  std::size_t depth = 0);

    // With Parameters, Results and variables.
    std::shared_ptr<Model> read_model();
    // The layers alone.
    std::vector<Output> insert(const std::vector<Output>& inputs);

    Model& model() override { return *model_; }
    std::string unique_name(const std::string& base) override;
    std::size_t tensor_count() const override { return tensors_.size(); }
    const TensorInfo& tensor(std::size_t index) const override { return tensors_.at(index); }
    Output plain(std::size_t index) override;
    Output image(std::size_t index) override;
    bool is_image(std::size_t index) const override;
    void assign(std::size_t index, const Output& value) override;
    void name_handle(std::size_t tensor, const std::string& variable) override;
    Output read_named(std::size_t handle, const TensorInfo& as, const Place& place) override;
    void assign_named(std::size_t handle, const Output& value, const Place& place) override;
    void initialize_by(std::int64_t subgraph, const Place& place) override;
    std::vector<Output> insert_subgraph(std::int64_t subgraph,
                                        const std::vector<Output>& inputs,
                                        const Place& place) override;
    std::shared_ptr<Model> read_body(std::int64_t subgraph,
                                     const std::vector<Output>& like,
                                     std::int64_t and_then,
                                     const Place& place) override;
    void warn(const std::string& sentence) const override;

private:
    void add_empty_constants();
    void add_parameters();
    void translate_all();
    void translate(const ::tflite::Operator& stated, std::size_t position);
    void take_outputs(Operator& op, const std::vector<std::int64_t>& indices, Values values);
    void check_inputs(const std::vector<std::int64_t>& indices,
                      const OperatorRow& row,
                      const Place& place) const;
    void check_index(std::int64_t index, const char* what, const Place& place) const;
    bool has_value(std::size_t index) const;
    Output read_variable(const TensorInfo& info);
    Output add_read_value(const std::string& name,
                          const Output& initial,
                          const PartialShape& shape);
    void add_assigns();
    const std::string& variable_of(std::size_t handle, const Place& place) const;
    std::map<std::string, Output> initial_values();
    void name_ports();
    std::string tensor_name(std::size_t index) const;
    Place tensor_place(std::size_t index) const;
    std::size_t checked_subgraph(std::int64_t subgraph, const Place& place) const;

    const FileContext& context_;
    const ::tflite::SubGraph& graph_;
    std::shared_ptr<Model> model_;
    std::size_t depth_;
    std::vector<TensorInfo> tensors_;
    std::vector<Value> values_;
    struct Variable {
        Output read;
        Output next;  // what it has in the next inference
    };
    std::map<std::size_t, Variable> variables_;  // by tensor
    // Those that have a name. Current: what has been assigned in this inference, or was read.
    std::map<std::size_t, std::string> handles_;  // by tensor
    std::map<std::string, Output> initial_;
    std::map<std::string, Output> current_;
    std::map<std::string, Output> reads_;
    bool initializing_ = false;  // the graph of a CALL_ONCE
    std::unordered_set<std::string> names_;
};

}  // namespace fuseq::tflite_reader
