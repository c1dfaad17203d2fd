// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every property of the CPU device has a typed constant, which reads what the device gives.
#include "fuseq/properties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "fuseq/core.hpp"
#include "support/small_model.hpp"

namespace {

using namespace fuseq;
using testing::Contains;
using testing::HasSubstr;

// Reads each property of a map of names that it is told of.
class Reader {
public:
    explicit Reader(std::function<Any(const std::string&)> get) : get_(std::move(get)) {}

    template <class T, PropertyMutability M>
    T operator()(const Property<T, M>& property) {
        read_.insert(property.name());
        return property.from(get_(property));
    }
    const std::set<std::string>& read() const { return read_; }

private:
    std::function<Any(const std::string&)> get_;
    std::set<std::string> read_;
};

std::set<std::string> as_set(const std::vector<std::string>& names) {
    std::set<std::string> set(names.begin(), names.end());
    EXPECT_EQ(set.size(), names.size()) << "a name twice";
    return set;
}

// What may be set, for the device and for a compiled model, with its defaults.
void read_settings(Reader& read) {
    EXPECT_FALSE(read(enable_profiling));
    EXPECT_EQ(read(cache_dir), "");
    EXPECT_EQ(read(num_streams), 1);
    EXPECT_EQ(read(inference_num_threads), 0);
    EXPECT_EQ(read(compilation_num_threads), 0);
    EXPECT_EQ(read(hint::performance_mode), hint::PerformanceMode::LATENCY);
    EXPECT_EQ(read(hint::num_requests), 0u);
    EXPECT_EQ(read(hint::execution_mode), hint::ExecutionMode::PERFORMANCE);
    EXPECT_EQ(read(hint::inference_precision), ElementType::f32);
    EXPECT_FALSE(read(hint::enable_cpu_pinning));
    EXPECT_FALSE(read(hint::enable_hyper_threading));
    EXPECT_EQ(read(hint::scheduling_core_type), hint::SchedulingCoreType::ANY_CORE);
    EXPECT_EQ(read(log::level), log::Level::NO);
    EXPECT_TRUE(read(own::fusion));
    EXPECT_TRUE(read(own::low_precision));
    EXPECT_FALSE(read(own::keep_intermediates));
    EXPECT_FALSE(read(own::float_fallback));
    EXPECT_FALSE(read(own::drop_middle_rounds));
    EXPECT_TRUE(read(own::own_gemm));
    EXPECT_TRUE(read(own::tile_groups));
    EXPECT_EQ(read(own::plan_cache_bytes), 256 << 20);
    EXPECT_EQ(read(own::poison_memory), -1);
    EXPECT_TRUE(read(own::keep_float).empty());
    EXPECT_TRUE(read(own::disable).empty());
    EXPECT_NE(read(own::max_isa), "");
    EXPECT_EQ(read(own::dump_dir), "");
    EXPECT_EQ(read(own::compile_threads), 0);
    EXPECT_EQ(read(own::quantize_method), "");
    EXPECT_TRUE(read(own::quantize_method_layers).empty());
    EXPECT_NE(read(own::isa), "");
}

TEST(Properties, OfTheDeviceHaveConstants) {
    Core core;
    Reader read([&](const std::string& name) { return core.get_property("CPU", name); });
    read_settings(read);
    EXPECT_EQ(read(available_devices), std::vector<std::string>{""});
    EXPECT_EQ(std::get<0>(read(range_for_streams)), 1u);
    EXPECT_EQ(std::get<2>(read(range_for_async_infer_requests)), 1u);
    EXPECT_NE(read(device::full_name), "");
    EXPECT_EQ(read(device::architecture), "intel64");
    EXPECT_EQ(read(device::type), device::Type::INTEGRATED);
    EXPECT_THAT(read(device::capabilities), Contains("INT8"));
    const std::set<std::string> supported = as_set(read(supported_properties));
    EXPECT_EQ(supported, read.read());
}

TEST(Properties, OfACompiledModelHaveConstants) {
    const CompiledModel model = Core().compile_model(test::relu_model(), "CPU");
    Reader read([&](const std::string& name) { return model.get_property(name); });
    read_settings(read);
    EXPECT_EQ(read(model_name), "relu_model");
    EXPECT_EQ(read(optimal_number_of_infer_requests), 1u);
    EXPECT_FALSE(read(loaded_from_cache));
    EXPECT_EQ(read(execution_devices), std::vector<std::string>{"CPU"});
    EXPECT_EQ(read(own::cache), "off");
    (void)read(own::placement);
    EXPECT_THAT(read(own::report), HasSubstr("relu"));
    EXPECT_THAT(read(own::execution_graph), HasSubstr("originalLayersNames"));
    EXPECT_EQ(read(own::cached_plans), 1);
    EXPECT_GE(read(own::cached_plan_bytes), 0);
    const std::set<std::string> supported = as_set(read(supported_properties));
    EXPECT_EQ(supported, read.read());
}

// The page has a row for each.
TEST(Properties, AreDocumented) {
    std::ifstream file(std::string(FUSEQ_SOURCE_DIR) + "/docs/properties.md");
    std::stringstream page;
    page << file.rdbuf();
    const CompiledModel model = Core().compile_model(test::relu_model(), "CPU");
    std::vector<std::string> names =
        supported_properties.from(model.get_property(supported_properties));
    const auto of_device =
        supported_properties.from(Core().get_property("CPU", supported_properties));
    names.insert(names.end(), of_device.begin(), of_device.end());
    for (const std::string& name : names) {
        EXPECT_THAT(page.str(), HasSubstr("`" + name + "`"));
    }
}

TEST(Properties, AreEntriesOfAMap) {
    const CompiledModel model = Core().compile_model(
        test::relu_model(), "CPU",
        {hint::performance_mode(hint::PerformanceMode::THROUGHPUT), num_streams(streams::Num(2)),
         inference_num_threads(2), enable_profiling(true),
         hint::inference_precision(ElementType::f16), own::disable({"fold_constants"})});
    EXPECT_EQ(hint::performance_mode.from(model.get_property(hint::performance_mode)),
              hint::PerformanceMode::THROUGHPUT);
    EXPECT_EQ(num_streams.from(model.get_property(num_streams)), 2);
    EXPECT_EQ(model.get_property(own::disable).as_list(),
              std::vector<std::string>{"fold_constants"});
    EXPECT_EQ(num_streams(streams::AUTO).second.as_string(), "AUTO");
    EXPECT_EQ(log::level(log::Level::ERR).second.as_string(), "LOG_ERROR");
}

TEST(Properties, OfOtherKindsAreRefused) {
    EXPECT_THROW(hint::performance_mode.from(Any("FAST")), Error);
    EXPECT_THROW(range_for_streams.from(Any("1 2 3")), Error);
    EXPECT_THROW(inference_num_threads.from(Any("many")), Error);
    Core core;
    EXPECT_THAT(test::message_of([&] {
                    core.set_property({{"NUM_STREAM", 1}});
                }),
                HasSubstr("the nearest is 'NUM_STREAMS'"));
    EXPECT_THAT(test::message_of([&] {
                    core.compile_model(test::relu_model(), "CPU", {{"PERF_CUONT", "YES"}});
                }),
                HasSubstr("the nearest is 'PERF_COUNT'"));
}

}  // namespace
