// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/row_tables.hpp"

#include <gtest/gtest.h>

#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

std::vector<int> codes_of(const QuantizedRows& rows) {
    const auto* codes = rows.codes.data<std::uint8_t>();
    return {codes, codes + rows.codes.get_size()};
}

// Spans of 2.55, 5.1 and nothing.
TEST(QuantizeRows, BeginsWithTheLeastValueOfARow) {
    const QuantizedRows rows =
        quantize_rows(Tensor::of<float>({3, 3}, {0, 0.5f, 2.55f, -5.1f, 0, -0.03f, -1, -1, -1}));
    const float* scales = rows.scales.data<float>();
    EXPECT_FLOAT_EQ(scales[0], 0.01f);
    EXPECT_FLOAT_EQ(scales[1], 0.02f);
    EXPECT_EQ(scales[2], 1);
    const float* offsets = rows.offsets.data<float>();
    EXPECT_EQ(std::vector<float>(offsets, offsets + 3), (std::vector<float>{0, -5.1f, -1}));
    // -0.03 lies 253.5 steps above -5.1, or a little less or more in f32.
    std::vector<int> codes = codes_of(rows);
    EXPECT_TRUE(codes[5] == 253 || codes[5] == 254);
    codes.erase(codes.begin() + 5);
    EXPECT_EQ(codes, (std::vector<int>{0, 50, 255, 0, 255, 0, 0, 0}));
    EXPECT_EQ(rows.scales.get_shape(), (Shape{3, 1}));
}

TEST(QuantizeRowTables, AreReadByLayersThatPickRows) {
    const std::shared_ptr<Model> model = Model::from_text(R"(model "m"
        %i = Parameter : i64[2,3]
        %w = Const value={1,2,3,4,5,6,7,9} : f32[4,2]
        %axis = Const value={0} : i64[]
        %columns = Const value={1} : i64[]
        %g = Gather.8(%w, %i, %axis)
        %e = EmbeddingBagPackedSum.3(%w, %i)
        %kept = EmbeddingBagPackedSum.3(%w, %i)
        %other = Gather.8(%w, %i, %columns)
        %r = Result(%g)
        %r2 = Result(%e)
        %r3 = Result(%kept)
        %r4 = Result(%other))");
    const std::vector<QuantizedLayer> layers = quantize_row_tables(*model, {model->find("kept")});
    model->validate();
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_TRUE(layers[0].quantized && layers[1].quantized);
    const Node* rows = model->find("g")->input_node(0);
    ASSERT_EQ(rows->type(), "Add");
    EXPECT_EQ(model->find("e")->input_node(0), rows);  // one table for both
    EXPECT_EQ(rows->input_node(0)->type(), "Multiply");
    EXPECT_EQ(rows->input_node(0)->input_node(0)->type(), "Convert");
    EXPECT_EQ(to_string(rows->input_node(0)->input_node(0)->input(0).type()), "u8");
    EXPECT_EQ(model->find("kept")->input_node(0)->name(), "w");
    EXPECT_EQ(model->find("other")->input_node(0)->name(), "w");
}

}  // namespace
}  // namespace fuseq::quantizer
