// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/control/subgraph.hpp"
#include "ops/interpreter.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string parameter(int id,
                      const std::string& name,
                      const std::string& dims,
                      const std::string& type = "f32") {
    return layer({.id = id,
                  .name = name,
                  .type = "Parameter",
                  .data = "shape=\"" + dims + "\" element_type=\"" + type + "\"",
                  .outputs = port(0, dims)});
}

std::string result(int id, const std::string& name) {
    return layer({.id = id, .name = name, .type = "Result", .inputs = port(0, "")});
}

std::string add(int id, const std::string& name) {
    return layer({.id = id,
                  .name = name,
                  .type = "Add",
                  .inputs = port(0, "") + port(1, ""),
                  .outputs = port(2, "")});
}

// Adds up x[1,3] along axis 1: part (layer 7) + state (layer 3) -> Results 11 and 12.
struct IteratorModel {
    std::string body_layers = parameter(7, "part", "1,1") + parameter(3, "state", "1,1") +
                              add(5, "sum") + result(11, "next") + result(12, "out");
    std::string body_edges =
        edge(7, 0, 5, 0) + edge(3, 0, 5, 1) + edge(5, 2, 11, 0) + edge(5, 2, 12, 0);
    std::string port_map =
        R"(<input external_port_id="4" internal_layer_id="7" axis="1" start="0" end="-1"
                  stride="1" part_size="1"/>
           <input external_port_id="2" internal_layer_id="3"/>
           <output external_port_id="9" internal_layer_id="12" axis="1"/>
           <output external_port_id="8" internal_layer_id="11"/>)";
    std::string back_edges = R"(<edge from-layer="11" to-layer="3"/>)";
    std::string body_element = "body";

    std::string text() const {
        const std::string more = "<port_map>" + port_map + "</port_map><back_edges>" + back_edges +
                                 "</back_edges><" + body_element + "><layers>" + body_layers +
                                 "</layers><edges>" + body_edges + "</edges></" + body_element +
                                 ">";
        // Port ids are no positions.
        return net(parameter(0, "x", "1,3") + parameter(1, "start", "1,1") +
                       layer({.id = 2,
                              .name = "ti",
                              .type = "TensorIterator",
                              .inputs = port(4, "1,3") + port(2, "1,1"),
                              .outputs = port(8, "1,1") + port(9, "1,3"),
                              .more = more}) +
                       result(3, "last") + result(4, "all"),
                   edge(0, 0, 2, 4) + edge(1, 0, 2, 2) + edge(2, 8, 3, 0) + edge(2, 9, 4, 0));
    }
};

std::vector<Tensor> run(const Model& model, const std::vector<Tensor>& inputs) {
    return Interpreter(model).run(inputs);
}

TEST(IrSubgraphs, ReadsATensorIterator) {
    const auto model = read_ir_from_memory(IteratorModel().text());
    const auto& attrs = model->find("ti")->attrs<IterationAttrs>();
    const auto inputs = PortMap::rows(attrs.input_map);
    ASSERT_EQ(inputs.size(), 2u);
    EXPECT_TRUE(inputs[0].sliced);
    EXPECT_EQ(inputs[0].external, 0);
    EXPECT_EQ(inputs[1].external, 1);
    EXPECT_EQ(inputs[1].internal, 1);
    EXPECT_THAT(attrs.back_edges, ElementsAre(0, 1));
    const auto outputs =
        run(*model, {Tensor::of<float>({1, 3}, {1, 2, 3}), Tensor::of<float>({1, 1}, {10})});
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(16));
    EXPECT_THAT(to_floats(outputs[1]), ElementsAre(11, 13, 16));
}

TEST(IrSubgraphs, WritesATensorIterator) {
    const auto model = read_ir_from_memory(IteratorModel().text());
    const TemporaryFolder folder;
    write_ir(*model, folder.file("m.xml"));
    const auto again = read_ir(folder.file("m.xml"));
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(model->to_text(), again->to_text());
    const auto from_text = Model::from_text(model->to_text());
    EXPECT_EQ(compare_models(*model, *from_text), "");
    EXPECT_EQ(model->to_text(), from_text->to_text());
}

TEST(IrSubgraphs, RefusesIdsThatAreNotThere) {
    IteratorModel model;
    model.port_map = R"(<input external_port_id="5" internal_layer_id="7"/>)";
    EXPECT_THAT(refusal(model.text()),
                HasSubstr("layer 2 'ti' (TensorIterator): <input> has external_port_id 5, which is "
                          "no input port of the layer"));
    model.port_map = R"(<input external_port_id="4" internal_layer_id="11"/>)";
    EXPECT_THAT(refusal(model.text()),
                HasSubstr("<input> has internal_layer_id 11, which is no Parameter of <body>"));
    model.port_map = R"(<output external_port_id="8" internal_layer_id="7"/>)";
    EXPECT_THAT(refusal(model.text()), HasSubstr("7, which is no Result of <body>"));
    model.port_map = R"(<input internal_layer_id="7"/>)";
    EXPECT_THAT(refusal(model.text()), HasSubstr("has no external_port_id"));
    model = {};
    model.back_edges = R"(<edge from-layer="3" to-layer="3"/>)";
    EXPECT_THAT(refusal(model.text()), HasSubstr("<edge> has from-layer 3, which is no Result"));
    model = {};
    model.body_element = "bodies";
    EXPECT_THAT(refusal(model.text()), HasSubstr("layer 2 'ti' (TensorIterator): has no <body>"));
    model = {};
    model.body_edges += edge(7, 0, 5, 0);
    EXPECT_THAT(refusal(model.text()), HasSubstr("layer 5 'sum' (Add): two edges lead into"));
}

