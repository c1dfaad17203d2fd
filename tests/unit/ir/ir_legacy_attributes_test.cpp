// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_legacy_attributes.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;

TEST(IrLegacyAttributes, AreHarmlessWithOneValueOrWithAny) {
    EXPECT_TRUE(is_harmless_attribute("Convolution", "output_padding", "0,0"));
    EXPECT_FALSE(is_harmless_attribute("Convolution", "output_padding", "0,1"));
    EXPECT_FALSE(is_harmless_attribute("Convolution", "output_padding", ""));
    EXPECT_TRUE(is_harmless_attribute("DetectionOutput", "eta", "1.0"));
    EXPECT_FALSE(is_harmless_attribute("DetectionOutput", "eta", "0.9"));
    EXPECT_TRUE(is_harmless_attribute("DetectionOutput", "visualize", "False"));
    EXPECT_TRUE(is_harmless_attribute("Convert", "no_clamp", "false"));
    EXPECT_FALSE(is_harmless_attribute("Convert", "use_rounding", "true"));
    EXPECT_TRUE(is_harmless_attribute("PriorBoxClustered", "img_h", "0"));
    EXPECT_FALSE(is_harmless_attribute("PriorBoxClustered", "img_h", "300"));
    EXPECT_TRUE(is_harmless_attribute("Proposal", "for_deformable", "false"));
    EXPECT_FALSE(is_harmless_attribute("MatMul", "output_padding", "0,0"));
}

// A 1x1 convolution with this attribute; the warnings of reading it, or the refusal.
std::vector<std::string> said_of(const std::string& attribute) {
    const std::string layers =
        layer({.id = 0,
               .name = "x",
               .type = "Parameter",
               .data = R"(shape="1,1,2,2" element_type="f32")",
               .outputs = port(0, "1,1,2,2")}) +
        layer({.id = 1,
               .name = "w",
               .type = "Const",
               .data = R"(element_type="f32" shape="1,1,1,1" offset="0" size="4")",
               .outputs = port(0, "1,1,1,1")}) +
        layer({.id = 2,
               .name = "conv",
               .type = "Convolution",
               .data =
                   R"(strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0" )" + attribute,
               .inputs = port(0, "") + port(1, ""),
               .outputs = port(2, "1,1,2,2")}) +
        layer({.id = 3, .name = "r", .type = "Result", .inputs = port(0, "")});
    std::vector<std::string> warnings;
    IrReadOptions options;
    options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    try {
        read_ir_from_memory(net(layers, edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0), 10),
                            Weights().add<float>({2}).tensor(), options);
    } catch (const Error& error) {
        warnings.push_back(error.info().rule);
    }
    return warnings;
}

TEST(IrLegacyAttributes, ArePassedOverWhereTheyChangeNothing) {
    EXPECT_THAT(said_of(R"(output_padding="0,0")"), ElementsAre());
    EXPECT_THAT(
        said_of(R"(output_padding="1,0")"),
        ElementsAre("1 attribute is not supported: output_padding of Convolution: not known (1 "
                    "layer: 'conv')"));
    EXPECT_THAT(said_of(R"(group="2" stride="1")"),
                ElementsAre("2 attributes are not supported: group of Convolution: not known (1 "
                            "layer: 'conv'), stride of Convolution: not known (1 layer: 'conv')"));
}

}  // namespace
}  // namespace fuseq::test
