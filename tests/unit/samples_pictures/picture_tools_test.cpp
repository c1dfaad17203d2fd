// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tools, given pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using test::Outcome;
using test::run_program;
using testing::HasSubstr;

// Twice the value; and the mean of each channel.
constexpr const char* kModel = R"(model "colors"
    %image = Parameter.1 : f32[1,3,4,4]
    %two = Const.1 value={2} : f32[]
    %twice = Multiply.1(%image, %two) : f32[1,3,4,4]
    %r1 = Result.1(%twice) : f32[1,3,4,4]
    %axes = Const.1 value={2,3} : i64[2]
    %mean = ReduceMean.1(%image, %axes) keep_dims=false : f32[1,3]
    %r2 = Result.1(%mean) : f32[1,3])";

class PictureTools : public testing::Test {
protected:
    PictureTools() {
        write_ir(*Model::from_text(kModel), path("m.xml"));
        std::filesystem::create_directory(path("pictures"));
        Picture picture(4, 4);
        std::fill(picture.pixels.begin(), picture.pixels.end(), Color{10, 40, 20});
        write_picture(path("pictures/a.bmp"), picture);
        write_picture(path("pictures/b.bmp"), picture);
        write_picture(path("large.bmp"), Picture(8, 6));
    }
    std::string path(const std::string& file) const { return folder_.path(file); }
    Outcome infer(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"-m", path("m.xml"), "-d", "REFERENCE"});
        return run_program(FUSEQ_BIN "/infer", arguments);
    }
    test::TemporaryFolder folder_;
};

TEST_F(PictureTools, InferPrintsTheBestClasses) {
    folder_.write("l.txt", "red\ngreen\nblue\n");
    const Outcome one =
        infer({"-i", path("pictures/a.bmp"), "-top", "2", "-labels", path("l.txt")});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(one.out, "mean:\n      1  40         green\n      2  20         blue\n");
}

TEST_F(PictureTools, InferRunsAFolderAndDrawsEach) {
    const Outcome both = infer({"-i", path("pictures"), "-o", path("out"), "-draw", "image", "-out",
                                path("twice.bmp"), "-color", "BGR"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_THAT(both.out, HasSubstr("0: " + path("pictures/a.bmp")));
    EXPECT_EQ(to_floats(read_npy(path("out/1/mean.npy"))), (std::vector<float>{20, 40, 10}));
    // The values go to 80: they are bytes. The colors are as in the file again.
    EXPECT_EQ(read_picture(path("twice.1.bmp")).at(3, 3), (Color{20, 80, 40}));
}

TEST_F(PictureTools, InferRefusesInOneLine) {
    const auto refused = [&](const std::vector<std::string>& arguments, int status) {
        const Outcome outcome = infer(arguments);
        EXPECT_EQ(outcome.status, status) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        return outcome.err;
    };
    EXPECT_THAT(refused({"-i", path("large.bmp"), "-top", "1"}, 1),
                HasSubstr("is 6 x 8 (width x height), input 'image' takes 4 x 4: -resize"));
    folder_.write("bad.png", "\x89PNG\r\n\x1a\nrest");
    EXPECT_THAT(refused({"-i", path("bad.png"), "-top", "1"}, 1), HasSubstr("bad.png"));
    EXPECT_THAT(refused({"-i", path("pictures/a.bmp")}, 2),
                HasSubstr("give -o OUTDIR, -top N, -draw"));
    EXPECT_THAT(refused({"-i", path("pictures/a.bmp"), "-draw", "mask"}, 2),
                HasSubstr("-draw needs -out FILE.png"));
    EXPECT_THAT(refused({"-i", path("pictures/a.bmp"), "-out", path("a.gif")}, 2),
                HasSubstr("is none of .png, .jpg, .bmp"));
    EXPECT_THAT(refused({"-i", path("pictures/a.bmp"), "-top", "1", "-resize", "best"}, 2),
                HasSubstr("linear"));
}

TEST_F(PictureTools, OthersTakePicturesToo) {
    const Outcome benchmark = run_program(
        FUSEQ_BIN "/benchmark_app", {"-m", path("m.xml"), "-d", "REFERENCE", "-i", path("pictures"),
                                     "-niter", "2", "-api", "sync", "-color", "BGR"});
    EXPECT_EQ(benchmark.status, 0) << benchmark.err;
    const Outcome large =
        run_program(FUSEQ_BIN "/benchmark_app", {"-m", path("m.xml"), "-d", "REFERENCE", "-i",
                                                 path("large.bmp"), "-niter", "2", "-api", "sync"});
    EXPECT_THAT(large.err, HasSubstr("-resize nearest, linear or cubic"));
    const Outcome explain =
        run_program(FUSEQ_BIN "/explain", {"-m", path("m.xml"), "-profile", "-niter", "2", "-i",
                                           path("large.bmp"), "-resize", "linear"});
    EXPECT_EQ(explain.status, 0) << explain.err;
    const Outcome needless =
        run_program(FUSEQ_BIN "/explain", {"-m", path("m.xml"), "-i", path("large.bmp")});
    EXPECT_EQ(needless.status, 2);
    const Outcome quantize =
        run_program(FUSEQ_BIN "/quantize",
                    {"-m", path("m.xml"), "-i", path("pictures"), "-dump_profile", path("p.yaml")});
    EXPECT_EQ(quantize.status, 0) << quantize.err;
    EXPECT_TRUE(std::filesystem::exists(path("p.yaml")));
}

}  // namespace
}  // namespace fuseq::samples
