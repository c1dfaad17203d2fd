// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"

namespace {

using namespace fuseq;
using testing::HasSubstr;

std::string refusal_of(const char* text) {
    try {
        const Layout layout(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Layout, HasALetterOrANameADimension) {
    EXPECT_EQ(Layout("NCHW").to_string(), "[N,C,H,W]");
    EXPECT_EQ(Layout("nhwc"), Layout("[N, H, W, C]"));
    EXPECT_EQ(Layout("[N, TOKEN, 64x]").to_string(), "[N,TOKEN,64X]");
    EXPECT_EQ(Layout("NC??").get_index_by_name("c"), 1);
    EXPECT_EQ(Layout("NC??").rank(), 4u);
    EXPECT_TRUE(Layout().empty());
    EXPECT_EQ(Layout().to_string(), "");
}

TEST(Layout, WithDotsCountsFromTheEnd) {
    const Layout layout("N...C");
    EXPECT_EQ(layout.to_string(), "[N,...,C]");
    EXPECT_EQ(layout.get_index_by_name("N"), 0);
    EXPECT_EQ(layout.get_index_by_name("C"), -1);
    EXPECT_EQ(layout.index_in("C", 5), 4u);
    EXPECT_EQ(layout.rank(), std::nullopt);
    EXPECT_EQ(layout.index_in("C", 1), std::nullopt);  // no place for both
    EXPECT_EQ(Layout("[...,H,W]").get_index_by_name("H"), -2);
}

TEST(Layout, RefusesWhatIsNone) {
    EXPECT_THAT(refusal_of("NCHWN"), HasSubstr("it has N twice"));
    EXPECT_THAT(refusal_of("[N,C"), HasSubstr("a bracket is missing"));
    EXPECT_THAT(refusal_of("N...C..."), HasSubstr("it has dots twice"));
    EXPECT_THAT(refusal_of("N-C"), HasSubstr("'-' is no name of a dimension"));
    EXPECT_THAT(refusal_of("N-C"), HasSubstr("expected one as NCHW"));
    EXPECT_THROW(Layout("NCHW").get_index_by_name("D"), Error);
}

TEST(Layout, BelongsToAnInput) {
    const auto model = Model::from_text(
        "model \"m\"\n%x = Parameter : f32[1,3,4,4]\n"
        "%r = Result(%x)\n");
    EXPECT_TRUE(get_layout(model->input()).empty());
    set_layout(model->input(), "NCHW");
    EXPECT_EQ(get_layout(model->input()), Layout("NCHW"));
    EXPECT_THROW(set_layout(model->input(), "NC"), Error);
    set_layout(model->input(), Layout());
    EXPECT_TRUE(get_layout(model->input()).empty());
}

}  // namespace
