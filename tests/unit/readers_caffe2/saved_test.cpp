// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that were imported, saved as an IR and read again.
#include <gtest/gtest.h>

#include "support/saved_model.hpp"
#include "unit/readers_caffe2/damaged_net.hpp"

namespace fuseq::test {
namespace {

TEST(Caffe2Saved, EachModelIsTheSame) {
    for (const std::string& files : caffe2_nets()) {
        const auto model = read_caffe2_nets(files);
        SCOPED_TRACE(model->to_text());
        expect_same_when_saved(model);
    }
}

}  // namespace
}  // namespace fuseq::test
