// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuseq/core.hpp"
#include "openvino/core/model.hpp"
#include "openvino/core/version.hpp"
#include "openvino/runtime/common.hpp"
#include "openvino/runtime/compiled_model.hpp"

namespace ov {

class Core {
public:
    explicit Core(const std::string& plugins_xml = {})
        : core_(detail::guarded([&] { return fuseq::Core(plugins_xml); })) {}

    std::map<std::string, Version> get_versions(const std::string& device) const {
        return detail::guarded([&] {
            std::map<std::string, Version> versions;
            for (const auto& [name, version] : core_.get_versions(device)) {
                versions.emplace(name, detail::kept(version));
            }
            return versions;
        });
    }

    std::shared_ptr<Model> read_model(const std::string& path,
                                      const std::string& bin_path = {}) const {
        return wrapped([&] { return core_.read_model(path, bin_path); });
    }
    // From memory; the weights are used in place.
    std::shared_ptr<Model> read_model(const std::string& model, const Tensor& weights) const {
        return wrapped(
            [&] { return core_.read_model(model, weights ? weights.own() : fuseq::Tensor()); });
    }

    CompiledModel compile_model(const std::shared_ptr<const Model>& model,
                                const AnyMap& properties = {}) {
        return compile_model(model, "CPU", properties);
    }
    CompiledModel compile_model(const std::shared_ptr<const Model>& model,
                                const std::string& device,
                                const AnyMap& properties = {}) {
        return detail::guarded([&] {
            return CompiledModel(core_.compile_model(model->own(), device_of(device),
                                                     detail::to_fuseq_map(properties)));
        });
    }
    CompiledModel compile_model(const std::string& path, const AnyMap& properties = {}) {
        return compile_model(path, "CPU", properties);
    }
    CompiledModel compile_model(const std::string& path,
                                const std::string& device,
                                const AnyMap& properties = {}) {
        return detail::guarded([&] {
            return CompiledModel(
                core_.compile_model(path, device_of(device), detail::to_fuseq_map(properties)));
        });
    }
    CompiledModel compile_model(const std::string& model,
                                const Tensor& weights,
                                const std::string& device,
                                const AnyMap& properties = {}) {
        return compile_model(read_model(model, weights), device, properties);
    }
    // Properties one by one.
    template <class Source, class... Properties>
    CompiledModel compile_model(const Source& source,
                                const std::string& device,
                                const std::pair<std::string, Any>& first,
                                const Properties&... rest) {
        return compile_model(source, device, AnyMap{first, rest...});
    }
    template <class Source, class... Properties>
    CompiledModel compile_model(const Source& source,
                                const std::pair<std::string, Any>& first,
                                const Properties&... rest) {
        return compile_model(source, "CPU", AnyMap{first, rest...});
    }
    CompiledModel import_model(std::istream& in,
                               const std::string& device,
                               const AnyMap& properties = {}) {
        return detail::guarded([&] {
            return CompiledModel(
                core_.import_model(in, device_of(device), detail::to_fuseq_map(properties)));
        });
    }
    SupportedOpsMap query_model(const std::shared_ptr<const Model>& model,
                                const std::string& device,
                                const AnyMap& properties = {}) const {
        (void)properties;
        return detail::guarded(
            [&] { return fuseq::Core(core_).query_model(model->own(), device_of(device)); });
    }

    void set_property(const AnyMap& properties) {
        detail::guarded([&] { core_.set_property(detail::to_fuseq_map(properties)); });
    }
    void set_property(const std::string& device, const AnyMap& properties) {
        detail::guarded(
            [&] { core_.set_property(device_of(device), detail::to_fuseq_map(properties)); });
    }
    template <class... Properties>
    void set_property(const std::pair<std::string, Any>& first, const Properties&... rest) {
        set_property(AnyMap{first, rest...});
    }
    template <class... Properties>
    void set_property(const std::string& device,
                      const std::pair<std::string, Any>& first,
                      const Properties&... rest) {
        set_property(device, AnyMap{first, rest...});
    }
    Any get_property(const std::string& device, const std::string& name) const {
        return detail::guarded([&] { return Any(core_.get_property(device_of(device), name)); });
    }
    Any get_property(const std::string& name) const {
        return detail::guarded([&] { return Any(core_.get_property(name)); });
    }
    template <class T, PropertyMutability M>
    T get_property(const std::string& device, const Property<T, M>& property) const {
        return get_property(device, std::string(property.name())).template as<T>();
    }

    std::vector<std::string> get_available_devices() const {
        return detail::guarded([&] { return core_.get_available_devices(); });
    }
    void register_plugin(const std::string& library,
                         const std::string& device,
                         const AnyMap& properties = {}) {
        detail::guarded(
            [&] { core_.register_plugin(library, device, detail::to_fuseq_map(properties)); });
    }
    void unload_plugin(const std::string& device) {
        detail::guarded([&] { core_.unload_plugin(device); });
    }

    template <class... Extension>
    void add_extension(const Extension&...) {
        static_assert(detail::kAbsent<Extension...>,
                      "Fuseq has no extensions of operations (docs/openvino_compat.md)");
    }
    template <class... Args>
    void create_context(const Args&...) {
        static_assert(detail::kAbsent<Args...>, "Fuseq has no remote contexts");
    }

private:
    template <class Read>
    static std::shared_ptr<Model> wrapped(const Read& read) {
        return std::make_shared<Model>(detail::guarded(read));
    }
    // AUTO means the one device that is fast.
    static std::string device_of(const std::string& name) {
        return name.empty() || name.rfind("AUTO", 0) == 0 ? "CPU" : name;
    }

    fuseq::Core core_;
};

// Nothing is to be ended before the process.
inline void shutdown() {}

}  // namespace ov
