// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/core.hpp"
#include "model/property_hint.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "ops/quantized/rules/method_choice.hpp"
#include "runtime/core_impl.hpp"

namespace fuseq {
namespace {

// What may be set for all devices at once; a device that does not know one of them is left alone.
const std::vector<std::string> kGlobalProperties = {property::kPerformanceHint,
                                                    property::kNumStreams,
                                                    property::kInferenceNumThreads,
                                                    property::kPerfCount,
                                                    property::kLogLevel,
                                                    property::kCacheDir,
                                                    property::kFusion,
                                                    property::kLowPrecision,
                                                    property::kKeepIntermediates,
                                                    kQuantizeMethod,
                                                    kQuantizeMethodLayers,
                                                    "PERFORMANCE_HINT_NUM_REQUESTS",
                                                    "EXECUTION_MODE_HINT",
                                                    "INFERENCE_PRECISION_HINT",
                                                    "ENABLE_CPU_PINNING",
                                                    "ENABLE_HYPER_THREADING",
                                                    "SCHEDULING_CORE_TYPE",
                                                    "COMPILATION_NUM_THREADS"};

void check_global(const std::string& name) {
    if (std::find(kGlobalProperties.begin(), kGlobalProperties.end(), name) !=
        kGlobalProperties.end()) {
        return;
    }
    std::string names;
    for (const std::string& known : kGlobalProperties) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
    }
    throw Error("property", fmt::format("'{}' cannot be set for all devices{}; these can: {}", name,
                                        property_hint(name, kGlobalProperties), names));
}

}  // namespace

Version get_version() {
    return {FUSEQ_VERSION, "Fuseq runtime"};
}

Core::Core(const std::string& plugins_xml) : impl_(std::make_shared<Impl>(plugins_xml)) {}

CompiledModel Core::compile_model(const std::shared_ptr<const Model>& model,
                                  const std::string& device,
                                  const AnyMap& properties) {
    if (!model) {
        throw Error("compile", "the model is null");
    }
    const std::shared_ptr<const Model> own = model->clone();
    return impl_->compile("compile", device,
                          [&](IPlugin& plugin) { return plugin.compile_model(own, properties); });
}

CompiledModel Core::import_model(std::istream& in,
                                 const std::string& device,
                                 const AnyMap& properties) {
    return impl_->compile("import", device,
                          [&](IPlugin& plugin) { return plugin.import_model(in, properties); });
}

std::map<std::string, std::string> Core::query_model(const std::shared_ptr<const Model>& model,
                                                     const std::string& device) {
    if (!model) {
        throw Error("compile", "the model is null");
    }
    const std::shared_ptr<PluginHandle> handle = impl_->registry.get(device);
    return guarded("compile", [&] { return handle->plugin().query_model(*model); });
}

void Core::register_plugin(const std::string& library,
                           const std::string& device,
                           const AnyMap& properties) {
    impl_->registry.add(device, library, properties);
}

void Core::unload_plugin(const std::string& device) {
    impl_->registry.unload(device);
}

std::vector<std::string> Core::get_available_devices() const {
    std::vector<std::string> available;
    for (const std::string& device : impl_->registry.devices()) {
        try {
            impl_->registry.get(device);
            available.push_back(device);
        } catch (const Error&) {
            // Not available then; compile_model says why.
        }
    }
    return available;
}

std::map<std::string, Version> Core::get_versions(const std::string& device) const {
    const std::shared_ptr<PluginHandle> handle = impl_->registry.get(device);
    const std::string description = get_property(device, property::kFullDeviceName).as_string();
    return {{handle->plugin().device_name(), {FUSEQ_VERSION, description}}};
}

void Core::set_property(const AnyMap& properties) {
    for (const auto& [name, value] : properties) {
        check_global(name);
    }
    impl_->registry.set_global_property(properties);
}

void Core::set_property(const std::string& device, const AnyMap& properties) {
    impl_->registry.set_property(device, properties);
}

Any Core::get_property(const std::string& name) const {
    check_global(name);
    return impl_->registry.global_property(name);
}

Any Core::get_property(const std::string& device, const std::string& name) const {
    const std::shared_ptr<PluginHandle> handle = impl_->registry.get(device);
    return guarded("property", [&] { return handle->plugin().get_property(name); });
}

}  // namespace fuseq
