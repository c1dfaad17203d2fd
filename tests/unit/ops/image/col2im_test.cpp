// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

void expect_image(const std::string& attributes,
                  const In& data,
                  const std::vector<std::int64_t>& size,
                  const std::vector<std::int64_t>& kernel,
                  const Shape& shape,
                  const std::vector<float>& expected) {
    expect_tensor<float>(run_op("Col2Im", 15, attributes, {data, ints(size), ints(kernel)})[0],
                         shape, expected);
}

TEST(Col2Im, AddsWhatWindowsShare) {
    // Four windows of 2 x 2 in 3 x 3; a row for every value of the window.
    const std::vector<float> columns = {1,   2,   3,   4,   10,   20,   30,   40,
                                        100, 200, 300, 400, 1000, 2000, 3000, 4000};
    const std::vector<float> image = {1, 12, 20, 103, 1234, 2040, 300, 3400, 4000};
    expect_image("", in_f32({4, 4}, columns), {3, 3}, {2, 2}, {1, 3, 3}, image);
    expect_image("", in_f32({1, 4, 4}, columns), {3, 3}, {2, 2}, {1, 1, 3, 3}, image);
    expect_image("strides=1,1; dilations=1,1; pads_begin=0,0; pads_end=0,0",
                 in_f32({1, 4, 4}, columns), {3, 3}, {2, 2}, {1, 1, 3, 3}, image);
}

