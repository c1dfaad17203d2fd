// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin of device REFERENCE.
#include <mutex>

#include "reference/compiled_model.hpp"

namespace fuseq::reference {
namespace {

class ReferencePlugin final : public IPlugin {
public:
    std::string device_name() const override { return "REFERENCE"; }

    Any get_property(const std::string& name) const override {
        if (name == property::kFullDeviceName) {
            return "Fuseq reference kernels (plain loops)";
        }
        if (name == property::kOptimizationCapabilities) {
            return std::vector<std::string>{"FP32"};
        }
        const std::vector<std::string> read_only = {property::kFullDeviceName,
                                                    property::kOptimizationCapabilities,
                                                    property::kSupportedProperties};
        const std::lock_guard lock(mutex_);
        if (name == property::kSupportedProperties) {
            std::vector<std::string> names = options_.names();
            names.insert(names.end(), read_only.begin(), read_only.end());
            return names;
        }
        return options_.get(name, read_only);
    }

    void set_property(const AnyMap& properties) override {
        const std::lock_guard lock(mutex_);
        options_.set(properties);
    }

    std::shared_ptr<ICompiledModel> compile_model(const std::shared_ptr<const Model>& model,
                                                  const AnyMap& properties) override {
        Options options = defaults();
        options.set(properties);
        return std::make_shared<ReferenceCompiledModel>(model, std::move(options));
    }

    std::map<std::string, std::string> query_model(const Model& model) const override {
        std::map<std::string, std::string> layers;
        for (const Node* node : model.ordered_nodes()) {
            layers.emplace(node->name(), device_name());
        }
        return layers;
    }

private:
    Options defaults() const {
        const std::lock_guard lock(mutex_);
        return options_;
    }

    mutable std::mutex mutex_;
    Options options_;
};

}  // namespace
}  // namespace fuseq::reference

FUSEQ_DEFINE_PLUGIN(fuseq::reference::ReferencePlugin)
