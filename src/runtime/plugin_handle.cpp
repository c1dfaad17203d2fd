// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_handle.hpp"

#include <fmt/core.h>

#include "runtime/spin_limit.hpp"

namespace fuseq {
namespace {

SharedLibrary load(const std::string& path) {
    const SpinLimit limit;
    return SharedLibrary(path);
}

}  // namespace

PluginHandle::PluginHandle(const std::string& library_path) : library_(load(library_path)) {
    using EntryPoint = int (*)(unsigned, IPlugin**, char*, std::size_t);
    const auto create = reinterpret_cast<EntryPoint>(library_.symbol(kPluginEntryPoint));
    char text[512] = "";
    IPlugin* plugin = nullptr;
    const int status = create(kPluginAbiVersion, &plugin, text, sizeof text);
    plugin_.reset(plugin);
    if (status != 0) {
        throw Error("plugin",
                    fmt::format("'{}' refused plugin ABI {} of this runtime: {}", library_path,
                                kPluginAbiVersion, text[0] == '\0' ? "no reason given" : text));
    }
    if (plugin == nullptr) {
        throw Error("plugin", fmt::format("'{}' created no plugin", library_path));
    }
}

}  // namespace fuseq
