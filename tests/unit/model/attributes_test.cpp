// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fuseq/model.hpp"
#include "ops/broadcast.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

struct Sample final : AttributesOf<Sample> {
    std::int64_t number = 1;
    std::vector<std::string> words;
    AutoBroadcast broadcast = AutoBroadcast::kNumpy;
    Tensor value;
    std::shared_ptr<Model> body;
    float secret = 0;
    void visit(AttributeVisitor& v) override {
        v.required("number", number);
        v.optional("words", words);
        v.optional("broadcast", broadcast);
        v.optional("value", value);
        v.optional("body", body);
        v.internal("secret", secret);
    }
};

template <class T>
std::string text_of(T value) {
    return attribute_to_text(AttributeRef(&value));
}

template <class T>
T parsed(const std::string& text) {
    T value{};
    attribute_from_text(AttributeRef(&value), text);
    return value;
}

TEST(Attributes, TextReadsBack) {
    EXPECT_EQ(text_of(true), "true");
    EXPECT_EQ(text_of(std::int64_t{-5}), "-5");
    EXPECT_EQ(text_of(0.1f), "0.1");
    EXPECT_EQ(text_of(std::vector<float>{0.5f, 1e-9f}), "0.5,1e-09");
    EXPECT_EQ(text_of(ElementType::bf16), "bf16");
    EXPECT_EQ(text_of(PartialShape::parse("[1,?,2..4]")), "1,?,2..4");
    EXPECT_EQ(text_of(PartialShape::dynamic()), "...");
    for (const float value : {0.1f, 1e-45f, std::numeric_limits<float>::max(), -0.0f,
                              std::numeric_limits<float>::infinity()}) {
        EXPECT_EQ(parsed<float>(text_of(value)), value);
    }
    EXPECT_TRUE(std::isnan(parsed<float>(text_of(std::nanf("")))));
    for (const char* shape : {"1,2", "", "...", "?,1..3,5.."}) {
        const auto value = PartialShape::parse(shape);
        EXPECT_EQ(parsed<PartialShape>(text_of(value)), value) << shape;
    }
}

TEST(Attributes, ParsesSpellingsOfOldIrs) {
    EXPECT_TRUE(parsed<bool>("True"));
    EXPECT_FALSE(parsed<bool>(" 0 "));
    EXPECT_EQ(parsed<std::int64_t>("+3"), 3);
    EXPECT_EQ(parsed<std::int64_t>("1e3"), 1000);
    EXPECT_EQ(parsed<float>("1e-60"), 0);
    EXPECT_THAT(parsed<std::vector<std::int64_t>>("[1, 2]"), testing::ElementsAre(1, 2));
    EXPECT_THROW(parsed<std::int64_t>("1e30"), Error);
    EXPECT_THROW(parsed<std::int64_t>("0x10"), Error);
    EXPECT_THROW(parsed<std::int64_t>("-"), Error);
    EXPECT_THROW(parsed<float>(""), Error);
    EXPECT_THROW(parsed<bool>("2"), Error);
}

TEST(Attributes, ReadsMinusOneOfExportersWithoutSigns) {
    EXPECT_EQ(parsed<std::int64_t>("18446744073709551615"), -1);
    EXPECT_EQ(parsed<std::vector<std::int64_t>>("2,18446744073709551614"),
              (std::vector<std::int64_t>{2, -2}));
    // No small negative number, and beyond 64 bits.
    for (const char* text : {"9223372036854775808", "18446744069414584320", "18446744073709551616",
                             "-9223372036854775809"}) {
        EXPECT_THROW(parsed<std::int64_t>(text), Error) << text;
    }
}

TEST(Attributes, ListsWhatIsDeclared) {
    Sample sample;
    const auto items = list_attributes(sample);
    ASSERT_EQ(items.size(), 6u);
    EXPECT_EQ(items[0].name, "number");
    EXPECT_TRUE(items[0].required);
    EXPECT_FALSE(items[1].required);
    EXPECT_TRUE(items[5].internal);
    EXPECT_FALSE(items[5].required);
    attribute_from_text(items[0].ref, "7");
    EXPECT_EQ(sample.number, 7);
    attribute_from_text(items[2].ref, "PDPD");
    EXPECT_EQ(sample.broadcast, AutoBroadcast::kPdpd);
    EXPECT_EQ(attribute_to_text(items[2].ref), "pdpd");
    try {
        attribute_from_text(items[2].ref, "sideways");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("'sideways' is not one of none, numpy, pdpd"));
    }
}

TEST(Attributes, ComparesEveryKind) {
    Sample a;
    Sample b;
    EXPECT_TRUE(same_attributes(a, b));
    const auto differs_after = [](auto change) {
        Sample one;
        Sample other;
        change(other);
        return !same_attributes(one, other);
    };
    EXPECT_TRUE(differs_after([](Sample& s) { s.number = 2; }));
    EXPECT_TRUE(differs_after([](Sample& s) { s.words = {""}; }));
    EXPECT_TRUE(differs_after([](Sample& s) { s.broadcast = AutoBroadcast::kNone; }));
    EXPECT_TRUE(differs_after([](Sample& s) { s.value = Tensor::scalar<float>(1); }));
    EXPECT_TRUE(differs_after([](Sample& s) { s.body = std::make_shared<Model>(); }));
    EXPECT_TRUE(differs_after([](Sample& s) { s.secret = 1; }));
    a.words = {"a,b"};
    b.words = {"a", "b"};
    EXPECT_FALSE(same_attributes(a, b));
    b.words = {"a,b"};
    a.value = Tensor::of<float>({1}, {2});
    b.value = Tensor::of<float>({1}, {2});
    a.body = Model::from_text("%x = Parameter : f32[1] %r = Result(%x)");
    b.body = a.body->clone();
    EXPECT_TRUE(same_attributes(a, b));
    EXPECT_FALSE(same_attributes(a, NoAttrs()));
    EXPECT_TRUE(same_attributes(*a.clone(), a));
}

TEST(Attributes, SaysWhatIsDefault) {
    Sample sample;
    sample.broadcast = AutoBroadcast::kNone;
    const auto texts = attributes_to_text(sample, Sample());
    ASSERT_EQ(texts.size(), 4u) << "tensors and subgraphs have no text";
    EXPECT_TRUE(texts[0].is_default);
    EXPECT_EQ(texts[2].name, "broadcast");
    EXPECT_FALSE(texts[2].is_default);
}

}  // namespace
}  // namespace fuseq::test
