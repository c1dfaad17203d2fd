// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/load.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include "benchmark_app/prepare_model.hpp"
#include "benchmark_app/settings.hpp"

namespace fuseq::samples {
namespace {

// Calls a function and adds the time it takes, in milliseconds.
template <class Function>
auto timed(double& total_ms, Function&& function) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = function();
    total_ms +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

// A stream has no name; the message gets it here.
CompiledModel import_blob(Core& core, const Options& options, const AnyMap& properties) {
    try {
        std::ifstream in(options.model, std::ios::binary);
        if (!in) {
            throw Error("import", "there is no such file");
        }
        return core.import_model(in, options.device, properties);
    } catch (const Error& error) {
        Error::Info info = error.info();
        info.file = options.model;
        throw Error(std::move(info));
    }
}

}  // namespace

Loaded load(Core& core, const Options& options, Console& console) {
    console.step("Setting device configuration");
    Loaded loaded;
    std::vector<std::string> warnings = options.warnings;
    const Any supported = core.get_property(options.device, property::kSupportedProperties);
    loaded.properties = make_properties(options, supported.as_list(), warnings);
    for (const std::string& warning : warnings) {
        console.warning(warning);
    }
    console.step("Reading model files");
    const bool blob = options.model.ends_with(".blob");
    std::shared_ptr<Model> model;
    if (!blob && !options.load_from_file) {
        model = timed(loaded.read_ms, [&] {
            return core.read_model(options.model, "",
                                   [&](const std::string& text) { console.warning(text); });
        });
        console.info("Read model took ", loaded.read_ms, " ms");
    }
    console.step("Resizing model to match the shapes and the batch given");
    console.step("Configuring input of the model");
    if (model) {
        set_shapes(*model, options);
        set_preprocessing(*model, options);
    }
    console.step("Loading the model to the device");
    loaded.compiled = timed(loaded.compile_ms, [&] {
        if (blob) {
            return import_blob(core, options, loaded.properties);
        }
        return model ? core.compile_model(model, options.device, loaded.properties)
                     : core.compile_model(options.model, options.device, loaded.properties);
    });
    console.info("Compile model took ", loaded.compile_ms, " ms");
    loaded.batch = batch_of(*loaded.compiled.model(), options);
    return loaded;
}

std::vector<InferRequest> create_requests(const CompiledModel& compiled, const Options& options) {
    std::int64_t count = options.is_async() ? options.requests : 1;
    if (count == 0) {
        const std::string optimal =
            property_or_nothing(compiled, property::kOptimalNumberOfInferRequests);
        count = optimal.empty() ? 1 : Any(optimal).as_int();
    }
    std::vector<InferRequest> requests;
    for (std::int64_t i = 0; i < count; ++i) {
        requests.push_back(compiled.create_infer_request());
    }
    return requests;
}

std::string property_or_nothing(const CompiledModel& compiled, const char* name) {
    const auto supported = compiled.get_property(property::kSupportedProperties).as_list();
    const bool known = std::find(supported.begin(), supported.end(), name) != supported.end();
    const Any value = known ? compiled.get_property(name) : Any();
    return value.empty() ? "" : value.as_string();
}

}  // namespace fuseq::samples
