// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/tool.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using Texts = std::vector<std::string>;

std::string usage_error(const std::function<void()>& function) {
    try {
        function();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Shapes, SplitByName) {
    EXPECT_THAT(split_by_name("", "-x"), IsEmpty());
    EXPECT_THAT(split_by_name("[1,3]", "-x"), ElementsAre(Pair("", Texts{"1,3"})));
    EXPECT_THAT(split_by_name("a[1,?],b/c:0[2..4][5]", "-x"),
                ElementsAre(Pair("a", Texts{"1,?"}), Pair("b/c:0", Texts{"2..4", "5"})));
    EXPECT_THAT(split_by_name("[1][2]", "-x"), ElementsAre(Pair("", Texts{"1", "2"})));
    EXPECT_EQ(usage_error([] { split_by_name("1,3", "-shape"); }),
              "-shape: expected name[...] or [...] in '1,3'");
    EXPECT_THAT(usage_error([] { split_by_name("a[1", "-shape"); }), HasSubstr("expected name"));
    EXPECT_THAT(usage_error([] { split_by_name("a[1]b[2]", "-shape"); }),
                HasSubstr("expected ',' before 'b'"));
}

TEST(Shapes, AreFoundForAnInput) {
    const auto model = test::relu_model();  // layer "in", tensor "in_tensor"
    const Output port = model->input(0);
    EXPECT_THAT(texts_for(split_by_name("in[1],x[2]", "-x"), port), ElementsAre("1"));
    EXPECT_THAT(texts_for(split_by_name("in_tensor[3]", "-x"), port), ElementsAre("3"));
    EXPECT_THAT(texts_for(split_by_name("[4]", "-x"), port), ElementsAre("4"));
    EXPECT_THAT(texts_for(split_by_name("x[2]", "-x"), port), IsEmpty());
    EXPECT_EQ(usage_error([&] {
                  require_known_names(split_by_name("x[2]", "-x"), model->inputs(), "-shape");
              }),
              "-shape: there is no 'x'; there are: 'in_tensor'");
}

TEST(Shapes, NumbersAreParsed) {
    EXPECT_THAT(parse_numbers("104,117.5,-1e2", "-x"), ElementsAre(104, 117.5, -100));
    EXPECT_EQ(usage_error([] { parse_numbers("1,,2", "-mean_values"); }),
              "-mean_values: '1,,2' is no list of numbers");
    EXPECT_THAT(usage_error([] { parse_numbers("1 2", "-x"); }), HasSubstr("no list"));
}

}  // namespace
}  // namespace fuseq::samples
