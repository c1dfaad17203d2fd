// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What Core handles share.
#pragma once

#include <memory>
#include <string>

#include <fmt/core.h>

#include "fuseq/core.hpp"
#include "runtime/compiled_model_impl.hpp"
#include "runtime/plugin_registry.hpp"
#include "runtime/reader_registry.hpp"

namespace fuseq {

class Core::Impl {
public:
    explicit Impl(const std::string& plugins_xml)
        : registry(plugins_xml, runtime_folder()), readers(runtime_folder()) {}

    template <class Compile>
    CompiledModel compile(const std::string& stage, const std::string& device, Compile compile) {
        std::shared_ptr<PluginHandle> handle = registry.get(device);
        std::shared_ptr<ICompiledModel> compiled =
            guarded(stage.c_str(), [&] { return compile(handle->plugin()); });
        if (!compiled) {
            throw Error(stage, fmt::format("device {} gave no compiled model", device));
        }
        return CompiledModel(
            std::make_shared<CompiledModelImpl>(std::move(handle), std::move(compiled)));
    }

    PluginRegistry registry;
    ReaderRegistry readers;
};

}  // namespace fuseq
