// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fuseq/fuseq.hpp"
#include "unit/runtime/runtime_fixture.hpp"

namespace fuseq {
namespace {

using test::is_resident;
using test::message_of;
using test::plugin_path;
using test::relu_model;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Core core_with_test_device() {
    Core core;
    core.register_plugin(plugin_path("test_device"), "TEST");
    return core;
}

TEST(Core, FindsTheReferenceDeviceBesideTheLibrary) {
    EXPECT_THAT(Core().get_available_devices(), Contains("REFERENCE"));
}

TEST(Core, LeavesOutDevicesThatDoNotLoad) {
    Core core;
    core.register_plugin(plugin_path("other_abi"), "OLD");
    EXPECT_THAT(core.get_available_devices(), Not(Contains("OLD")));
    EXPECT_THAT(message_of([&] { core.compile_model(relu_model(), "OLD"); }),
                HasSubstr("plugin ABI 999"));
}

TEST(Core, NamesAvailableDevicesWhenThereIsNoSuchOne) {
    Core core;
    EXPECT_THAT(message_of([&] { core.compile_model(relu_model(), "GPU.1"); }),
                testing::AllOf(HasSubstr("there is no device 'GPU.1'"), HasSubstr("REFERENCE")));
    EXPECT_THAT(message_of([&] { core.compile_model(relu_model(), "referense"); }),
                testing::EndsWith("; did you mean 'REFERENCE'?"));
}

TEST(Core, TellsVersions) {
    Core core = core_with_test_device();
    EXPECT_FALSE(get_version().build_number.empty());
    const auto versions = core.get_versions("test");
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions.at("TEST").description, "device of the tests");
}

TEST(Core, SetsPropertiesOfOneDeviceOrAll) {
    Core core = core_with_test_device();
    core.set_property({{property::kPerfCount, true}});
    EXPECT_TRUE(core.get_property(property::kPerfCount).as_bool());
    EXPECT_TRUE(core.get_property("TEST", property::kPerfCount).as_bool());
    core.set_property("TEST", {{"DELAY_MS", 0}, {property::kPerfCount, "NO"}});
    EXPECT_FALSE(core.get_property("TEST", property::kPerfCount).as_bool());
    EXPECT_THAT(message_of([&] {
                    core.set_property({{"DELAY_MS", 3}});
                }),
                HasSubstr("'DELAY_MS' cannot be set for all devices"));
}

TEST(Core, TellsWhatADeviceCanRun) {
    Core core = core_with_test_device();
    EXPECT_EQ(core.query_model(relu_model(), "TEST").at("relu"), "TEST");
    EXPECT_EQ(core.query_model(relu_model(), "REFERENCE").at("relu"), "REFERENCE");
}

TEST(Core, RefusesNullModels) {
    Core core;
    EXPECT_EQ(message_of([&] { core.compile_model(std::shared_ptr<Model>(), "REFERENCE"); }),
              "compile: the model is null");
}

TEST(Core, ExportsAndImportsOnlyWhereTheDeviceDoes) {
    Core core = core_with_test_device();
    const CompiledModel compiled = core.compile_model(relu_model(), "TEST");
    std::stringstream blob;
    EXPECT_EQ(message_of([&] { compiled.export_model(blob); }),
              "export: this device does not export compiled models");
    EXPECT_EQ(message_of([&] { core.import_model(blob, "TEST"); }),
              "import: device TEST does not import compiled models");
}

TEST(CompiledModel, ShowsTheModelAsItWasGiven) {
    Core core = core_with_test_device();
    const std::shared_ptr<Model> model = relu_model({2});
    const CompiledModel compiled = core.compile_model(model, "TEST");
    model->reshape(PartialShape{5});
    EXPECT_EQ(compiled.input().shape(), Shape{2});
    EXPECT_EQ(compiled.input("in_tensor"), compiled.input(0));
    EXPECT_EQ(compiled.output("relu"), compiled.output("out_tensor"));
    EXPECT_EQ(compiled.outputs().size(), 1u);
    EXPECT_THAT(message_of([&] { (void)compiled.input("x"); }), HasSubstr("no input 'x'"));
    EXPECT_THAT(message_of([&] { (void)compiled.output(1); }), HasSubstr("no output 1"));
}

TEST(CompiledModel, TurnsWhatADeviceThrowsIntoErrors) {
    Core core = core_with_test_device();
    const CompiledModel compiled = core.compile_model(relu_model(), "TEST");
    EXPECT_EQ(message_of([&] { (void)compiled.get_property("COLOUR"); }),
              "property: TEST knows no COLOUR");
    EXPECT_EQ(message_of([&] {
                  core.compile_model(relu_model(), "TEST", {{"COLOUR", 1}});
              }),
              "property: TEST has no property 'COLOUR'");
}

TEST(CompiledModel, KeepsItsPluginLoaded) {
    const std::string path = plugin_path("test_device");
    ASSERT_FALSE(is_resident(path));
    InferRequest request;
    {
        Core core = core_with_test_device();
        CompiledModel compiled = core.compile_model(relu_model(), "TEST");
        core.unload_plugin("TEST");
        EXPECT_TRUE(is_resident(path));
        request = compiled.create_infer_request();
    }
    EXPECT_TRUE(is_resident(path));
    request.infer();
    EXPECT_EQ(request.get_output_tensor().data<float>()[0], 1.0f);
    Tensor kept = request.get_output_tensor();
    request = {};
    EXPECT_FALSE(is_resident(path));
    EXPECT_EQ(kept.data<float>()[0], 1.0f);
}

TEST(Core, ErrorsOutliveTheDevice) {
    std::exception_ptr error;
    try {
        Core core = core_with_test_device();
        core.set_property("TEST", {{"FAIL", "out of ink"}});
        core.compile_model(relu_model(), "TEST").create_infer_request().infer();
    } catch (...) {
        error = std::current_exception();
    }
    EXPECT_FALSE(is_resident(plugin_path("test_device")));
    EXPECT_EQ(message_of([&] { std::rethrow_exception(error); }), "infer: out of ink");
}

}  // namespace
}  // namespace fuseq
