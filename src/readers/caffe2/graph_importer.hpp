// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the operators of both nets in their order, each becoming layers of one Model.
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "readers/caffe2/importer.hpp"
#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader {

class GraphImporter final : public readers::LayerSink {
public:
    GraphImporter(const ImportOptions& options, const std::string& name);

    // Its operators make the parameters.
    void run_init_net(const NetDef& net, const Place& place);
    std::shared_ptr<Model> read_predict_net(const NetDef& net, const Place& place);

    Model& model() override { return *model_; }
    std::string unique_name(const std::string& base) override;

private:
    void refuse_unknown_operators(const NetDef& net, const Place& place) const;
    void add_parameters(const NetDef& net, const Place& place);
    PartialShape default_shape(const NetDef& net, const std::string& name);
    void translate(const OperatorDef& stated, const Place& place);
    void take_outputs(const OperatorDef& stated, const Operator& op, Values values);
    void add_results(const NetDef& net, const Place& place);
    void warn(const std::string& sentence) const;

    const ImportOptions& options_;
    std::shared_ptr<Model> model_;
    std::map<std::string, Value> values_;
    std::set<std::string> placeholders_;  // what init_net fills in the place of an input
    std::unordered_set<std::string> names_;
};

}  // namespace fuseq::caffe2_reader
