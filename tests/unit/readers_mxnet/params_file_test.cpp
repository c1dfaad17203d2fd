// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/params_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"
#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using mxnet_reader::parse_params;
using testing::AllOf;
using testing::HasSubstr;

const Tensor kPair = Tensor::of<float>(Shape{2}, {1.5F, -2});

std::string error_of(const std::string& bytes) {
    return message_of([&] { parse_params(bytes, {.file = "m-0000.params"}); });
}

TEST(MxnetParams, KindsOfNamesAndTypes) {
    const Tensor bytes = Tensor::of<std::int8_t>(Shape{1, 3}, {-128, 0, 127});
    const auto params = parse_params(
        mxnet_params({{"arg:w", mxnet_array(bytes, 5)}, {"aux:mean", mxnet_array(kPair, 0)}}), {});
    ASSERT_EQ(params.size(), 2U);
    EXPECT_EQ(params.at("w").get_shape(), (Shape{1, 3}));
    EXPECT_EQ(to_ints(params.at("w")), (std::vector<std::int64_t>{-128, 0, 127}));
    EXPECT_EQ(to_floats(params.at("mean")), (std::vector<float>{1.5F, -2}));
}

// Version 1 has no kind of storage; before it, the array begins with its rank and sizes of 32 bits; in
// version 3 a rank of 0 is a scalar.
TEST(MxnetParams, OlderAndNewerArrays) {
    const auto data = [](ByteWriter& array) {
        return array.add<std::int32_t>(1)
            .add<std::int32_t>(0)
            .add<std::int32_t>(0)
            .add<float>(7)
            .bytes();
    };
    ByteWriter v1;
    v1.add<std::uint32_t>(0xF993FAC8).add<std::uint32_t>(1).add<std::int64_t>(1);
    ByteWriter first;
    first.add<std::uint32_t>(1).add<std::uint32_t>(1);
    ByteWriter v3;
    v3.add<std::uint32_t>(0xF993FACA).add<std::int32_t>(0).add<std::int32_t>(0);
    const auto params =
        parse_params(mxnet_params({{"a", data(v1)}, {"b", data(first)}, {"c", data(v3)}}), {});
    EXPECT_EQ(params.at("a").get_shape(), Shape{1});
    EXPECT_EQ(params.at("b").get_shape(), Shape{1});
    EXPECT_EQ(params.at("c").get_shape(), Shape{});
    for (const char* name : {"a", "b", "c"}) {
        EXPECT_EQ(to_floats(params.at(name)), std::vector<float>{7}) << name;
    }
}

TEST(MxnetParams, FilesThatAreNone) {
    const std::string good = mxnet_params({{"arg:w", mxnet_array(kPair, 0)}});
    EXPECT_EQ(error_of(good), "no error");
    EXPECT_THAT(error_of(""), AllOf(HasSubstr("m-0000.params"), HasSubstr("is empty")));
    EXPECT_THAT(error_of(std::string(64, 'x')), HasSubstr("is no list of MXNet's arrays"));
    EXPECT_THAT(error_of(good + "x"), HasSubstr("more bytes than"));
    for (std::size_t size = 1; size < good.size(); ++size) {
        EXPECT_THAT(error_of(good.substr(0, size)), HasSubstr("m-0000.params")) << size;
    }
    EXPECT_THAT(error_of(mxnet_params(
                    {{"arg:w", mxnet_array(kPair, 0)}, {"aux:w", mxnet_array(kPair, 0)}})),
                HasSubstr("has two arrays 'w'"));
}

TEST(MxnetParams, ArraysThatAreNone) {
    EXPECT_THAT(error_of(mxnet_params({{"w", mxnet_array(kPair, 9)}})),
                AllOf(HasSubstr("array 0"), HasSubstr("is of the type 9")));
    std::string sparse = mxnet_array(kPair, 0);
    sparse[4] = 1;
    EXPECT_THAT(error_of(mxnet_params({{"w", sparse}})), HasSubstr("is sparse"));
    std::string huge = mxnet_array(kPair, 0);
    huge[16] = '\x7f';  // the size of dimension 0
    EXPECT_THAT(error_of(mxnet_params({{"w", huge}})),
                testing::AnyOf(HasSubstr("is cut off"), HasSubstr("elements")));
}

}  // namespace
}  // namespace fuseq::test
