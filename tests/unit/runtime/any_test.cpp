// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/any.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

using testing::ElementsAre;

template <class Function>
std::string message_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Any, ReadsBooleansInEverySpelling) {
    for (const Any& yes : {Any(true), Any("YES"), Any("yes"), Any("True"), Any("1"), Any(1)}) {
        EXPECT_TRUE(yes.as_bool());
    }
    for (const Any& no : {Any(false), Any("NO"), Any("false"), Any("0"), Any(0)}) {
        EXPECT_FALSE(no.as_bool());
    }
    EXPECT_EQ(message_of([] { (void)Any("maybe").as_bool(); }),
              "property: 'maybe' is not YES or NO");
    EXPECT_THROW((void)Any(2).as_bool(), Error);
    EXPECT_THROW((void)Any(1.0).as_bool(), Error);
    EXPECT_THROW((void)Any().as_bool(), Error);
}

TEST(Any, ReadsIntegers) {
    EXPECT_EQ(Any(-7).as_int(), -7);
    EXPECT_EQ(Any("12").as<int>(), 12);
    EXPECT_EQ(Any(3.0).as_int(), 3);
    EXPECT_EQ(Any(true).as_int(), 1);
    for (const Any& wrong : {Any("12x"), Any(""), Any(" 1"), Any(3.5), Any(1e30), Any("1e3"),
                             Any("99999999999999999999")}) {
        EXPECT_THROW((void)wrong.as_int(), Error) << wrong.as_string();
    }
    EXPECT_EQ(message_of([] { (void)Any("4.5").as_int(); }), "property: '4.5' is not an integer");
    EXPECT_EQ(message_of([] { (void)Any().as_int(); }),
              "property: an empty value is not an integer");
}

TEST(Any, ReadsReals) {
    EXPECT_DOUBLE_EQ(Any("0.25").as_double(), 0.25);
    EXPECT_DOUBLE_EQ(Any(4).as<double>(), 4.0);
    EXPECT_THROW((void)Any("x").as_double(), Error);
}

TEST(Any, WritesTextThatReadsBack) {
    EXPECT_EQ(Any(true).as_string(), "YES");
    EXPECT_EQ(Any(5).as_string(), "5");
    EXPECT_EQ(Any(0.1).as_string(), "0.1");
    EXPECT_EQ(Any(std::vector<std::string>{"a", "b"}).as_string(), "a b");
    EXPECT_EQ(Any("x y").as<std::string>(), "x y");
}

TEST(Any, SplitsLists) {
    EXPECT_THAT(Any("a, b  c,,d").as_list(), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(Any(std::vector<std::string>{"a b"}).as_list(), ElementsAre("a b"));
    EXPECT_THAT(Any().as_list(), ElementsAre());
}

}  // namespace
}  // namespace fuseq
