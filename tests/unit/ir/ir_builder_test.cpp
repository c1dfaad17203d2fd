// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_builder.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refused_add(const AddModel& model, const IrReadOptions& options = {}) {
    return refusal(model.text(), add_weights(), options);
}

TEST(IrBuilder, ComparesDeclaredSizesWithInference) {
    AddModel model;
    model.add_port = port(2, "1,3");
    EXPECT_THAT(refused_add(model), HasSubstr("layer 2 'add' (Add): port 2 is declared as [1,3], "
                                              "inference gives [1,2]"));
    model.add_port = port(2, "2");
    EXPECT_THAT(refused_add(model), HasSubstr("is declared as [2]"));
    model.add_port = port(2, "-1,2");
    EXPECT_EQ(refused_add(model), "");
    model.add_port = port(2, "?,1..8");
    EXPECT_EQ(refused_add(model), "");
    model.add_port = port(2, "?,4..8");
    EXPECT_THAT(refused_add(model), HasSubstr("is declared as [?,4..8]"));
    model.add_port = port(2, "");
    EXPECT_EQ(refused_add(model), "");
}

TEST(IrBuilder, TellsOfDeclaredTypesThatInferenceDoesNotConfirm) {
    AddModel model;
    model.add_port = port(2, "1,2", R"(precision="I32")");
    std::vector<std::string> warnings;
    IrReadOptions options;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    read_ir_from_memory(model.text(), add_weights(), options);
    EXPECT_THAT(warnings, ElementsAre("layer 2 'add' (Add): port 2 is declared as I32, inference "
                                      "gives FP32"));
    options.strict = true;
    EXPECT_THAT(refused_add(model, options), HasSubstr("port 2 is declared as I32"));
}

TEST(IrBuilder, LayersOfTheSameNameAreToldApart) {
    AddModel model;
    model.more_layers = layer({.id = 3,
                               .name = "add",
                               .type = "ReLU",
                               .inputs = port(0, "1,2"),
                               .outputs = port(1, "1,2")}) +
                        layer({.id = 4, .name = "out", .type = "Result", .inputs = port(0, "")});
    model.more_edges = edge(2, 2, 3, 0) + edge(3, 1, 4, 0);
    std::vector<std::string> warnings;
    IrReadOptions options;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    const auto read = read_ir_from_memory(model.text(), add_weights(), options);
    EXPECT_THAT(warnings,
                ElementsAre("layer 3 'add' (ReLU): another layer has this name too; this one is "
                            "called 'add_1'",
                            "layer 9 'out' (Result): another layer has this name too; this one is "
                            "called 'out_1'"));
    EXPECT_EQ(read->output_name(0), "add_1");
    EXPECT_EQ(read->output_name(1), "add");
}

TEST(IrBuilder, ErrorsOfInferenceNameFileAndLayer) {
    const TemporaryFolder folder;
    AddModel model;
    model.x_data = R"(shape="1,3" element_type="f32")";
    model.x_port = port(0, "1,3");
    const auto xml = folder.write("bad.xml", model.text());
    folder.write("bad.bin", Weights().add<float>({1, 2}).bytes());
    try {
        read_ir(xml);
        FAIL() << "was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "read");
        EXPECT_EQ(error.info().file, xml.string());
        EXPECT_EQ(error.info().layer_id, "2");
        EXPECT_EQ(error.info().layer, "add");
        EXPECT_EQ(error.info().op, "Add");
    }
}

TEST(IrBuilder, ChecksTheNumberOfInputs) {
    AddModel model;
    model.more_layers = layer({.id = 3,
                               .name = "relu",
                               .type = "ReLU",
                               .inputs = port(0, "") + port(1, ""),
                               .outputs = port(2, "")});
    EXPECT_THAT(refused_add(model), HasSubstr("layer 3 'relu' (ReLU): has 2 inputs, expected 1"));
    // The third input of a Convolution, a zero point, is made by transformations only.
    model.more_layers = layer({.id = 3,
                               .name = "conv",
                               .type = "Convolution",
                               .data = R"(strides="1" dilations="1")",
                               .inputs = port(0, "") + port(1, "") + port(2, ""),
                               .outputs = port(3, "")});
    EXPECT_THAT(refused_add(model), HasSubstr("has 3 inputs, expected 2"));
    model.more_layers = layer(
        {.id = 3, .name = "relu", .type = "ReLU", .inputs = port(0, ""), .outputs = port(2, "")});
    EXPECT_THAT(refused_add(model), HasSubstr("layer 3 'relu' (ReLU): input 0 is not connected"));
}

