// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a device does that does not implement an optional part of the plugin API.
#include "fuseq/error.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq {

void ICompiledModel::export_model(std::ostream&) const {
    throw Error("export", "this device does not export compiled models");
}

std::shared_ptr<ICompiledModel> IPlugin::import_model(std::istream&, const AnyMap&) {
    throw Error("import",
                detail::cat("device ", device_name(), " does not import compiled models"));
}

}  // namespace fuseq
