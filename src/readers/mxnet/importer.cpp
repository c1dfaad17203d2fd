// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/importer.hpp"

#include "readers/mxnet/graph_importer.hpp"

namespace fuseq::mxnet_reader {

std::shared_ptr<Model> import_model(std::string_view symbol,
                                    std::string_view params,
                                    const ImportOptions& options) {
    const Place place{.file = options.symbol_file};
    const Symbol graph = parse_symbol(symbol, place);
    GraphImporter importer(options, parse_params(params, {.file = options.params_file}));
    std::shared_ptr<Model> model = importer.read_model(graph, place);
    model->remove_dead_nodes();
    return model;
}

}  // namespace fuseq::mxnet_reader
