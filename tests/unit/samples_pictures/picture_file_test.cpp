// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/picture_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "common/pictures/formats.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

// 5 columns: rows of a bmp are padded to 16 bytes.
Picture small_picture() {
    Picture picture(4, 5);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
        const auto value = static_cast<std::uint8_t>(12 * i);
        picture.pixels[i] = {value, static_cast<std::uint8_t>(255 - value), 7};
    }
    return picture;
}

// False where the build has no library for it, which then must be what is said.
bool is_built(const std::string& ending) {
    const TemporaryFolder folder;
    const std::string said =
        message_of([&] { write_picture(folder.path("a" + ending), small_picture()); });
    if (said != "no error") {
        EXPECT_THAT(said, HasSubstr("this build has no"));
        return false;
    }
    return true;
}

std::string bytes_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PictureFile, BmpIsWhatTheFormatSays) {
    // Two pixels, red and blue, as written by hand after the format's description.
    const std::string header = std::string("BM\x3e\0\0\0\0\0\0\0\x36\0\0\0", 14) +
                               std::string("\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0", 16) +
                               std::string(24, '\0');
    const std::string bytes = header + std::string("\0\0\xff\xff\0\0\0\0", 8);
    Picture expected(1, 2);
    expected.at(0, 0) = {255, 0, 0};
    expected.at(0, 1) = {0, 0, 255};
    EXPECT_EQ(decode_bmp(bytes, "a.bmp"), expected);
    EXPECT_EQ(encode_bmp(expected, "a.bmp"), bytes);
}

TEST(PictureFile, BmpHasPalettesAndRowsFromTheTop) {
    // One bit a pixel, height -2: rows from the top; 10000000 and 01000000.
    const std::string bytes = std::string("BM\x46\0\0\0\0\0\0\0\x3e\0\0\0", 14) +
                              std::string("\x28\0\0\0\2\0\0\0\xfe\xff\xff\xff\1\0\1\0", 16) +
                              std::string(24, '\0') + std::string("\1\2\3\0\xa\xb\xc\0", 8) +
                              std::string("\x80\0\0\0\x40\0\0\0", 8);
    const Picture picture = decode_bmp(bytes, "a.bmp");
    EXPECT_THAT(picture.pixels,
                ElementsAre(Color{12, 11, 10}, Color{3, 2, 1}, Color{3, 2, 1}, Color{12, 11, 10}));
}

class PictureFormat : public testing::TestWithParam<std::string> {};

TEST_P(PictureFormat, ComesBack) {
    if (!is_built(GetParam())) {
        GTEST_SKIP() << GetParam() << " is not in this build";
    }
    const TemporaryFolder folder;
    const std::string path = folder.path("a" + GetParam());
    write_picture(path, small_picture());
    EXPECT_EQ(read_picture(path), small_picture());
    // What a file holds decides, not its name.
    std::filesystem::rename(path, folder.path("b.data"));
    EXPECT_EQ(read_picture(folder.path("b.data")), small_picture());
}
// Jpeg loses; the test below is about it.
INSTANTIATE_TEST_SUITE_P(Exact, PictureFormat, testing::Values(".png", ".bmp"));

TEST(PictureFile, JpegIsCloseToWhatWasWritten) {
    if (!is_built(".jpg")) {
        GTEST_SKIP() << "no jpeg in this build";
    }
    const TemporaryFolder folder;
    Picture flat(16, 24);
    std::fill(flat.pixels.begin(), flat.pixels.end(), Color{200, 40, 90});
    write_picture(folder.path("a.JPEG"), flat);
    const Picture back = read_picture(folder.path("a.JPEG"));
    ASSERT_EQ(back.height, 16);
    ASSERT_EQ(back.width, 24);
    for (const Color& color : back.pixels) {
        EXPECT_NEAR(color.red, 200, 3);
        EXPECT_NEAR(color.green, 40, 3);
        EXPECT_NEAR(color.blue, 90, 3);
    }
}

// Every truncation: an error that names the file, or the whole picture where only what follows the
// pixels is missing.
TEST(PictureFile, RefusesTruncatedFiles) {
    const TemporaryFolder folder;
    for (const std::string ending : {".png", ".jpg", ".bmp"}) {
        if (!is_built(ending)) {
            continue;
        }
        const std::string path = folder.path("a" + ending);
        write_picture(path, small_picture());
        const Picture whole = read_picture(path);
        const std::string bytes = bytes_of_file(path);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
            try {
                EXPECT_EQ(read_picture(path), whole) << ending << " of " << size << " bytes";
                EXPECT_GT(size + 20, bytes.size());
            } catch (const Error& error) {
                EXPECT_THAT(error.what(), HasSubstr(path));
            }
        }
    }
}

// Any bytes: a picture or an Error, nothing else.
TEST(PictureFile, SurvivesChangedBytes) {
    const TemporaryFolder folder;
    constexpr unsigned kSeed = 19;
    std::mt19937 random(kSeed);
    RecordProperty("seed", static_cast<int>(kSeed));
    int refused = 0;
    for (const std::string ending : {".png", ".jpg", ".bmp"}) {
        if (!is_built(ending)) {
            continue;
        }
        const std::string path = folder.path("a" + ending);
        write_picture(path, small_picture());
        const std::string bytes = bytes_of_file(path);
        for (int trial = 0; trial < 300; ++trial) {
            std::string changed = bytes;
            for (int i = 0; i < 4; ++i) {
                changed[random() % changed.size()] = static_cast<char>(random());
            }
            std::ofstream(path, std::ios::binary) << changed;
            try {
                read_picture(path);
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, 0);
}

TEST(PictureFile, RefusesWhatIsNoPicture) {
    const TemporaryFolder folder;
    EXPECT_THAT(message_of([&] { read_picture(folder.path("none.png")); }),
                HasSubstr("none.png': cannot be read"));
    EXPECT_THAT(message_of([&] { read_picture(folder.write("empty.png", "")); }),
                HasSubstr("is empty"));
    EXPECT_THAT(message_of([&] { read_picture(folder.write("text.png", "hello")); }),
                HasSubstr("is no png, jpeg or bmp"));
    EXPECT_THAT(message_of([&] { write_picture(folder.path("a.gif"), small_picture()); }),
                HasSubstr("a picture is written as .png, .jpg or .bmp"));
    EXPECT_THAT(message_of([&] { write_picture(folder.path("no/a.bmp"), small_picture()); }),
                HasSubstr("cannot be written"));
    EXPECT_THAT(message_of([&] { picture_of_size(100000, 100000, "big"); }),
                HasSubstr("100000 x 100000 are more than 100000000 pixels"));
    EXPECT_THAT(message_of([&] { picture_of_size(0, 3, "flat"); }), HasSubstr("has no pixels"));
}

}  // namespace
}  // namespace fuseq::samples
