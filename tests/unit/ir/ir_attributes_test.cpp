// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_attributes.hpp"

#include "ops/convolution.hpp"
#include "ops/fake_quantize.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One attribute of each kind.
struct EveryKind final : AttributesOf<EveryKind> {
    bool flag = false;
    std::int64_t number = 0;
    float real = 0;
    std::string text;
    ElementType type = ElementType::undefined;
    std::vector<std::int64_t> numbers;
    std::vector<float> reals;
    PartialShape shape;
    AutoPad pad = AutoPad::kExplicit;
    std::int64_t hidden = 7;
    void visit(AttributeVisitor& v) override {
        v.optional("flag", flag);
        v.required("number", number);
        v.optional("real", real);
        v.optional("text", text);
        v.optional("type", type);
        v.optional("numbers", numbers);
        v.optional("reals", reals);
        v.optional("shape", shape);
        v.optional("pad", pad);
        v.internal("hidden", hidden);
    }
};

// The <data> of a layer, which `document` owns.
pugi::xml_node with_data(const std::string& data, pugi::xml_document& document) {
    const std::string text = layer({.id = 3, .name = "n", .type = "Op", .data = data});
    parse_xml(text, IrSource("m.xml"), document);
    return document.child("layer");
}

EveryKind read_data(const std::string& data) {
    pugi::xml_document document;
    IrLayer parsed;
    parsed.id = 3;
    parsed.name = "n";
    parsed.operation.type = "Op";
    parsed.xml = with_data(data, document);
    EveryKind attributes;
    read_ir_attributes(parsed, attributes, IrSource("m.xml"));
    return attributes;
}

// "name: rule" of each fault, those of unknown names with "!" before them.
std::vector<std::string> faults_of(const std::string& data) {
    pugi::xml_document document;
    EveryKind attributes;
    std::vector<std::string> texts;
    for (const IrAttributeFault& fault : attribute_faults(with_data(data, document), attributes)) {
        texts.push_back((fault.unknown_name ? "!" : "") + fault.name + ": " + fault.rule);
    }
    return texts;
}

std::string refused_data(const std::string& data) {
    try {
        read_data(data);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(IrAttributes, ReadsEveryKind) {
    const EveryKind a =
        read_data(R"(flag="true" number="-3" real="0.1" text="a, b" type="f16" numbers="1, 2,3"
                     reals="0.5,1e-3" shape="?,3,1..8" pad="same_upper")");
    EXPECT_TRUE(a.flag);
    EXPECT_EQ(a.number, -3);
    EXPECT_EQ(a.real, 0.1f);
    EXPECT_EQ(a.text, "a, b");
    EXPECT_EQ(a.type, ElementType::f16);
    EXPECT_THAT(a.numbers, ElementsAre(1, 2, 3));
    EXPECT_THAT(a.reals, ElementsAre(0.5f, 1e-3f));
    EXPECT_EQ(a.shape, PartialShape::parse("[?,3,1..8]"));
    EXPECT_EQ(a.pad, AutoPad::kSameUpper);
}

TEST(IrAttributes, ReadsOldSpellings) {
    EXPECT_TRUE(read_data(R"(number="1" flag="True")").flag);
    EXPECT_TRUE(read_data(R"(number="1" flag="1")").flag);
    EXPECT_FALSE(read_data(R"(number="1" flag="False")").flag);
    EXPECT_FALSE(read_data(R"(number="1" flag="0")").flag);
    EXPECT_EQ(read_data(R"(number="16.0")").number, 16);
    EXPECT_EQ(read_data(R"(number="1" real="9.999999717180685e-10")").real, 9.999999717180685e-10f);
    EXPECT_THAT(read_data(R"(number="1" numbers="")").numbers, testing::IsEmpty());
}

TEST(IrAttributes, RefusesWhatDoesNotParse) {
    EXPECT_THAT(refused_data(R"(flag="true")"),
                HasSubstr("read 'm.xml': layer 3 'n' (Op): attribute number is missing"));
    EXPECT_THAT(refused_data(R"(number="")"), HasSubstr("attribute number: '' is not an integer"));
    EXPECT_THAT(refused_data(R"(number="1.5")"), HasSubstr("'1.5' is not an integer"));
    EXPECT_THAT(refused_data(R"(number="99999999999999999999")"),
                HasSubstr("'99999999999999999999' is too large for an integer of 64 bits"));
    EXPECT_THAT(refused_data(R"(number="1" flag="yes")"), HasSubstr("'yes' is not true or false"));
    EXPECT_THAT(refused_data(R"(number="1" real="x")"), HasSubstr("'x' is not a number"));
    EXPECT_THAT(refused_data(R"(number="1" numbers="1,,2")"), HasSubstr("'' is not an integer"));
    EXPECT_THAT(refused_data(R"(number="1" type="f7")"),
                HasSubstr("'f7' is not a supported element type; expected one of boolean, u8, "));
    EXPECT_THAT(refused_data(R"(number="1" pad="round")"), HasSubstr("'round' is not one of"));
    EXPECT_THAT(refused_data(R"(number="1" shape="1,x")"), HasSubstr("'x' is no dimension"));
}

TEST(IrAttributes, TellsWhatItDoesNotKnow) {
    EXPECT_THAT(faults_of(R"(number="1" odd="2" even="3")"),
                ElementsAre("!odd: not known", "!even: not known"));
    EXPECT_THAT(faults_of(R"(number="1" shap="2")"),
                ElementsAre("!shap: not known; did you mean 'shape'?"));
    EXPECT_THAT(faults_of(R"(numbr="1")"),
                ElementsAre("number: missing; there is 'numbr'",
                            "!numbr: not known; did you mean 'number'?"));
    EXPECT_THAT(refused_data(R"(numbr="1")"),
                testing::EndsWith("attribute number is missing; there is 'numbr'"));
    EXPECT_THAT(faults_of(R"(number="1")"), testing::IsEmpty());
}

TEST(IrAttributes, DoesNotReadInternalOnes) {
    EXPECT_EQ(read_data(R"(number="1" hidden="9")").hidden, 7);
    EXPECT_THAT(faults_of(R"(number="1" hidden="9")"), ElementsAre("!hidden: not known"));
}

TEST(IrAttributes, FakeQuantizeHasNoOutputTypeInAnIr) {
    bool internal = false;
    for (const NamedAttribute& item :
         list_attributes(std::as_const(*std::make_unique<FakeQuantizeAttrs>()))) {
        internal |= item.name == "output_type" && item.internal;
    }
    EXPECT_TRUE(internal);
}

TEST(WidenTypes, ReplacesF16) {
    EveryKind attributes;
    attributes.type = ElementType::f16;
    widen_types(attributes);
    EXPECT_EQ(attributes.type, ElementType::f32);
    attributes.type = ElementType::i64;
    widen_types(attributes);
    EXPECT_EQ(attributes.type, ElementType::i64);
}

}  // namespace
}  // namespace fuseq::test
