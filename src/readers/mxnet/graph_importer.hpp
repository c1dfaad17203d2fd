// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a symbol to layers of a Model.
#pragma once

#include <map>
#include <unordered_set>

#include "readers/mxnet/importer.hpp"
#include "readers/mxnet/operator_table.hpp"
#include "readers/mxnet/params_file.hpp"

namespace fuseq::mxnet_reader {

class GraphImporter final : public GraphServices {
public:
    GraphImporter(const ImportOptions& options, std::map<std::string, Tensor> params)
        : options_(options), params_(std::move(params)), model_(std::make_shared<Model>("model")) {}

    std::shared_ptr<Model> read_model(const Symbol& symbol, const Place& place);

    Model& model() override { return *model_; }
    std::string unique_name(const std::string& base) override;
    std::vector<Output> insert_subgraph(const Symbol& symbol,
                                        const std::vector<Output>& inputs,
                                        const Place& place) override;

private:
    using NodeOutputs = std::vector<std::vector<Output>>;  // by node

    Output variable(const Symbol& symbol, std::size_t index, const Place& place);
    std::vector<Output> translate(const SymbolNode& node,
                                  const NodeOutputs& values,
                                  const Place& graph);
    void warn(const std::string& sentence) const;

    const ImportOptions& options_;
    std::map<std::string, Tensor> params_;
    std::shared_ptr<Model> model_;
    std::unordered_set<std::string> names_;
    std::size_t inserted_ = 0;  // nodes of subgraphs so far
};

}  // namespace fuseq::mxnet_reader