TEST(IrBuilder, RefusesTooManyOutputs) {
    AddModel model;
    model.add_port = port(2, "1,2") + port(3, "1,2");
    EXPECT_THAT(refused_add(model),
                HasSubstr("layer 2 'add' (Add): declares 2 outputs, the operation has 1"));
    model.more_layers = layer({.id = 10, .name = "out2", .type = "Result", .inputs = port(0, "")});
    model.more_edges = edge(2, 3, 10, 0);
    EXPECT_THAT(refused_add(model), HasSubstr("layer 2 'add' (Add)"));
}

TEST(IrBuilder, RefusesCycles) {
    const std::string relu =
        layer(
            {.id = 0, .name = "a", .type = "ReLU", .inputs = port(0, ""), .outputs = port(1, "")}) +
        layer(
            {.id = 7, .name = "b", .type = "ReLU", .inputs = port(0, ""), .outputs = port(1, "")});
    EXPECT_THAT(refusal(net(relu, edge(0, 1, 7, 0) + edge(7, 1, 0, 0))),
                HasSubstr("read: layer 0 'a' (ReLU): depends on its own output"));
}

TEST(IrBuilder, KeepsTheOrderOfInputsAndOutputs) {
    const auto parameter = [](int id, const std::string& name) {
        return layer({.id = id,
                      .name = name,
                      .type = "Parameter",
                      .data = R"(shape="2" element_type="f32")",
                      .outputs = port(0, "2")});
    };
    const auto result = [](int id, const std::string& name) {
        return layer({.id = id, .name = name, .type = "Result", .inputs = port(0, "2")});
    };
    // Layers may stand before what they read; port ids are any numbers.
    const auto model = read_ir_from_memory(
        net(result(5, "r1") + parameter(9, "p1") + result(3, "r2") + parameter(2, "p2"),
            edge(2, 0, 5, 0) + edge(9, 0, 3, 0)));
    ASSERT_EQ(model->parameters().size(), 2u);
    EXPECT_EQ(model->parameters()[0]->name(), "p1");
    EXPECT_EQ(model->parameters()[1]->name(), "p2");
    EXPECT_EQ(model->results()[0]->name(), "r1");
    EXPECT_EQ(model->results()[0]->input_node(0)->name(), "p2");
    EXPECT_EQ(model->results()[1]->name(), "r2");
}

