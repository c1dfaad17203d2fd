// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/save_model.hpp"

#include <gtest/gtest.h>

#include "fuseq/core.hpp"
#include "fuseq/layout.hpp"
#include "support/small_model.hpp"

namespace {

using namespace fuseq;

TEST(SaveModel, WritesWhatReadModelReads) {
    const test::TemporaryFolder folder;
    const auto model = test::relu_model({1, -1, 4, 4});
    set_layout(model->input(), "NCHW");
    save_model(*model, folder.path("m.xml"));
    const auto read = Core().read_model(folder.path("m.xml"));
    EXPECT_EQ(compare_models(*model, *read, {.layer_names = true}), "");
    EXPECT_EQ(get_layout(read->input()), Layout("NCHW"));
}

TEST(SaveModel, RefusesAFolderThatIsNotThere) {
    EXPECT_THROW(save_model(*test::relu_model(), "/no/such/folder/m.xml"), Error);
}

}  // namespace
