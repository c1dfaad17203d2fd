// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/nearest_name.hpp"

#include <gtest/gtest.h>

namespace fuseq {
namespace {

TEST(NearestName, HasTheFewestEdits) {
    EXPECT_EQ(nearest_name("Ad", {"Multiply", "Add", "And"}), "Add");
    EXPECT_EQ(nearest_name("layr_13", {"layer_1", "layer_13", "conv"}), "layer_13");
    EXPECT_EQ(nearest_name("ap", {"ip", "api", "cap"}), "api") << "of one edit each, a beginning";
    EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, IsAskedForOnlyWhereItIsAlike) {
    EXPECT_EQ(did_you_mean("imag", {"image", "mask"}), "; did you mean 'image'?");
    EXPECT_EQ(did_you_mean("abcd", {"abxy"}), "; did you mean 'abxy'?") << "half of the letters";
    EXPECT_EQ(did_you_mean("abcd", {"axyz"}), "");
    EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace fuseq
