// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/model_files.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "ir/ir.hpp"
#include "support/small_model.hpp"

namespace fuseq::cpu {
namespace {

constexpr const char* kText = R"(model "files"
    %x = Parameter : f32[1,300]
    %w = Const value=random(5,-1,1) : f32[300,4000]
    %y = MatMul(%x, %w) transpose_a=false transpose_b=false
    %r = Result(%y))";

class ModelFilesTest : public ::testing::Test {
protected:
    std::string model(const std::string& name) const {
        write_ir(*Model::from_text(kText), folder_.path(name));
        return folder_.path(name);
    }
    static ModelKey key(const std::string& path, std::size_t threads = 1) {
        const auto files = ModelFiles::open(path, threads);
        EXPECT_TRUE(files) << path;
        return files ? files->key() : ModelKey{};
    }
    // Changes one byte.
    static void touch(const std::string& path, std::size_t at) {
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekg(static_cast<std::streamoff>(at));
        const auto byte = static_cast<char>(file.get() ^ 1);
        file.seekp(static_cast<std::streamoff>(at));
        file.put(byte);
    }
    test::TemporaryFolder folder_;
};

TEST_F(ModelFilesTest, TheKeyIsThatOfTheBytes) {
    const std::string one = model("one.xml");
    const ModelKey before = key(one);
    EXPECT_EQ(key(model("two.xml")), before);
    EXPECT_EQ(key(one, 3), before);  // 4.8 MB: several pieces
    touch(folder_.path("two.bin"), 4'000'000);
    EXPECT_NE(key(folder_.path("two.xml")), before);
    touch(folder_.path("two.bin"), 4'000'000);
    EXPECT_EQ(key(folder_.path("two.xml")), before);
    std::ofstream(folder_.path("two.xml"), std::ios::app) << "\n";
    EXPECT_NE(key(folder_.path("two.xml")), before);
    std::filesystem::remove(folder_.path("one.bin"));
    EXPECT_NE(key(one), before);
}

TEST_F(ModelFilesTest, NothingWhereAFileCannotBeRead) {
    EXPECT_FALSE(ModelFiles::open(folder_.path("none.xml"), 1));
    EXPECT_FALSE(ModelFiles::open(folder_.path("."), 1));
    model("one.xml");
    std::filesystem::remove(folder_.path("one.bin"));
    std::filesystem::create_directory(folder_.path("one.bin"));
    EXPECT_FALSE(ModelFiles::open(folder_.path("one.xml"), 1));
}

TEST_F(ModelFilesTest, ConstantsShareTheMemoryOfTheWeights) {
    const auto files = ModelFiles::open(model("one.xml"), 1);
    ASSERT_TRUE(files);
    EXPECT_EQ(files->weights().get_byte_size(), 300u * 4000 * 4);
    const auto read = files->read();
    EXPECT_EQ(compare_models(*read, *Model::from_text(kText)), "");
    EXPECT_EQ(read->find_all("Const").at(0)->constant().data(), files->weights().data());
}

TEST_F(ModelFilesTest, AModelThatIsNoneIsAnErrorThatNamesTheFile) {
    const std::string path = folder_.write("bad.xml", "<net");
    const auto files = ModelFiles::open(path, 1);
    ASSERT_TRUE(files);
    try {
        files->read();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "read");
        EXPECT_EQ(error.info().file, path);
    }
}

}  // namespace
}  // namespace fuseq::cpu
