// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin and the library that its code is in. Whatever is made by a plugin is kept next to a
// PluginHandle, so that the code outlives the object.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "fuseq/error.hpp"
#include "fuseq/plugin.hpp"
#include "runtime/shared_library.hpp"

namespace fuseq {

class PluginHandle {
public:
    // Loads the library and creates its plugin. Throws Error("plugin") saying what is wrong with
    // the library.
    explicit PluginHandle(const std::string& library_path);

    IPlugin& plugin() const { return *plugin_; }

private:
    SharedLibrary library_;  // declared first: unloaded last
    std::unique_ptr<IPlugin> plugin_;
};

// Runs code of a plugin. What it throws may be defined in its library, which the user does not
// keep, so an Error made here is thrown in its place.
template <class Function>
decltype(auto) guarded(const char* stage, Function&& function) {
    try {
        return function();
    } catch (const Error& error) {
        throw Error(error.info());
    } catch (const std::exception& exception) {
        throw Error(stage, exception.what());
    }
}

}  // namespace fuseq
