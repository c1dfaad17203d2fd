// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_registry.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <pugixml.hpp>
#include <set>

#include "model/nearest_name.hpp"
#include "runtime/upper.hpp"

namespace fuseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libfuseq_";
constexpr std::string_view kSuffix = "_plugin.so";

// The properties that a device says it has.
AnyMap known_to(const IPlugin& plugin, const AnyMap& properties) {
    const std::vector<std::string> list =
        plugin.get_property(property::kSupportedProperties).as_list();
    const std::set<std::string> known(list.begin(), list.end());
    AnyMap chosen;
    for (const auto& [name, value] : properties) {
        if (known.contains(name)) {
            chosen.emplace(name, value);
        }
    }
    return chosen;
}

}  // namespace

PluginRegistry::PluginRegistry(const std::string& plugins_xml, const std::string& folder)
    : folder_(folder) {
    if (!plugins_xml.empty()) {
        read_list(plugins_xml);
    } else if (const fs::path list = fs::path(folder) / "plugins.xml"; fs::exists(list)) {
        read_list(list.string());
    }
    scan(folder);
}

void PluginRegistry::read_list(const std::string& path) {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_file(path.c_str());
    if (!result) {
        throw Error(Error::Info{.stage = "plugin",
                                .file = path,
                                .layer_id = {},
                                .layer = {},
                                .op = {},
                                .rule = result.description()});
    }
    const pugi::xml_node list = document.document_element().child("plugins");
    for (const pugi::xml_node& entry : list.children("plugin")) {
        const std::string name = upper(entry.attribute("name").value());
        const std::string location = entry.attribute("location").value();
        if (name.empty() || location.empty()) {
            throw Error(Error::Info{.stage = "plugin",
                                    .file = path,
                                    .layer_id = {},
                                    .layer = {},
                                    .op = {},
                                    .rule = "a <plugin> needs a name and a location"});
        }
        AnyMap properties;
        for (const pugi::xml_node& item : entry.child("properties").children("property")) {
            properties[item.attribute("key").value()] = item.attribute("value").value();
        }
        // Relative to the list, so that a folder can be moved as a whole.
        const fs::path beside = fs::path(path).parent_path() / location;
        add(name, fs::exists(beside) ? beside.string() : location, properties);
    }
}

void PluginRegistry::scan(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string file = entry.path().filename().string();
        if (file.size() > kPrefix.size() + kSuffix.size() && file.starts_with(kPrefix) &&
            file.ends_with(kSuffix)) {
            const std::string device =
                upper(file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()));
            devices_.try_emplace(device, Device{entry.path().string(), {}, nullptr});
        }
    }
}

void PluginRegistry::add(const std::string& device,
                         const std::string& library,
                         const AnyMap& properties) {
    const std::lock_guard lock(mutex_);
    const std::string name = upper(device);
    const bool added =
        devices_.try_emplace(name, Device{resolve(library), properties, nullptr}).second;
    if (!added) {
        throw Error("plugin", fmt::format("device {} is registered already, for '{}'", name,
                                          devices_.at(name).library));
    }
}

std::string PluginRegistry::resolve(const std::string& library) const {
    if (library.find('/') != std::string::npos) {
        return library;
    }
    for (const std::string& name : {library, "lib" + library + ".so"}) {
        const fs::path beside = fs::path(folder_) / name;
        if (fs::exists(beside)) {
            return beside.string();
        }
    }
    return library;  // dlopen searches, and says it when there is none
}

void PluginRegistry::unload(const std::string& device) {
    std::shared_ptr<PluginHandle> handle;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    Device& entry = find(device);
    if (!entry.handle) {
        throw Error("plugin", fmt::format("device {} is not loaded", device));
    }
    handle = std::move(entry.handle);
    entry.handle.reset();
}

std::vector<std::string> PluginRegistry::devices() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, device] : devices_) {
        names.push_back(name);
    }
    return names;
}

PluginRegistry::Device& PluginRegistry::find(const std::string& device) {
    const auto found = devices_.find(upper(device));
    if (found == devices_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, unused] : devices_) {
            names.push_back(name);
        }
        throw Error("plugin",
                    fmt::format("there is no device '{}'; available: {}{}", device,
                                names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                                did_you_mean(upper(device), names)));
    }
    return found->second;
}

std::shared_ptr<PluginHandle> PluginRegistry::load(Device& device) {
    if (device.handle) {
        return device.handle;
    }
    auto handle = std::make_shared<PluginHandle>(device.library);
    guarded("plugin", [&] {
        handle->plugin().set_property(known_to(handle->plugin(), global_));
        handle->plugin().set_property(device.properties);
    });
    return device.handle = std::move(handle);
}

std::shared_ptr<PluginHandle> PluginRegistry::get(const std::string& device) {
    const std::lock_guard lock(mutex_);
    return load(find(device));
}

void PluginRegistry::set_property(const std::string& device, const AnyMap& properties) {
    const std::lock_guard lock(mutex_);
    Device& entry = find(device);
    const std::shared_ptr<PluginHandle> handle = load(entry);
    guarded("property", [&] { handle->plugin().set_property(properties); });
    // A plugin that is unloaded and loaded again keeps what was set.
    for (const auto& [name, value] : properties) {
        entry.properties[name] = value;
    }
}

void PluginRegistry::set_global_property(const AnyMap& properties) {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, value] : properties) {
        global_[name] = value;
    }
    for (auto& [name, device] : devices_) {
        if (device.handle) {
            IPlugin& plugin = device.handle->plugin();
            guarded("property", [&] { plugin.set_property(known_to(plugin, properties)); });
        }
    }
}

Any PluginRegistry::global_property(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = global_.find(name);
    return found == global_.end() ? Any() : found->second;
}

}  // namespace fuseq
