// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which devices there are, where their libraries lie, and the plugins loaded so far. A plugin is
// loaded when it is first asked for, and once. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fuseq/any.hpp"
#include "runtime/plugin_handle.hpp"

namespace fuseq {

class PluginRegistry {
public:
    // Devices listed in `plugins_xml`, or, when it is empty, in plugins.xml of `folder` where
    // there is one; then the libraries of `folder` by their names.
    PluginRegistry(const std::string& plugins_xml, const std::string& folder);

    // `library`: a path, or the name of a library in the folder or the loader's search path.
    // Throws Error when the device is registered already.
    void add(const std::string& device, const std::string& library, const AnyMap& properties);
    // Forgets the loaded plugin; the next use loads it anew. Throws Error when none is loaded.
    void unload(const std::string& device);

    // Sorted. Nothing is loaded.
    std::vector<std::string> devices() const;
    // Throws Error listing the devices there are.
    std::shared_ptr<PluginHandle> get(const std::string& device);

    // Properties for one device, or for all that know them.
    void set_property(const std::string& device, const AnyMap& properties);
    void set_global_property(const AnyMap& properties);
    // Value set for all devices; empty when there is none.
    Any global_property(const std::string& name) const;

private:
    struct Device {
        std::string library;
        AnyMap properties;  // set before the plugin was loaded
        std::shared_ptr<PluginHandle> handle;
    };

    void read_list(const std::string& path);
    void scan(const std::string& folder);
    Device& find(const std::string& device);
    std::shared_ptr<PluginHandle> load(Device& device);
    std::string resolve(const std::string& library) const;

    std::string folder_;
    mutable std::mutex mutex_;
    std::map<std::string, Device> devices_;
    AnyMap global_;
};

}  // namespace fuseq
