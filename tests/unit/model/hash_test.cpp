// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fuseq::test {
namespace {

TEST(HashBytes, EveryBitAndTheLengthMatter) {
    std::string text(37, '\0');
    std::set<std::uint64_t> seen{hash_bytes(text.data(), text.size())};
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string other = text;
        other[bit / 8] = static_cast<char>(1u << (bit % 8));
        EXPECT_TRUE(seen.insert(hash_bytes(other.data(), other.size())).second) << bit;
    }
    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_TRUE(seen.insert(hash_bytes(text.data(), length)).second) << length;
    }
    EXPECT_TRUE(seen.insert(hash_bytes(text.data(), text.size(), 1)).second) << "seed";
}

// Files of compiled models and names of dumps hold these numbers: any XXH3 gives them.
TEST(HashBytes, IsXxh3) {
    EXPECT_EQ(hash_bytes("", 0), 0x2d06800538d394c2u);
    EXPECT_EQ(hash_bytes("a", 1), 0xe6c632b61e964e1fu);
    EXPECT_EQ(hash_bytes("abc", 3), 0x78af5f94892f3950u);
}

TEST(HashBytes, DoesNotDependOnAlignment) {
    const std::string text = "xthe same bytes, somewhere else";
    const std::string copy = text.substr(1);
    EXPECT_EQ(hash_bytes(text.data() + 1, copy.size()), hash_bytes(copy.data(), copy.size()));
}

}  // namespace
}  // namespace fuseq::test
