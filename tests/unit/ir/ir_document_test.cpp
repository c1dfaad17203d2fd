// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_document.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refused_add(const AddModel& model) {
    return refusal(model.text(), add_weights());
}

TEST(IrDocument, MalformedXmlNamesTheLine) {
    EXPECT_THAT(refusal("<net>\n<layers>\n<layer id=\"0\n</net>"), HasSubstr("read: line "));
    EXPECT_THAT(refusal("<net>\n<layers>\n</wrong>\n</net>"),
                HasSubstr("line 3: Start-end tags mismatch"));
    EXPECT_THAT(refusal(""), HasSubstr("line 1: No document element found"));
    EXPECT_THAT(refusal(" # Notes\n"), HasSubstr("is no IR: it does not begin with '<'"));
    const std::string text = AddModel().text();
    EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("read: line "));
}

TEST(IrDocument, RefusesAnotherRootAndMissingLayers) {
    EXPECT_THAT(refusal("<model/>"), HasSubstr("the root element is not <net>"));
    EXPECT_THAT(refusal("<net version=\"11\"/>"), HasSubstr("<net> has no <layers>"));
}

TEST(IrDocument, RefusesBadLayers) {
    const auto with = [](const std::string& layer) { return refusal(net(layer, "")); };
    EXPECT_THAT(with(R"(<layer name="a" type="Result" version="opset1"/>)"),
                HasSubstr("layer 'a' has id '', expected a number from 0"));
    EXPECT_THAT(with(R"(<layer id="-1" name="a" type="Result" version="opset1"/>)"),
                HasSubstr("layer 'a' has id '-1'"));
    EXPECT_THAT(with(R"(<layer id="99999999999999999999" name="a" type="Result"/>)"),
                HasSubstr("expected a number from 0"));
    EXPECT_THAT(with(R"(<layer id="1" name="a" version="opset1"/>)"),
                HasSubstr("a layer without a type"));
    EXPECT_THAT(with(R"(<layer id="1" type="Result" version="opset1"/>)"),
                HasSubstr("layer 1 '' (Result): has no name"));
}

TEST(IrDocument, RefusesDuplicateLayerIds) {
    AddModel model;
    model.more_layers = layer({.id = 1, .name = "twin", .type = "Result"});
    EXPECT_THAT(refused_add(model),
                HasSubstr("layer 1 'twin' (Result): id 1 is also that of layer 'w'"));
}

TEST(IrDocument, RefusesBadPorts) {
    AddModel model;
    model.add_port = port(2, "1,2") + port(2, "1,2");
    EXPECT_THAT(refused_add(model), HasSubstr("layer 2 'add' (Add): port 2 is there twice"));
    model.add_port = "<port id=\"two\"/>";
    EXPECT_THAT(refused_add(model), HasSubstr("port id 'two' is not a number"));
    model.add_port = port(2, "1,-2");
    EXPECT_THAT(refused_add(model), HasSubstr("port 2: '-2' is no dimension"));
    model.add_port = port(2, "1,99999999999999999999");
    EXPECT_THAT(refused_add(model), HasSubstr("is no dimension"));
    model.add_port = port(2, "1,2", R"(precision="FP7")");
    EXPECT_THAT(refused_add(model),
                HasSubstr("layer 2 'add' (Add): port 2 has precision FP7, which is not supported"));
}

TEST(IrDocument, RefusesEdgesThatLeadNowhere) {
    AddModel model;
    model.more_edges = edge(0, 0, 77, 0);
    EXPECT_THAT(refused_add(model), HasSubstr("the edge from layer 0 port 0 to layer 77 port 0: "
                                              "there is no layer 77"));
    model.more_edges = edge(78, 0, 2, 0);
    EXPECT_THAT(refused_add(model), HasSubstr("there is no layer 78"));
    model.more_edges = edge(0, 5, 2, 0);
    EXPECT_THAT(refused_add(model), HasSubstr("layer 0 'x' (Parameter): the edge from layer 0 port "
                                              "5 to layer 2 port 0: there is no output port 5"));
    model.more_edges = edge(0, 0, 2, 5);
    EXPECT_THAT(refused_add(model), HasSubstr("there is no input port 5"));
    model.more_edges = edge(1, 0, 2, 0);
    EXPECT_THAT(refused_add(model),
                HasSubstr("layer 2 'add' (Add): two edges lead into input port 0"));
    model.more_edges = "<edge from-layer=\"0\" to-layer=\"2\" to-port=\"0\"/>";
    EXPECT_THAT(refused_add(model), HasSubstr("an edge has no from-port"));
    model.more_edges = "<edge from-layer=\"x\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>";
    EXPECT_THAT(refused_add(model), HasSubstr("an edge has from-layer 'x', expected a number"));
}

TEST(IrDocument, TensorNamesMayContainCommas) {
    EXPECT_THAT(split_tensor_names(R"(a,b\,c,d\e)"), ElementsAre("a", "b,c", R"(d\e)"));
    EXPECT_THAT(split_tensor_names(""), IsEmpty());
    EXPECT_EQ(join_tensor_names({"b,c", "a"}), R"(a,b\,c)");
}

TEST(IrDocument, TensorNamesSurviveJoinAndSplit) {
    for (const std::vector<std::string>& names :
         {std::vector<std::string>{"a"}, {"a,b", "c"}, {R"(a\,b)", "c"}, {"z", R"(a\)"}}) {
        std::vector<std::string> back = split_tensor_names(join_tensor_names(names));
        EXPECT_THAT(back, testing::UnorderedElementsAreArray(names));
    }
    EXPECT_THROW(join_tensor_names({"a\\", "b\\"}), Error);
}

}  // namespace
}  // namespace fuseq::test