TEST(IrBuilder, KeepsRtInfo) {
    AddModel model;
    model.more_layers =
        layer({.id = 30,
               .name = "p",
               .type = "Parameter",
               .data = R"(shape="2" element_type="f32")",
               .outputs = port(0, "2"),
               .more = R"(<rt_info><attribute name="layout" version="0" layout="[N,C]"/>
                    <attribute name="plain" value="v"/><attribute name="mark"/></rt_info>)"});
    const auto read = read_ir_from_memory(model.text(), add_weights());
    EXPECT_THAT(
        read->find("p")->rt_info,
        ElementsAre(testing::Pair("layout.layout", "[N,C]"), testing::Pair("layout.version", "0"),
                    testing::Pair("mark", ""), testing::Pair("plain", "v")));
}

// --- IR v10 in f16 ------------------------------------------------------------------------------

AddModel half_model() {
    AddModel model;
    model.version = 10;
    model.x_data = R"(shape="1,2" element_type="f16")";
    model.x_port = port(0, "1,2", R"(precision="FP16")");
    model.w_data = R"(element_type="f16" shape="2" offset="0" size="4")";
    model.w_port = port(0, "2", R"(precision="FP16")");
    model.add_port = port(2, "1,2", R"(precision="FP16")");
    return model;
}

Tensor half_weights() {
    return Weights().add_halves({0.5f, -2}).tensor();
}

TEST(WidenF16, Version10BecomesF32WithCompressedConstants) {
    IrReadOptions strict;
    strict.strict = true;
    const auto model = read_ir_from_memory(half_model().text(), half_weights(), strict);
    EXPECT_EQ(model->to_text(),
              "model \"small\"\n"
              "%x = Parameter.1 : f32[1,2]\n"
              "%w = Const.1 value={0.5,-2} : f16[2]\n"
              "%w/to_f32 = Convert.1(%w) destination_type=f32 : f32[2]\n"
              "%add = Add.1(%x, %w/to_f32) : f32[1,2]\n"
              "%out = Result.1(%add) : f32[1,2]\n");
    EXPECT_EQ(model->find("w/to_f32")->rt_info.at("decompression.version"), "0");
}

TEST(WidenF16, Version11StaysAsItIs) {
    AddModel ir = half_model();
    ir.version = 11;
    const auto model = read_ir_from_memory(ir.text(), half_weights());
    EXPECT_EQ(model->output().type(), ElementType::f16);
    EXPECT_EQ(model->node_count(), 4u);
}

TEST(WidenF16, AConvertOfTheFileDoesIt) {
    AddModel ir = half_model();
    ir.more_layers = layer({.id = 4,
                            .name = "convert",
                            .type = "Convert",
                            .data = R"(destination_type="f16")",
                            .inputs = port(0, "2"),
                            .outputs = port(1, "2", R"(precision="FP16")")}) +
                     layer({.id = 5, .name = "out2", .type = "Result", .inputs = port(0, "")});
    ir.more_edges = edge(1, 0, 4, 0) + edge(4, 1, 5, 0);
    auto model = read_ir_from_memory(ir.text(), half_weights());
    EXPECT_EQ(model->find("convert")->input_node(0)->name(), "w");
    EXPECT_EQ(model->output(0).type(), ElementType::f32);
    EXPECT_EQ(model->output(1).type(), ElementType::f32);
    EXPECT_NE(model->find("w/to_f32"), nullptr);
    // Without another reader there is no second Convert.
    ir.w_data = R"(element_type="f16" shape="2" offset="0" size="4")";
    const std::string text = ir.text();
    const std::string other_reader = edge(1, 0, 2, 1);
    const auto at = text.find(other_reader);
    ASSERT_NE(at, std::string::npos);
    model = read_ir_from_memory(
        text.substr(0, at) + edge(4, 1, 2, 1) + text.substr(at + other_reader.size()),
        half_weights());
    EXPECT_EQ(model->find("w/to_f32"), nullptr);
}

TEST(WidenF16, NamesStayUnique) {
    AddModel ir = half_model();
    ir.more_layers = layer({.id = 4,
                            .name = "w/to_f32",
                            .type = "Parameter",
                            .data = R"(shape="2" element_type="i32")",
                            .outputs = port(0, "2")});
    const auto model = read_ir_from_memory(ir.text(), half_weights());
    EXPECT_TRUE(model->find("w/to_f32")->is("Parameter"));
    EXPECT_TRUE(model->find("w/to_f32_1")->is("Convert"));
}

// Boxes [1,3,4] and scores [1,2,3] as Parameters, at most 2 boxes of a class.
std::string suppression(const std::string& rows) {
    const std::string layers =
        layer({.id = 0,
               .name = "boxes",
               .type = "Parameter",
               .data = R"(shape="1,3,4" element_type="f32")",
               .outputs = port(0, "1,3,4")}) +
        layer({.id = 1,
               .name = "scores",
               .type = "Parameter",
               .data = R"(shape="1,2,3" element_type="f32")",
               .outputs = port(0, "1,2,3")}) +
        layer({.id = 2,
               .name = "most",
               .type = "Const",
               .data = R"(element_type="i64" shape="" offset="0" size="8")",
               .outputs = port(0, "")}) +
        layer({.id = 3,
               .name = "nms",
               .type = "NonMaxSuppression",
               .inputs = port(0, "1,3,4") + port(1, "1,2,3") + port(2, ""),
               .outputs = port(3, rows + ",3"),
               .opset = "opset5"}) +
        layer({.id = 4, .name = "out", .type = "Result", .inputs = port(0, "")});
    return net(layers, edge(0, 0, 3, 0) + edge(1, 0, 3, 1) + edge(2, 0, 3, 2) + edge(3, 3, 4, 0),
               10);
}

TEST(IrBuilder, KeepsTheRowsThatAnOldSuppressionDeclares) {
    const Tensor most = Weights().add<std::int64_t>({2}).tensor();
    const auto fixed = read_ir_from_memory(suppression("4"), most);
    EXPECT_EQ(to_string(fixed->output(0).partial_shape()), "[4,3]");
    const auto open = read_ir_from_memory(suppression("-1"), most);
    EXPECT_EQ(to_string(open->output(0).partial_shape()), "[0..4,3]");
    EXPECT_THAT(refusal(suppression("5"), most), HasSubstr("declared as [5,3]"));
}

}  // namespace
}  // namespace fuseq::test
