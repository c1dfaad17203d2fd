// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/caffe2/importer.hpp"

#include "readers/caffe2/graph_importer.hpp"

namespace fuseq::caffe2_reader {

std::shared_ptr<Model> import_model(std::string_view predict_net,
                                    std::string_view init_net,
                                    const ImportOptions& options) {
    const Place predict_place{.file = options.predict_file};
    const Place init_place{.file = options.init_file};
    const NetDef predict = parse_net(predict_net, predict_place);
    predict_place.require(predict.op_size() > 0, "has no operators");
    const NetDef init = parse_net(init_net, init_place);
    GraphImporter graph(options, predict.name());
    graph.run_init_net(init, init_place);
    std::shared_ptr<Model> model = graph.read_predict_net(predict, predict_place);
    model->remove_dead_nodes();
    return model;
}

}  // namespace fuseq::caffe2_reader
