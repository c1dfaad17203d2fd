// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Names, files and shapes of inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"
#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

MxnetModel biased_relu(const std::string& shape = "(1, 3)", float bias = 1) {
    MxnetModel m;
    m.input("data", shape);
    m.floats("b", {1, 3}, {bias, bias + 1, bias + 2});
    m.op("broadcast_add", "sum", {"data", "b"});
    m.op("Activation", "out", {"sum"}, {{"act_type", "relu"}});
    m.output("out");
    return m;
}

std::vector<float> results_of(const std::shared_ptr<Model>& model) {
    Core core;
    InferRequest request = core.compile_model(model, "REFERENCE").create_infer_request();
    request.set_input_tensor(Tensor::of<float>(Shape{1, 3}, {-5, 0, 1}));
    request.infer();
    return to_floats(request.get_output_tensor());
}

TEST(MxnetGraph, KeepsNames) {
    const auto model = biased_relu().read();
    EXPECT_EQ(model->input("data").partial_shape(), PartialShape::parse("[1,3]"));
    ASSERT_NE(model->find("sum"), nullptr);
    EXPECT_EQ(model->find("sum")->type(), "Add");
    EXPECT_THAT(model->output("out_output").get_names(), Contains("out_output"));
}

TEST(MxnetGraph, IsReadFromTwoFilesFromOneNameAndFromMemory) {
    const MxnetModel m = biased_relu();
    const TemporaryFolder folder;
    const std::string path = folder.write("net-symbol.json", m.symbol());
    folder.write("net-0000.params", biased_relu("(1, 3)", 100).params());
    folder.write("net-0012.params", m.params());
    folder.write("net-other.params", "no arrays");
    const std::string other = folder.write("some.params", m.params());
    Core core;
    const std::vector<float> expected{0, 2, 4};
    EXPECT_EQ(results_of(core.read_model(path)), expected);  // the largest number
    EXPECT_EQ(results_of(core.read_model(path, other)), expected);
    const std::string params = m.params();
    Tensor weights(ElementType::u8, Shape{params.size()});
    std::copy(params.begin(), params.end(), weights.data<std::uint8_t>());
    EXPECT_EQ(results_of(core.read_model(m.symbol(), weights)), expected);
    EXPECT_NO_THROW(core.compile_model(path, "CPU"));
}

TEST(MxnetGraph, SaysWhichSecondFileIsMissing) {
    const TemporaryFolder folder;
    Core core;
    const std::string symbol = biased_relu().symbol();
    EXPECT_THAT(message_of([&] { core.read_model(folder.write("a-symbol.json", symbol)); }),
                AllOf(HasSubstr("a-symbol.json"), HasSubstr("a-0000.params")));
    EXPECT_THAT(message_of([&] { core.read_model(folder.write("a.json", symbol)); }),
                HasSubstr("does not end in -symbol.json"));
    EXPECT_THAT(message_of([&] {
                    core.read_model(folder.path("a-symbol.json"), folder.path("none.params"));
                }),
                AllOf(HasSubstr("none.params"), HasSubstr("cannot be read")));
    EXPECT_THAT(message_of([&] { core.read_model(symbol, Tensor()); }),
                HasSubstr("needs the bytes of its .params file"));
}

TEST(MxnetGraph, SizesOfInputsMayBeOpen) {
    EXPECT_EQ(biased_relu("(0, 3)").read()->input("data").partial_shape(),
              PartialShape::parse("[?,3]"));
    EXPECT_EQ(biased_relu("").read()->input("data").partial_shape(), PartialShape::parse("[?,?]"));
    MxnetModel pool;
    pool.input("data", "");
    pool.op("Pooling", "y", {"data"}, {{"kernel", "(2, 2)"}});
    pool.output("y");
    EXPECT_EQ(pool.read()->input("data").partial_shape(), PartialShape::parse("[?,?,?,?]"));
}

// A product that is rounded right after it is one operation.
TEST(MxnetGraph, ARequantizeBecomesTheRoundingOfItsProduct) {
    MxnetModel m;
    m.input("x", "(1, 2)");
    m.op("_contrib_quantize_v2", "q", {"x"}, {{"min_calib_range", "-1"}, {"max_calib_range", "1"}});
    m.bytes("w", {1, 2}, {1, 2});
    m.floats("low", {1}, {-1});
    m.floats("high", {1}, {1});
    m.op("_contrib_quantized_fully_connected", "c", {"q", "w", "q:1", "q:2", "low", "high"},
         {{"num_hidden", "1"}, {"no_bias", "True"}});
    m.op("_contrib_requantize", "r", {"c", "c:1", "c:2"},
         {{"min_calib_range", "-2"}, {"max_calib_range", "2"}});
    m.output("r");
    const auto model = m.read();
    ASSERT_NE(model->find("r"), nullptr);
    EXPECT_EQ(model->find("r")->type(), "QuantizedMatMul");
    EXPECT_EQ(model->find("c"), nullptr);
    EXPECT_THAT(model->to_text(), testing::Not(HasSubstr("Requantize")));
}

}  // namespace
}  // namespace fuseq::test