TEST(IrSubgraphs, LimitsTheDepth) {
    std::string text = "<layers/>";
    for (int i = 0; i < 20; ++i) {
        const std::string inner = layer({.id = 0,
                                         .name = "ti",
                                         .type = "TensorIterator",
                                         .inputs = port(0, ""),
                                         .outputs = port(1, ""),
                                         .more = "<body>" + text + "</body>"});
        text = "<layers>";
        text.append(inner).append("</layers>");
    }
    EXPECT_THAT(refusal("<net version=\"11\">" + text + "</net>"),
                HasSubstr("bodies are nested more than 8 deep"));
}

// x, doubled in every iteration; the number of the iteration is an output too.
TEST(IrSubgraphs, ReadsAndWritesALoop) {
    const std::string body =
        "<body><layers>" + parameter(0, "i", "1", "i64") + parameter(1, "x", "2") + add(2, "sum") +
        layer({.id = 3,
               .name = "go",
               .type = "Const",
               .data = R"(element_type="boolean" shape="1" offset="8" size="1")",
               .outputs = port(0, "1")}) +
        result(4, "next") + result(5, "go_on") + result(6, "number") + "</layers><edges>" +
        edge(1, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 4, 0) + edge(3, 0, 5, 0) +
        edge(0, 0, 6, 0) + "</edges></body>";
    const std::string maps =
        R"(<port_map>
             <input external_port_id="-1" internal_layer_id="0" purpose="current_iteration"/>
             <input external_port_id="2" internal_layer_id="1" axis="-1"/>
             <output external_port_id="-1" internal_layer_id="5" purpose="execution_condition"/>
             <output external_port_id="3" internal_layer_id="4"/>
             <output external_port_id="4" internal_layer_id="6" axis="0"/>
           </port_map>
           <back_edges><edge from-layer="4" to-layer="1"/></back_edges>)";
    const std::string text =
        net(layer({.id = 0,
                   .name = "trips",
                   .type = "Const",
                   .data = R"(element_type="i64" shape="" offset="0" size="8")",
                   .outputs = port(0, "")}) +
                layer({.id = 1,
                       .name = "first",
                       .type = "Const",
                       .data = R"(element_type="boolean" shape="" offset="8" size="1")",
                       .outputs = port(0, "")}) +
                parameter(2, "x", "2") +
                layer({.id = 3,
                       .name = "loop",
                       .type = "Loop",
                       .inputs = port(0, "") + port(1, "") + port(2, "2"),
                       .outputs = port(3, "2") + port(4, "3"),
                       .opset = "opset5",
                       .more = maps + body}) +
                result(4, "r") + result(5, "n"),
            edge(0, 0, 3, 0) + edge(1, 0, 3, 1) + edge(2, 0, 3, 2) + edge(3, 3, 4, 0) +
                edge(3, 4, 5, 0));
    const auto model =
        read_ir_from_memory(text, Weights().add<std::int64_t>({3}).add<std::uint8_t>({1}).tensor());
    const auto outputs = run(*model, {Tensor::of<float>({2}, {1, 5})});
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(8, 40));
    EXPECT_THAT(to_ints(outputs[1]), ElementsAre(0, 1, 2));
    const TemporaryFolder folder;
    write_ir(*model, folder.file("m.xml"));
    EXPECT_EQ(compare_models(*model, *read_ir(folder.file("m.xml")), {.layer_names = true}), "");
}

TEST(IrSubgraphs, ReadsAndWritesAnIf) {
    const auto branch = [](const std::string& name, const std::string& type) {
        return "<" + name + "_body><layers>" + parameter(0, "a", "2") +
               layer({.id = 1,
                      .name = "op",
                      .type = type,
                      .inputs = port(0, "2") + port(1, "2"),
                      .outputs = port(2, "2")}) +
               result(2, "r") + "</layers><edges>" + edge(0, 0, 1, 0) + edge(0, 0, 1, 1) +
               edge(1, 2, 2, 0) + "</edges></" + name + "_body><" + name +
               R"(_port_map><input external_port_id="1" internal_layer_id="0"/>
                  <output external_port_id="2" internal_layer_id="2"/></)" +
               name + "_port_map>";
    };
    const std::string text =
        net(parameter(0, "c", "1", "boolean") + parameter(1, "x", "2") +
                layer({.id = 2,
                       .name = "if",
                       .type = "If",
                       .inputs = port(0, "1") + port(1, "2"),
                       .outputs = port(2, "2"),
                       .opset = "opset8",
                       .more = branch("then", "Add") + branch("else", "Multiply")}) +
                result(3, "r"),
            edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0));
    const auto model = read_ir_from_memory(text);
    const TemporaryFolder folder;
    write_ir(*model, folder.file("m.xml"));
    const auto again = read_ir(folder.file("m.xml"));
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(model->to_text(), again->to_text());
    const Tensor x = Tensor::of<float>({2}, {3, 5});
    EXPECT_THAT(to_floats(run(*again, {Tensor::of<bool>({1}, {true}), x})[0]), ElementsAre(6, 10));
    EXPECT_THAT(to_floats(run(*again, {Tensor::of<bool>({1}, {false}), x})[0]), ElementsAre(9, 25));
}

}  // namespace
}  // namespace fuseq::test
