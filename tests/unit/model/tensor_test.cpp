// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace fuseq::test {
namespace {

using testing::ElementsAre;

TEST(Tensor, OwnsAlignedZeros) {
    Tensor tensor(element::f32, {2, 3});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0u);
    EXPECT_EQ(tensor.get_byte_size(), 24u);
    EXPECT_THAT(to_floats(tensor), testing::Each(0));
    EXPECT_FALSE(Tensor());
    EXPECT_TRUE(Tensor(element::u8, Shape{0}));
}

TEST(Tensor, ChecksTheTypeOfAccess) {
    Tensor tensor(element::f32, {2});
    EXPECT_NE(tensor.data<float>(), nullptr);
    EXPECT_THROW(tensor.data<std::int32_t>(), Error);
    EXPECT_THROW(Tensor::of<float>({3}, {1, 2}), Error);
    const Tensor flags = Tensor::of<bool>({2}, {true, false});
    EXPECT_EQ(flags.data<std::uint8_t>()[0], 1);
}

TEST(Tensor, RefusesSizesThatDoNotFit) {
    EXPECT_THROW(Tensor(element::f64, Shape{std::size_t{1} << 62}), Error);
    EXPECT_THROW(Tensor(element::u8, Shape{std::size_t{1} << 40, std::size_t{1} << 40}), Error);
    EXPECT_THROW(Tensor(element::f32, Shape{1}, static_cast<void*>(nullptr)), Error);
}

TEST(Tensor, OverForeignMemoryMayShrinkOnly) {
    std::vector<float> memory{1, 2, 3};
    Tensor tensor(element::f32, {3}, memory.data());
    tensor.data<float>()[0] = 7;
    EXPECT_EQ(memory[0], 7);
    tensor.set_shape({2});
    EXPECT_EQ(tensor.get_size(), 2u);
    EXPECT_THROW(tensor.set_shape({4}), Error);
}

TEST(Tensor, OwnedMemoryGrows) {
    Tensor tensor = Tensor::of<float>({2}, {1, 2});
    tensor.set_shape({1});
    tensor.set_shape({2});
    EXPECT_THAT(to_floats(tensor), ElementsAre(1, 2));
    tensor.set_shape({1000});
    EXPECT_EQ(tensor.get_size(), 1000u);
}

TEST(Tensor, IntegersOfU64AreReadByTheirBits) {
    const Tensor tensor = Tensor::of<std::uint64_t>({3}, {5, 18446744073709551615U, 1U << 31U});
    EXPECT_THAT(to_ints(tensor), ElementsAre(5, -1, 2147483648));
    EXPECT_THAT(to_ints(Tensor::of<std::uint8_t>({1}, {255})), ElementsAre(255));
}

TEST(Tensor, ReadOnlyMemoryIsKeptAliveAndNotWritten) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
    Tensor tensor(element::f32, {2}, owner->data(), owner);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_TRUE(tensor.is_read_only());
    EXPECT_THROW(tensor.data(), Error);
    EXPECT_THAT(to_floats(tensor), ElementsAre(1, 2));
    const Tensor view = tensor.reshaped({1, 2});
    tensor = {};
    owner.reset();
    EXPECT_THAT(to_floats(view), ElementsAre(1, 2));
}

TEST(Tensor, CopiesShareAndCopyToDoesNot) {
    Tensor a = Tensor::of<float>({2}, {1, 2});
    Tensor shared = a;
    Tensor copy(element::f32, {});
    a.copy_to(copy);
    a.data<float>()[0] = 9;
    EXPECT_THAT(to_floats(shared), ElementsAre(9, 2));
    EXPECT_THAT(to_floats(copy), ElementsAre(1, 2));
    EXPECT_EQ(copy.get_shape(), (Shape{2}));
    Tensor other(element::i8, {2});
    EXPECT_THROW(a.copy_to(other), Error);
    EXPECT_THROW(a.reshaped({3}), Error);
}

TEST(Tensor, GivesMinusOneForTheLargestU64) {
    EXPECT_EQ(to_ints(Tensor::of<std::uint64_t>({2}, {7, UINT64_MAX})),
              (std::vector<std::int64_t>{7, -1}));
}

TEST(Tensor, ComparesTypeShapeAndBytes) {
    const Tensor a = Tensor::of<float>({2}, {0, 1});
    EXPECT_TRUE(same_bytes(a, Tensor::of<float>({2}, {0, 1})));
    EXPECT_FALSE(same_bytes(a, Tensor::of<float>({2}, {-0.0f, 1})));
    EXPECT_FALSE(same_bytes(a, Tensor::of<float>({1, 2}, {0, 1})));
    EXPECT_FALSE(same_bytes(Tensor(element::u8, {2}), Tensor(element::i8, {2})));
}

}  // namespace
}  // namespace fuseq::test
