// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU device: entry point and plugin object.
#include "fuseq/plugin.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <mutex>

#include <fmt/format.h>

#include "cpu/cache/build_id.hpp"
#include "cpu/cache/cached_plan.hpp"
#include "cpu/cache/model_files.hpp"
#include "cpu/compile/config.hpp"
#include "cpu/machine/cpu_count.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/plugin/compiled_model.hpp"
#include "fuseq/error.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::cpu {
namespace {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            const auto colon = line.find(": ");
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "x86-64 CPU";
}

Tensor whole_stream(std::istream& in) {
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    Tensor tensor(ElementType::u8, Shape{bytes.size()});
    std::copy(bytes.begin(), bytes.end(), tensor.data<std::uint8_t>());
    return tensor;
}

// Of a file that this build can use on this machine.
BlobHeader blob_header(const Tensor& bytes) {
    const auto refuse = [](const std::string& why) {
        throw Error("import", fmt::format("the compiled model {}", why));
    };
    BlobHeader header;
    try {
        header = read_blob_header(bytes);
    } catch (const Error& error) {
        refuse(error.info().rule);
    }
    BlobHeader expected = header;
    expected.build = build_id();
    expected.isa = machine_traits().text();
    const std::string why = difference(header, expected);
    if (!why.empty()) {
        refuse(why);
    }
    return header;
}

// All or nothing. The level of instructions is the process's and holds from here on.
void set_all(Config& config, const AnyMap& properties) {
    Config changed = config;
    changed.set(properties);
    if (changed.max_isa) {
        set_max_isa(*changed.max_isa);
        changed.max_isa.reset();
    }
    config = std::move(changed);
}

// Read-only properties of the device.
struct Metric {
    const char* name;
    Any (*get)();
};

Any range_up_to_cpus(std::vector<std::string> first) {
    first.push_back(std::to_string(count_cpus().cpus));
    return first;
}

const Metric kMetrics[] = {
    {property::kOptimizationCapabilities,
     [] {
         return Any(std::vector<std::string>{"FP32", "INT8", "BIN", "EXPORT_IMPORT"});
     }},
    {"AVAILABLE_DEVICES", [] { return Any(std::vector<std::string>{""}); }},
    {"DEVICE_TYPE", [] { return Any("integrated"); }},
    {"DEVICE_ARCHITECTURE", [] { return Any("intel64"); }},
    {"RANGE_FOR_STREAMS", [] { return range_up_to_cpus({"1"}); }},
    {"RANGE_FOR_ASYNC_INFER_REQUESTS",  // min, max, step
     [] {
         return Any(std::vector<std::string>{"1", std::to_string(count_cpus().cpus), "1"});
     }},
};

const Metric* find_metric(const std::string& name) {
    const auto* found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                     [&](const Metric& metric) { return name == metric.name; });
    return found == std::end(kMetrics) ? nullptr : found;
}

class CpuPlugin final : public IPlugin {
public:
    std::string device_name() const override { return "CPU"; }

    Any get_property(const std::string& name) const override {
        if (name == property::kFullDeviceName) {
            return processor_name();
        }
        if (const Metric* metric = find_metric(name)) {
            return metric->get();
        }
        if (name == kIsa) {
            return std::string(to_string(isa_level()));
        }
        std::vector<std::string> read_only = {property::kSupportedProperties,
                                              property::kFullDeviceName, kIsa};
        for (const Metric& metric : kMetrics) {
            read_only.emplace_back(metric.name);
        }
        if (name == property::kSupportedProperties) {
            std::vector<std::string> names = Config::names();
            names.insert(names.end(), read_only.begin(), read_only.end());
            return names;
        }
        const std::lock_guard lock(mutex_);
        return config_.get(name, read_only);
    }

    void set_property(const AnyMap& properties) override {
        const std::lock_guard lock(mutex_);
        set_all(config_, properties);
    }

    std::shared_ptr<ICompiledModel> compile_model(const std::shared_ptr<const Model>& model,
                                                  const AnyMap& properties) override {
        Config config = config_with(properties);
        config.check_layers(*model);
        return std::make_shared<CpuCompiledModel>(model, std::move(config));
    }

    // With a model cache the files are read only where it does not have them.
    std::shared_ptr<ICompiledModel> compile_file(const std::string& xml_path,
                                                 const AnyMap& properties) override {
        Config config = config_with(properties);
        const std::size_t threads = config.threads_to_compile();
        const auto files =
            config.cache_dir.empty() ? std::nullopt : ModelFiles::open(xml_path, threads);
        if (!files) {
            return nullptr;
        }
        ModelCache cache(config, *files);
        if (auto planned = plan_from(cache, config)) {
            return std::make_shared<CpuCompiledModel>(std::move(planned), std::move(config));
        }
        std::shared_ptr<const Model> model = files->read();
        config.check_layers(*model);
        const auto now = ModelFiles::open(xml_path, threads);
        const bool same = now && now->key() == files->key();
        if (!same || has_open_shapes(*model)) {  // kept by the model, if at all
            return std::make_shared<CpuCompiledModel>(model, std::move(config));
        }
        return std::make_shared<CpuCompiledModel>(plan_into(cache, std::move(model), config),
                                                  std::move(config));
    }

    std::shared_ptr<ICompiledModel> import_model(std::istream& in,
                                                 const AnyMap& properties) override {
        Config checked;
        set_all(checked, properties);
        fix_isa_level();
        const Tensor bytes = whole_stream(in);
        const BlobHeader header = blob_header(bytes);
        Config config;
        {
            const std::lock_guard lock(mutex_);
            config = config_;
        }
        config.cache_dir.clear();
        const std::string options = header.options.substr(0, header.options.rfind("; threads="));
        config.set_compile_options(options);
        config.set(properties);
        if (config.compile_options() != options) {
            throw Error(
                "import",
                fmt::format(
                    "the compiled model was made with '{}', which cannot be changed to '{}'",
                    options, config.compile_options()));
        }
        PlanSource content = read_blob_content(bytes);
        if (!content.original) {
            throw Error("import", "a file of a model cache is no exported model");
        }
        return std::make_shared<CpuCompiledModel>(std::move(content), std::move(config));
    }

    std::map<std::string, std::string> query_model(const Model& model) const override {
        // Every operation that the library knows runs, at worst by its reference kernel.
        std::map<std::string, std::string> layers;
        for (const Node* node : model.ordered_nodes()) {
            layers[node->name()] = "CPU";
        }
        return layers;
    }

private:
    Config config_with(const AnyMap& properties) const {
        Config config;
        {
            const std::lock_guard lock(mutex_);
            config = config_;
        }
        set_all(config, properties);
        fix_isa_level();
        config.machine = std::make_shared<const Machine>(Machine::read());
        return config;
    }

    mutable std::mutex mutex_;
    Config config_;
};

}  // namespace
}  // namespace fuseq::cpu

FUSEQ_PLUGIN_EXPORT int fuseq_create_plugin(unsigned abi_version,
                                            fuseq::IPlugin** plugin,
                                            char* error,
                                            std::size_t error_size) {
    if (abi_version != fuseq::kPluginAbiVersion) {
        const std::string text = fmt::format("the CPU plugin has ABI version {}, the library {}",
                                             fuseq::kPluginAbiVersion, abi_version);
        if (error_size > 0) {
            error[text.copy(error, error_size - 1)] = '\0';
        }
        return 1;
    }
    *plugin = new fuseq::cpu::CpuPlugin();
    return 0;
}
