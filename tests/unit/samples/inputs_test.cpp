// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/npy.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const Model& model, const Options& options) {
    try {
        make_inputs(model, options);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(Inputs, AreRandomAndTheSameAtEveryRun) {
    const auto range = [](const Tensor& tensor) {
        const std::vector<float> values = to_floats(tensor);
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        return std::pair(*low, *high);
    };
    EXPECT_TRUE(same_bytes(random_tensor(ElementType::f32, {100}, 7),
                           random_tensor(ElementType::f32, {100}, 7)));
    EXPECT_FALSE(same_bytes(random_tensor(ElementType::f32, {100}, 7),
                            random_tensor(ElementType::f32, {100}, 8)));
    EXPECT_EQ(range(random_tensor(ElementType::u8, {10000}, 1)), std::pair(0.0f, 255.0f));
    EXPECT_EQ(range(random_tensor(ElementType::i8, {10000}, 1)), std::pair(-128.0f, 127.0f));
    EXPECT_EQ(range(random_tensor(ElementType::i64, {1000}, 1)), std::pair(0.0f, 9.0f));
    EXPECT_EQ(range(random_tensor(ElementType::boolean, {100}, 1)), std::pair(0.0f, 1.0f));
    EXPECT_EQ(range(random_tensor(ElementType::u16, {1000}, 1)), std::pair(0.0f, 9.0f));
    EXPECT_EQ(range(random_tensor(ElementType::u4, {1000}, 1)), std::pair(0.0f, 15.0f));
    EXPECT_EQ(range(random_tensor(ElementType::i4, {1000}, 1)), std::pair(-8.0f, 7.0f));
    EXPECT_EQ(range(random_tensor(ElementType::u2, {1000}, 1)), std::pair(0.0f, 3.0f));
    EXPECT_EQ(range(random_tensor(ElementType::u1, {1000}, 1)), std::pair(0.0f, 1.0f));
    EXPECT_EQ(range(random_tensor(ElementType::nf4, {1000}, 1)), std::pair(-1.0f, 1.0f));
    EXPECT_LT(range(random_tensor(ElementType::f16, {1000}, 1)).second, 1.001f);
    EXPECT_GT(range(random_tensor(ElementType::f32, {1, 3, 20, 20}, 1)).second, 200.0f);
}

// Three elements of a batch, none of which ends with a byte.
TEST(Inputs, OfPackedTypesComeFromFiles) {
    const TemporaryFolder folder;
    Model model;
    model.add_result("r", model.add_parameter("x", ElementType::u4, {3, 3})->output());
    for (const char* name : {"a", "b", "c"}) {
        const float first = static_cast<float>(name[0] - 'a');
        write_npy(folder.path(std::string(name) + ".npy"),
                  Tensor::of<float>({1, 3}, {first, 5, 15}));
    }
    Options options;
    options.inputs = {folder.path("a.npy"), folder.path("b.npy"), folder.path("c.npy")};
    const std::vector<InputSet> sets = make_inputs(model, options);
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0][0].get_element_type(), ElementType::u4);
    EXPECT_EQ(to_ints(sets[0][0]), (std::vector<std::int64_t>{0, 5, 15, 1, 5, 15, 2, 5, 15}));
}

TEST(Inputs, ComeFromFilesInTurn) {
    const TemporaryFolder folder;
    const auto model = test::relu_model({2, 2});
    write_npy(folder.path("a.npy"), Tensor::of<float>({2, 2}, {1, 2, 3, 4}).to(ElementType::u8));
    write_npy(folder.path("b.npy"), Tensor::of<float>({1, 2}, {5, 6}));
    write_npy(folder.path("c.npy"), Tensor::of<float>({1, 2}, {7, 8}));
    Options options;
    options.inputs = {folder.path("a.npy")};
    auto sets = make_inputs(*model, options);
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(sets[0][0].get_element_type(), ElementType::f32);
    EXPECT_THAT(to_floats(sets[0][0]), ElementsAre(1, 2, 3, 4));
    // Two files of one batch element each make one set.
    options.inputs = {"in:" + folder.path("b.npy") + "," + folder.path("c.npy")};
    sets = make_inputs(*model, options);
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_THAT(to_floats(sets[0][0]), ElementsAre(5, 6, 7, 8));
}

TEST(Inputs, ComeFromRawBytes) {
    const TemporaryFolder folder;
    const auto model = test::relu_model({1, 2});
    const float values[] = {0.5f, -2};
    folder.write("x.bin", std::string(reinterpret_cast<const char*>(values), sizeof values));
    Options options;
    options.inputs = {folder.path("")};
    EXPECT_THAT(to_floats(make_inputs(*model, options)[0][0]), ElementsAre(0.5f, -2));
    folder.write("x.bin", "123");
    EXPECT_THAT(refusal(*model, options), HasSubstr("x.bin' has 3 bytes, input 'in_tensor' "
                                                    "(f32[1,2]) needs 8"));
}

TEST(Inputs, FollowTheShapesOfTheData) {
    const auto model = test::relu_model(PartialShape::parse("[1,?]"));
    Options options;
    EXPECT_THAT(refusal(*model, options), HasSubstr("give -data_shape, -shape or files"));
    options.data_shape = "in[1,4][1,6]";
    const auto sets = make_inputs(*model, options);
    ASSERT_EQ(sets.size(), 2u);
    EXPECT_EQ(sets[0][0].get_shape(), (Shape{1, 4}));
    EXPECT_EQ(sets[1][0].get_shape(), (Shape{1, 6}));
    options.data_shape = "[2,4]";
    EXPECT_THAT(refusal(*model, options), HasSubstr("input 'in_tensor' allows [1,?], not [2,4]"));
    options.data_shape = "[1,?]";
    EXPECT_THAT(refusal(*model, options), HasSubstr("-data_shape: "));
}

TEST(Inputs, RefuseFilesThatDoNotFit) {
    const TemporaryFolder folder;
    const auto model = test::relu_model({2, 2});
    Options options;
    options.inputs = {folder.path("none.npy")};
    EXPECT_THAT(refusal(*model, options), HasSubstr("there is no '"));
    options.inputs = {folder.path(".")};
    EXPECT_THAT(refusal(*model, options), HasSubstr("has no .npy and no .bin"));
    options.inputs = {folder.write("x.gif", "GIF")};
    EXPECT_THAT(refusal(*model, options), HasSubstr("neither .npy nor .bin nor a picture"));
    options.inputs = {folder.write("x.bmp", "BM")};
    EXPECT_THAT(refusal(*model, options), HasSubstr("bad bmp: it has 2 bytes"));
    options.inputs = {"image_info"};
    EXPECT_THAT(refusal(*model, options), HasSubstr("image_info is not supported"));
    write_npy(folder.path("a.npy"), Tensor(ElementType::f32, {3, 2}));
    options.inputs = {folder.path("a.npy")};
    EXPECT_THAT(refusal(*model, options),
                HasSubstr("a.npy' has shape [3,2], input 'in_tensor' has [2,2]"));
}

}  // namespace
}  // namespace fuseq::samples
