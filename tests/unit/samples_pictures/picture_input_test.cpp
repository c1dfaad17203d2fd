// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/picture_input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/tool.hpp"
#include "fuseq/layout.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

// One row: (10,20,30) and (110,120,130).
Picture two_pixels() {
    Picture picture(1, 2);
    picture.at(0, 0) = {10, 20, 30};
    picture.at(0, 1) = {110, 120, 130};
    return picture;
}

struct Input {
    explicit Input(const PartialShape& shape, ElementType type = ElementType::f32)
        : model(std::make_shared<Model>("m")) {
        Node* in = model->add_parameter("in", type, shape);
        model->add_result("r", in->output());
    }
    Output port() const { return model->input(); }
    std::vector<float> values(const PictureOptions& options) const {
        const Tensor tensor = picture_tensor(two_pixels(), "a.png", port(), options);
        EXPECT_EQ(tensor.get_element_type(), port().type());
        return to_floats(tensor);
    }
    std::string refusal(const PictureOptions& options) const {
        try {
            picture_tensor(two_pixels(), "a.png", port(), options);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "no error";
    }
    std::shared_ptr<Model> model;
};

TEST(PictureInput, BringsColorsAndLayoutToThoseOfTheInput) {
    EXPECT_THAT(Input({1, 3, 1, 2}).values({}), ElementsAre(10, 110, 20, 120, 30, 130));
    EXPECT_THAT(Input({1, 1, 2, 3}).values({"NHWC", "", "", "", ""}),
                ElementsAre(10, 20, 30, 110, 120, 130));
    EXPECT_THAT(Input({3, 1, 2}).values({}), ElementsAre(10, 110, 20, 120, 30, 130));
    PictureOptions bgr;
    bgr.color = "BGR";
    bgr.layout = "NCHW";
    EXPECT_THAT(Input({1, 3, 1, 2}).values(bgr), ElementsAre(30, 130, 20, 120, 10, 110));
    bgr.layout = "NHWC";
    EXPECT_THAT(Input({1, 1, 2, 3}, ElementType::u8).values(bgr),
                ElementsAre(30, 20, 10, 130, 120, 110));
    // 0.299 R + 0.587 G + 0.114 B
    EXPECT_THAT(Input({1, 1, 1, 2}).values({"NCHW", "GRAY", "", "", ""}),
                ElementsAre(testing::FloatNear(18.15F, 1e-3F), testing::FloatNear(118.15F, 1e-3F)));
}

TEST(PictureInput, SubtractsTheMeanAndDividesByTheScale) {
    EXPECT_THAT(Input({1, 3, 1, 2}).values({"", "", "", "[10,20,30]", "[1,2,4]"}),
                ElementsAre(0, 100, 0, 50, 0, 25));
    // By name, and one value for all, without brackets.
    EXPECT_THAT(Input({1, 3, 1, 2}).values({"", "BGR", "", "in[30,20,10]", "50"}),
                ElementsAre(0, 2, 0, 2, 0, 2));
}

TEST(PictureInput, ResizesOnlyWhenAsked) {
    // Half pixels: 10, 35, 85, 110.
    EXPECT_THAT(
        Input({1, 1, 1, 4}).refusal({"NCHW", "", "", "", ""}),
        HasSubstr("'a.png' is 2 x 1 (width x height), input 'in' takes 4 x 1: -resize nearest, "
                  "linear or cubic"));
    const auto linear = Input({1, 3, 1, 4}).values({"", "", "linear", "", ""});
    EXPECT_THAT(std::vector(linear.begin(), linear.begin() + 4), ElementsAre(10, 35, 85, 110));
    const auto nearest = Input({1, 3, 1, 4}).values({"", "", "nearest", "", ""});
    EXPECT_THAT(std::vector(nearest.begin(), nearest.begin() + 4), ElementsAre(10, 10, 110, 110));
    const auto cubic = Input({1, 3, 2, 2}).values({"", "", "cubic", "", ""});
    EXPECT_THAT(std::vector(cubic.begin(), cubic.begin() + 4), ElementsAre(10, 110, 10, 110));
}

TEST(PictureInput, TakesTheSizeOfThePictureWhereTheInputIsOpen) {
    const Input open(PartialShape::parse("[?,3,?,?]"));
    EXPECT_EQ(picture_tensor(two_pixels(), "a.png", open.port(), {}).get_shape(),
              (Shape{1, 3, 1, 2}));
}

TEST(PictureInput, FindsTheLayoutOrAsksForIt) {
    const Input both({1, 3, 3, 3});
    EXPECT_THAT(both.refusal({}), HasSubstr("say with -layout NCHW or NHWC"));
    EXPECT_TRUE(channels_are_last(both.port(), {"NHWC", "", "", "", ""}));
    EXPECT_FALSE(channels_are_last(both.port(), {"in[NCHW]", "", "", "", ""}));
    set_layout(both.port(), "NHWC");
    EXPECT_TRUE(channels_are_last(both.port(), {}));
    EXPECT_THAT(both.refusal({"NC", "", "", "", ""}), HasSubstr("-layout"));
}

TEST(PictureInput, RefusesInputsThatTakeNoPictures) {
    EXPECT_THAT(Input({1, 10}).refusal({}), HasSubstr("a picture needs one of 3 or 4 dimensions"));
    EXPECT_THAT(Input({1, 4, 1, 2}).refusal({"NCHW", "", "", "", ""}),
                HasSubstr("input 'in' has 4 channels, a picture has 3"));
    EXPECT_THAT(Input({1, 3, 1, 2}).refusal({"", "GRAY", "", "", ""}),
                HasSubstr("-color GRAY has 1 channels, input 'in' has 3"));
}

TEST(PictureInput, ReadsAFileOrAFolderAsRuns) {
    const TemporaryFolder folder;
    const Input input({1, 3, 1, 2});
    write_picture(folder.path("b.bmp"), two_pixels());
    write_picture(folder.path("a.bmp"), two_pixels());
    EXPECT_THAT(runs_of(folder.path("a.bmp"), {input.port()}), ElementsAre(folder.path("a.bmp")));
    EXPECT_THAT(runs_of(folder.path(""), {input.port()}),
                ElementsAre(folder.path("a.bmp"), folder.path("b.bmp")));
    EXPECT_EQ(read_run_input(folder.path("a.bmp"), {input.port()}, 0, {}).get_shape(),
              (Shape{1, 3, 1, 2}));
    // A file that is named after the input: the folder is one run.
    write_picture(folder.path("in.bmp"), two_pixels());
    EXPECT_THAT(runs_of(folder.path("."), {input.port()}), ElementsAre(folder.path(".")));
    EXPECT_EQ(picture_of_run(folder.path("."), input.port()), folder.path("./in.bmp"));
    EXPECT_EQ(read_run_input(folder.path("."), {input.port()}, 0, {}).get_size(), 6);
}

TEST(PictureInput, ReadsAnArrayForAModelWithOneInput) {
    const TemporaryFolder folder;
    const Input input({1, 3, 1, 2});
    const std::string file = folder.path("values.npy");
    write_npy(file, Tensor::of<float>({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6}));
    EXPECT_THAT(runs_of(file, {input.port()}), ElementsAre(file));
    EXPECT_THAT(to_floats(read_run_input(file, {input.port()}, 0, {})),
                ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PictureInput, RefusesRunsThatDoNotFit) {
    const TemporaryFolder folder;
    write_picture(folder.path("a.bmp"), two_pixels());
    const Input batch({2, 3, 1, 2});
    const Input one({1, 3, 1, 2});
    EXPECT_THAT(
        test::message_of([&] { read_run_input(folder.path("a.bmp"), {batch.port()}, 0, {}); }),
        HasSubstr("is one picture"));
    EXPECT_THROW(read_run_input(folder.path("a.bmp"), {one.port(), batch.port()}, 0, {}),
                 UsageError);
    EXPECT_THROW(read_run_input(folder.write("a.npy", ""), {one.port(), batch.port()}, 0, {}),
                 UsageError);
    const std::string text = folder.write("a.txt", "no array");
    EXPECT_THAT(test::message_of([&] { read_run_input(text, {one.port()}, 0, {}); }),
                HasSubstr("a.txt' is neither a picture (.png, .jpg, .jpeg, .bmp), a .npy file nor "
                          "a folder of such files"));
    EXPECT_THAT(test::message_of([&] { read_run_input("no_folder", {one.port()}, 0, {}); }),
                HasSubstr("'no_folder': there is no such file or folder"));
}

}  // namespace
}  // namespace fuseq::samples
