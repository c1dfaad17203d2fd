// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that were imported, saved as an IR and read again.
#include <gtest/gtest.h>

#include "support/saved_model.hpp"
#include "unit/readers_mxnet/damaged_symbol.hpp"

namespace fuseq::test {
namespace {

TEST(MxnetSaved, EachModelIsTheSame) {
    for (const std::string& files : mxnet_files()) {
        const auto model = read_mxnet_files(files);
        SCOPED_TRACE(model->to_text());
        expect_same_when_saved(model);
    }
}

}  // namespace
}  // namespace fuseq::test
