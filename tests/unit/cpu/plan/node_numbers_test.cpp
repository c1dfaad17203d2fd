// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/node_numbers.hpp"

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(NodeNumbers, HasThoseThatWereSet) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[2]
        %y = ReLU(%x)
        %z = Sigmoid(%y)
        %r = Result(%z))");
    const auto node = [&](const char* name) { return model->find(name); };
    NodeNumbers numbers;
    numbers.set(node("z"), 0);
    numbers.set(node("x"), 7);
    numbers.set(node("z"), 5);
    EXPECT_EQ(numbers.at(node("x")), 7u);
    ASSERT_NE(numbers.find(node("z")), nullptr);
    EXPECT_EQ(*numbers.find(node("z")), 5u);
    EXPECT_FALSE(numbers.contains(node("y")));
    EXPECT_EQ(numbers.find(node("y")), nullptr);
    EXPECT_FALSE(numbers.contains(node("r")));  // its id is larger than all that were set
}

}  // namespace
}  // namespace fuseq::cpu
