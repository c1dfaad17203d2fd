// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What devices share, and what one does that does not implement an optional part of the plugin API.

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq {

Tensor make_port_tensor(const Output& port) {
    const PartialShape& shape = port.partial_shape();
    if (!shape.rank_is_static()) {
        return Tensor(port.type(), Shape{0});
    }
    Shape sizes;
    for (const Dimension& dimension : shape) {
        sizes.push_back(dimension.is_static() ? static_cast<std::size_t>(dimension.get_length())
                                              : 0);
    }
    return Tensor(port.type(), sizes);
}

namespace {

[[noreturn]] void fail_without_state() {
    throw Error("infer", "this device keeps no state: it does not run models with variables");
}

}  // namespace

Tensor IInferRequest::get_state(std::size_t) {
    fail_without_state();
}

void IInferRequest::set_state(std::size_t, const Tensor&) {
    fail_without_state();
}

void IInferRequest::reset_state(std::size_t) {
    fail_without_state();
}

void ICompiledModel::export_model(std::ostream&) const {
    throw Error("export", "this device does not export compiled models");
}

std::shared_ptr<ICompiledModel> IPlugin::import_model(std::istream&, const AnyMap&) {
    throw Error("import", fmt::format("device {} does not import compiled models", device_name()));
}

}  // namespace fuseq
