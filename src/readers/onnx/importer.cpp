// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/importer.hpp"

#include <onnx/onnx_pb.h>

#include <map>

#include "readers/onnx/functions.hpp"
#include "readers/onnx/graph_importer.hpp"
#include "readers/onnx/graph_order.hpp"

namespace fuseq::onnx_reader {
namespace {

std::map<std::string, int> read_opsets(const ::onnx::ModelProto& proto, const Place& place) {
    std::map<std::string, int> opsets;
    for (const auto& entry : proto.opset_import()) {
        const std::string domain = domain_of(entry.domain());
        const bool standard = domain.empty();
        place.require(
            !standard || (entry.version() >= kOldestOpset && entry.version() <= kNewestOpset),
            "is of operator set ", entry.version(), ", those from ", kOldestOpset, " to ",
            kNewestOpset, " are supported");
        place.require(entry.version() >= 1 && entry.version() <= 1000, "operator set '", domain,
                      "' has version ", entry.version());
        opsets[domain] = static_cast<int>(entry.version());
    }
    place.require(!opsets.empty(), "names no operator set");
    return opsets;
}

}  // namespace

std::shared_ptr<Model> import_model(const ::onnx::ModelProto& stated,
                                    const ImportOptions& options) {
    const Place place{.file = options.file};
    const std::shared_ptr<const ::onnx::ModelProto> inlined = inline_functions(stated, place);
    const ::onnx::ModelProto& proto = inlined ? *inlined : stated;
    const FileContext context{.place = place,
                              .folder = options.folder,
                              .opsets = read_opsets(proto, place),
                              .on_warning = options.on_warning};
    refuse_unknown_operators(proto.graph(), context);
    GraphImporter graph(proto.graph(), context);
    std::shared_ptr<Model> model = graph.read_model();
    model->remove_dead_nodes();
    return model;
}

}  // namespace fuseq::onnx_reader
