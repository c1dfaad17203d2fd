// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models that were imported, saved as an IR and read again.
#include <gtest/gtest.h>

#include "support/saved_model.hpp"
#include "unit/readers_mxnet/damaged_symbol.hpp"

namespace fuseq::test {
namespace {

Tensor counted_input(const Shape& shape) {
    std::vector<float> values(shape_size(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 11) * 0.3F - 1.5F;
    }
    return Tensor::of<float>(shape, values);
}

TEST(MxnetSaved, EachModelIsTheSame) {
    for (const std::string& files : mxnet_files()) {
        const auto model = read_mxnet_files(files);
        SCOPED_TRACE(model->to_text());
        const Tensor x = counted_input(model->input(0).shape());
        expect_same_when_saved(model, {{x}}, "REFERENCE");
        expect_same_when_saved(model, {{x}}, "CPU");
    }
}

}  // namespace
}  // namespace fuseq::test
