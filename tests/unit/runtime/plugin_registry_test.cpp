// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runtime/runtime_fixture.hpp"

namespace fuseq {
namespace {

using test::message_of;
using test::plugin_path;
using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(PluginRegistry, FindsLibrariesByTheirNames) {
    const TemporaryFolder folder;
    folder.write("libfuseq_npu_plugin.so", "");
    folder.write("libfuseq_my_card_plugin.so", "");
    folder.write("libfuseq_plugin.so", "");
    folder.write("libfuseq.so", "");
    PluginRegistry registry("", folder.path(""));
    EXPECT_THAT(registry.devices(), ElementsAre("MY_CARD", "NPU"));
}

TEST(PluginRegistry, ReadsPluginsXmlBesideTheLibrary) {
    const TemporaryFolder folder;
    folder.write("plugins.xml", "<fuseq><plugins><plugin name=\"test\" location=\"" +
                                    plugin_path("test_device") +
                                    "\"><properties><property key=\"DELAY_MS\" value=\"3\"/>"
                                    "</properties></plugin></plugins></fuseq>");
    PluginRegistry registry("", folder.path(""));
    ASSERT_THAT(registry.devices(), ElementsAre("TEST"));
    EXPECT_EQ(registry.get("TEST")->plugin().get_property("DELAY_MS").as_int(), 3);
}

TEST(PluginRegistry, TakesRelativeLocationsFromTheFolderOfTheList) {
    const TemporaryFolder folder;
    std::filesystem::copy_file(plugin_path("test_device"), folder.path("libx.so"));
    const std::string list = folder.write(
        "devices.xml", "<ie><plugins><plugin name=\"X\" location=\"libx.so\"/></plugins></ie>");
    const TemporaryFolder empty;
    PluginRegistry registry(list, empty.path(""));
    EXPECT_EQ(registry.get("X")->plugin().device_name(), "TEST");
}

TEST(PluginRegistry, RefusesListsThatAreBroken) {
    const TemporaryFolder folder;
    EXPECT_THAT(message_of([&] { PluginRegistry(folder.path("none.xml"), folder.path("")); }),
                AllOf(HasSubstr("none.xml"), HasSubstr("not found")));
    const std::string nameless = folder.write(
        "nameless.xml", "<fuseq><plugins><plugin location=\"libx.so\"/></plugins></fuseq>");
    EXPECT_THAT(message_of([&] { PluginRegistry(nameless, folder.path("")); }),
                HasSubstr("a <plugin> needs a name and a location"));
    const std::string cut = folder.write("cut.xml", "<fuseq><plugins>");
    EXPECT_THROW(PluginRegistry(cut, folder.path("")), Error);
}

TEST(PluginRegistry, SaysWhyALibraryIsNoPlugin) {
    const TemporaryFolder folder;
    PluginRegistry registry("", folder.path(""));
    registry.add("TEXT", folder.write("text.so", "this is no library"), {});
    registry.add("GONE", folder.path("gone.so"), {});
    registry.add("OTHER", plugin_path("no_entry_point"), {});
    registry.add("OLD", plugin_path("other_abi"), {});
    registry.add("REFUSING", plugin_path("refusing"), {});
    EXPECT_THAT(message_of([&] { registry.get("TEXT"); }),
                AllOf(HasSubstr("cannot load"), HasSubstr("text.so")));
    EXPECT_THAT(message_of([&] { registry.get("GONE"); }),
                AllOf(HasSubstr("gone.so"), HasSubstr("No such file")));
    EXPECT_THAT(message_of([&] { registry.get("OTHER"); }),
                EndsWith("is no Fuseq plugin: it has no symbol fuseq_create_plugin"));
    EXPECT_THAT(message_of([&] { registry.get("OLD"); }),
                AllOf(HasSubstr("plugin ABI 999"),
                      HasSubstr("plugin ABI " + std::to_string(kPluginAbiVersion))));
    EXPECT_THAT(message_of([&] { registry.get("REFUSING"); }),
                EndsWith("this machine has no such device"));
}

TEST(PluginRegistry, NamesTheDevicesThereAre) {
    const TemporaryFolder folder;
    folder.write("libfuseq_a_plugin.so", "");
    folder.write("libfuseq_b_plugin.so", "");
    PluginRegistry registry("", folder.path(""));
    EXPECT_EQ(message_of([&] { registry.get("C"); }),
              "plugin: there is no device 'C'; available: A, B");
    EXPECT_THAT(message_of([&] { registry.add("a", "x.so", {}); }),
                HasSubstr("device A is registered already"));
}

TEST(PluginRegistry, LoadsOnceAndWhenAsked) {
    const TemporaryFolder folder;
    PluginRegistry registry("", folder.path(""));
    registry.add("TEST", plugin_path("test_device"), {});
    EXPECT_FALSE(test::is_resident(plugin_path("test_device")));
    EXPECT_EQ(registry.get("TEST"), registry.get("test"));
    EXPECT_TRUE(test::is_resident(plugin_path("test_device")));
    registry.unload("TEST");
    EXPECT_FALSE(test::is_resident(plugin_path("test_device")));
    EXPECT_EQ(message_of([&] { registry.unload("TEST"); }), "plugin: device TEST is not loaded");
}

TEST(PluginRegistry, KeepsPropertiesForThePluginLoadedLater) {
    const TemporaryFolder folder;
    PluginRegistry registry("", folder.path(""));
    registry.add("TEST", plugin_path("test_device"), {{"DELAY_MS", 1}});
    // The device does not know the second one, and is spared it.
    registry.set_global_property({{"PERF_COUNT", "YES"}, {"NUM_STREAMS", 2}});
    EXPECT_EQ(registry.global_property("NUM_STREAMS").as_int(), 2);
    EXPECT_TRUE(registry.global_property("LOG_LEVEL").empty());
    EXPECT_TRUE(registry.get("TEST")->plugin().get_property("PERF_COUNT").as_bool());

    registry.set_property("TEST", {{"DELAY_MS", 2}});
    registry.unload("TEST");
    EXPECT_EQ(registry.get("TEST")->plugin().get_property("DELAY_MS").as_int(), 2);
    EXPECT_THAT(message_of([&] {
                    registry.set_property("TEST", {{"COLOUR", "red"}});
                }),
                HasSubstr("TEST has no property 'COLOUR'"));
}

}  // namespace
}  // namespace fuseq
