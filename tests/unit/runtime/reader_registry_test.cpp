// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/reader_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/core.hpp"
#include "unit/runtime/runtime_fixture.hpp"

namespace fuseq {
namespace {

using test::message_of;
using test::plugin_path;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

TEST(ReaderRegistry, LeavesOtherFilesToTheReaderOfIrs) {
    const TemporaryFolder folder;
    ReaderRegistry registry(folder.path(""));
    EXPECT_EQ(registry.for_path("model.xml"), nullptr);
    EXPECT_EQ(registry.for_path("model"), nullptr);
    EXPECT_EQ(registry.for_path("a.onnx/model.xml"), nullptr);
}

TEST(ReaderRegistry, SaysWhichLibraryIsMissing) {
    const TemporaryFolder folder;
    ReaderRegistry registry(folder.path(""));
    EXPECT_THAT(message_of([&] { registry.for_path("dir/m.ONNX"); }),
                AllOf(HasSubstr("dir/m.ONNX"), HasSubstr("libfuseq_onnx_reader.so"),
                      HasSubstr(folder.path("")), HasSubstr("libonnx-dev")));
    EXPECT_THAT(message_of([&] { registry.for_bytes("\x08\x07"); }),
                AllOf(HasSubstr("is no IR"), HasSubstr("libfuseq_onnx_reader.so")));
}

TEST(ReaderRegistry, SaysWhyALibraryIsNoReader) {
    const TemporaryFolder folder;
    folder.write("libfuseq_text_reader.so", "this is no library");
    std::filesystem::copy_file(plugin_path("no_entry_point"),
                               folder.path("libfuseq_plain_reader.so"));
    std::filesystem::copy_file(plugin_path("other_abi_reader"),
                               folder.path("libfuseq_old_reader.so"));
    ReaderRegistry registry(folder.path(""));
    EXPECT_THAT(message_of([&] { registry.for_path("m.text"); }), HasSubstr("cannot load"));
    EXPECT_THAT(message_of([&] { registry.for_path("m.plain"); }),
                HasSubstr("it has no symbol fuseq_create_reader"));
    EXPECT_THAT(message_of([&] { registry.for_path("m.old"); }),
                AllOf(HasSubstr("reader ABI 999"),
                      HasSubstr("reader ABI " + std::to_string(kReaderAbiVersion))));
}

TEST(ReaderRegistry, TextThatIsNoXmlIsNoIr) {
    const Core core;
    EXPECT_THAT(message_of([&] { core.read_model("no model at all", Tensor()); }),
                HasSubstr("is no IR: it does not begin with '<'"));
    // Blanks and a byte order mark may stand before the XML.
    EXPECT_THAT(message_of([&] { core.read_model("\xEF\xBB\xBF \n<net", Tensor()); }),
                testing::Not(HasSubstr("is no IR")));
}

}  // namespace
}  // namespace fuseq