TEST(Col2Im, FollowsStridesDilationsAndPads) {
    expect_image("strides=2,2", in_f32({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), {2, 4}, {2, 2}, {1, 2, 4},
                 {1, 3, 2, 4, 5, 7, 6, 8});
    // What no window reaches is 0.
    expect_image("strides=3,2", in_f32({1, 4}, {1, 2, 3, 4}), {4, 4}, {1, 1}, {1, 4, 4},
                 {1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 0});
    expect_image("dilations=1,2", in_f32({2, 1}, {5, 7}), {1, 3}, {1, 2}, {1, 1, 3}, {5, 0, 7});
    expect_image("dilations=2,1", in_f32({2, 1}, {5, 7}), {3, 1}, {2, 1}, {1, 3, 1}, {5, 0, 7});
    // What falls on the padding is dropped.
    expect_image("pads_begin=0,1; pads_end=0,1", in_f32({2, 3}, {1, 2, 3, 10, 20, 30}), {1, 2},
                 {1, 2}, {1, 1, 2}, {12, 23});
    expect_image("pads_begin=0,1", in_f32({2, 2}, {1, 2, 10, 20}), {1, 2}, {1, 2}, {1, 1, 2},
                 {12, 20});
    expect_image("pads_end=1,0", in_f32({2, 2}, {1, 2, 10, 20}), {2, 1}, {2, 1}, {1, 2, 1},
                 {1, 12});
}

TEST(Col2Im, KeepsChannelsAndImagesApart) {
    expect_image("", in_f32({2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}), {1, 2}, {1, 2}, {2, 2, 1, 2},
                 {1, 2, 3, 4, 5, 6, 7, 8});
}

TEST(Col2Im, MakesEmptyImagesOfAnySize) {
    const In size = ints({1 << 24, 1 << 24});
    EXPECT_EQ(to_string(run_op("Col2Im", 15, "", {in_f32({0, 1}, {}), size, size})[0].get_shape()),
              "[0,16777216,16777216]");
}

TEST(Col2Im, TakesIntegers) {
    const In size = constant<std::int32_t>({2}, {1, 2});
    expect_tensor<std::int64_t>(
        run_op("Col2Im", 15, "pads_begin=0,1; pads_end=0,1",
               {in<std::int64_t>({2, 3}, {0, -5, 1LL << 60, 1, 1, 0}), size, size})[0],
        {1, 1, 2}, {-4, (1LL << 60) + 1});
    // In their own type: 200 + 100 wraps around.
    expect_tensor<std::uint8_t>(
        run_op("Col2Im", 15, "",
               {in<std::uint8_t>({2, 2}, {1, 200, 100, 2}), ints({1, 3}), ints({1, 2})})[0],
        {1, 1, 3}, {1, 44, 2});
}

TEST(Col2Im, Infers) {
    const auto shape = [](const std::string& data, const In& size, const In& kernel) {
        return shape_of("Col2Im", 15, "", {open(ElementType::f32, data), size, kernel});
    };
    EXPECT_EQ(shape("[3,12,225]", ints({16, 16}), ints({2, 2})), "[3,3,16,16]");
    EXPECT_EQ(shape("[12,225]", ints({16, 16}), ints({2, 2})), "[3,16,16]");
    EXPECT_EQ(shape("[?,12,?]", ints({16, 16}), ints({2, 2})), "[?,3,16,16]");
    EXPECT_EQ(shape("[3,?,225]", ints({16, 16}), ints({2, 2})), "[3,?,16,16]");
    EXPECT_EQ(shape("[3,12,225]", ints({16, 16}), open(ElementType::i32, "[2]")), "[3,?,16,16]");
    EXPECT_EQ(shape("[3,12,225]", open(ElementType::i32, "..."), ints({2, 2})), "[3,3,?,?]");
    EXPECT_EQ(shape("...", ints({16, 16}), ints({2, 2})), "[...]");
}

TEST(Col2Im, Refuses) {
    const auto refused = [](const std::string& attributes, const std::string& data, const In& size,
                            const In& kernel) {
        return error_of("Col2Im", 15, attributes, {open(ElementType::f32, data), size, kernel});
    };
    const In size = ints({3, 3});
    const In kernel = ints({2, 2});
    EXPECT_THAT(refused("", "[4]", size, kernel),
                HasSubstr("data has shape [4], expected rank 2 or 3"));
    EXPECT_THAT(refused("", "[5,4]", size, kernel),
                HasSubstr("data has 5 rows, expected a multiple of the 4 values of the kernel"));
    EXPECT_THAT(refused("", "[4,5]", size, kernel), HasSubstr("data has 5 columns, expected 4"));
    EXPECT_THAT(refused("", "[4,4]", ints({3}), kernel),
                HasSubstr("output_size has 1 values, expected 2"));
    EXPECT_THAT(refused("", "[4,4]", size, ints({2, 2, 2})),
                HasSubstr("kernel_size has 3 values, expected 2"));
    EXPECT_THAT(refused("", "[4,4]", size, ints({2, 0})),
                HasSubstr("kernel_size has the value 0, expected one in [1, 16777216]"));
    EXPECT_THAT(refused("", "[4,4]", ints({-3, 3}), kernel),
                HasSubstr("output_size has the value -3"));
    EXPECT_THAT(refused("", "[4,4]", in_f32({2}, {3, 3}), kernel),
                HasSubstr("output_size is f32, expected an integer type"));
    EXPECT_THAT(refused("", "[4,4]", ints({1, 3}), kernel),
                HasSubstr("the kernel of extent 2 does not fit into the padded output of size 1"));
    EXPECT_THAT(refused("strides=0,1", "[4,4]", size, kernel),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(refused("dilations=1", "[4,4]", size, kernel),
                HasSubstr("dilations has 1 values, expected 2"));
    EXPECT_THAT(refused("pads_begin=-1,0", "[4,4]", size, kernel),
                HasSubstr("pads_begin has the value -1"));
    EXPECT_THAT(error_of("Col2Im", 15, "", {open(ElementType::boolean, "[4,4]"), size, kernel}),
                HasSubstr("data is boolean, expected a numeric type"));
    EXPECT_THAT(error_of("Col2Im", 15, "strides=65536,65536",
                         {in_f32({1, 1}, {1}), ints({65536, 65536}), ints({1, 1})}),
                HasSubstr("the image has shape [1,65536,65536], expected at most 268435456"));
    EXPECT_THAT(blind_error_of("Col2Im", 15, "", {in_f32({4, 1}, {1, 2, 3, 4}), size, kernel}),
                HasSubstr("data has 1 columns, expected 4"));
}

}  // namespace
}  // namespace fuseq::test
