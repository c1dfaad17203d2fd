// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/row_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "fuseq/save_model.hpp"
#include "support/small_model.hpp"
#include "transformations/support/rewrite.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::quantizer {
namespace {

std::vector<int> codes_of(const QuantizedRows& rows) {
    const auto* codes = rows.codes.data<std::uint8_t>();
    return {codes, codes + rows.codes.get_size()};
}

// Spans of 2.55, 5.1 and nothing.
TEST(QuantizeRows, BeginsWithTheLeastValueOfARow) {
    const QuantizedRows rows = quantize_rows(
        Tensor::of<float>({3, 3}, {0, 0.5f, 2.55f, -5.1f, 0, -0.03f, -1, -1, -1}), {});
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

// Spans of 15 and 3: scales of 1 and 0.2. Three codes a row: the second row begins with a high half.
TEST(QuantizeRows, OfFourBitsHaveTwoCodesAByte) {
    QuantizerOptions options;
    options.rows_of_4_bits = true;
    const QuantizedRows rows =
        quantize_rows(Tensor::of<float>({2, 3}, {-5, 0.2f, 10, 3, 1, 0}), options);
    EXPECT_EQ(rows.codes.get_element_type(), ElementType::u4);
    const auto* bytes = static_cast<const std::uint8_t*>(rows.codes.data());
    // 0, 5, 15 and 15, 5, 0.
    EXPECT_EQ(std::vector<int>(bytes, bytes + 3), (std::vector<int>{0x50, 0xff, 0x05}));
    EXPECT_EQ(rows.scales.values<float>()[0], 1);
    EXPECT_FLOAT_EQ(rows.scales.values<float>()[1], 0.2f);
}

// f16 has steps of 1/1024 from 1 on: -1.0004 becomes -1, and the codes begin there. A scale of
// 1 / 255 * 2.55 = 0.01 becomes 1311 / 2^17.
TEST(QuantizeRows, FindCodesByScalesOfF16) {
    QuantizerOptions options;
    options.f16_row_scales = true;
    const QuantizedRows rows =
        quantize_rows(Tensor::of<float>({1, 3}, {-1.0004f, 0, 1.5496f}), options);
    ASSERT_EQ(rows.scales.get_element_type(), ElementType::f16);
    EXPECT_EQ(static_cast<float>(rows.scales.data<Float16>()[0]), 1311.0f / 131072);
    EXPECT_EQ(static_cast<float>(rows.offsets.data<Float16>()[0]), -1);
    EXPECT_EQ(codes_of(rows), (std::vector<int>{0, 100, 255}));
    const Tensor wide = Tensor::of<float>({1, 2}, {-70000, 0});
    EXPECT_THAT([&] { quantize_rows(wide, options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("of -70000, which f16 does not")));
}

TEST(QuantizeRowTables, RunAsRowsOfBytes) {
    for (const bool half : {false, true}) {
        for (const bool nibbles : {false, true}) {
            const std::shared_ptr<Model> model = Model::from_text(R"(model "m"
                %i = Parameter : i64[2,3]
                %w = Const value=random(1,-2,3) : f32[40,33]
                %y = EmbeddingBagPackedSum.3(%w, %i)
                %r = Result(%y))");
            const Tensor indices = Tensor::of<std::int64_t>({2, 3}, {0, 7, 39, 5, 5, 12});
            const Tensor exact = test::run_on("REFERENCE", model, {indices}).outputs[0];
            QuantizerOptions options;
            options.rows_of_4_bits = nibbles;
            options.f16_row_scales = half;
            quantize_row_tables(*model, {}, options);
            const test::TemporaryFolder folder;
            save_model(*model, folder.path("rows.xml"));
            const auto again = Core().read_model(folder.path("rows.xml"));
            const test::DeviceRun run = test::run_on("CPU", again, {indices});
            EXPECT_EQ(run.step_of("y"), "embedding fuseq:row_table");
            // Half a step of each of three rows, and what f16 rounds of offset and scale.
            const float step = 5.0f / (nibbles ? 15 : 255);
            const float limit = 3 * (step / 2 + (half ? 0.004f : 1e-5f));
            for (std::size_t i = 0; i < exact.get_size(); ++i) {
                EXPECT_NEAR(run.outputs[0].data<float>()[i], exact.data<float>()[i], limit)
                    << half << nibbles;
            }
        }
    }
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
    const std::vector<QuantizedLayer> layers =
        quantize_row_tables(*model, {model->find("kept")}, {});
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
