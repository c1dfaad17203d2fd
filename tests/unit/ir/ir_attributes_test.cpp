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

struct ReadData {
    EveryKind attributes;
    std::vector<std::string> warnings;
};

ReadData read_data(const std::string& data, bool strict = false) {
    pugi::xml_document document;
    const IrSource source("m.xml");
    const std::string text = layer({.id = 3, .name = "n", .type = "Op", .data = data});
    parse_xml(text, source, document);
    IrLayer parsed;
    parsed.id = 3;
    parsed.name = "n";
    parsed.operation.type = "Op";
    parsed.xml = document.child("layer");
    ReadData result;
    IrFindings findings;
    read_ir_attributes(parsed, result.attributes, source, findings);
    IrReadOptions options;
    options.strict = strict;
    options.on_warning = [&](const std::string& warning) { result.warnings.push_back(warning); };
    findings.report(options, source);
    return result;
}

std::string refused_data(const std::string& data, bool strict = false) {
    try {
        read_data(data, strict);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(IrAttributes, ReadsEveryKind) {
    const EveryKind a =
        read_data(R"(flag="true" number="-3" real="0.1" text="a, b" type="f16" numbers="1, 2,3"
                     reals="0.5,1e-3" shape="?,3,1..8" pad="same_upper")")
            .attributes;
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
    EXPECT_TRUE(read_data(R"(number="1" flag="True")").attributes.flag);
    EXPECT_TRUE(read_data(R"(number="1" flag="1")").attributes.flag);
    EXPECT_FALSE(read_data(R"(number="1" flag="False")").attributes.flag);
    EXPECT_FALSE(read_data(R"(number="1" flag="0")").attributes.flag);
    EXPECT_EQ(read_data(R"(number="16.0")").attributes.number, 16);
    EXPECT_EQ(read_data(R"(number="1" real="9.999999717180685e-10")").attributes.real,
              9.999999717180685e-10f);
    EXPECT_THAT(read_data(R"(number="1" numbers="")").attributes.numbers, testing::IsEmpty());
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
    EXPECT_THAT(read_data(R"(number="1" odd="2")").warnings,
                ElementsAre("attribute odd of Op is not known and was ignored in 1 layer: layer 3 "
                            "'n' has '2'"));
    EXPECT_THAT(read_data(R"(number="1" shap="2")").warnings,
                ElementsAre("attribute shap of Op is not known and was ignored in 1 layer: layer 3 "
                            "'n' has '2'; did you mean 'shape'?"));
    EXPECT_THAT(refused_data(R"(numbr="1")"),
                testing::EndsWith("attribute number is missing; there is 'numbr'"));
    EXPECT_THAT(
        refused_data(R"(number="1" odd="2" even="3")", true),
        testing::AllOf(HasSubstr("attribute odd of Op"), HasSubstr("attribute even of Op")));
    EXPECT_THAT(read_data(R"(number="1")", true).warnings, testing::IsEmpty());
}

TEST(IrAttributes, DoesNotReadInternalOnes) {
    const ReadData data = read_data(R"(number="1" hidden="9")");
    EXPECT_EQ(data.attributes.hidden, 7);
    EXPECT_THAT(data.warnings, ElementsAre(HasSubstr("attribute hidden of Op is not known")));
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
