// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged bytes are refused with the value that is wrong; that whole ones are read back is tested in
// binary_form_test.cpp.
#include "model/binary_attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"
#include "ops/broadcast.hpp"

namespace fuseq {
namespace {

using ::testing::HasSubstr;

template <class T>
std::uint8_t type_number() {
    return static_cast<std::uint8_t>(AttributeRef(static_cast<T>(T{})).index());
}
const std::uint8_t kNumberType = type_number<std::int64_t*>();
const std::uint8_t kEnumType = type_number<EnumRef>();
const std::uint8_t kModelType = type_number<std::shared_ptr<Model>*>();

// What `read` says of bytes that `write` makes; empty when it takes them.
template <class Write, class Read>
std::string refusal(Write write, Read read) {
    ByteWriter out;
    write(out);
    ByteReader in(out.bytes());
    try {
        read(in);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

std::string refusal_of_dimension(std::int64_t low, std::int64_t high) {
    return refusal(
        [&](ByteWriter& out) {
            out.number(low);
            out.number(high);
        },
        [](ByteReader& in) { read_dimension(in); });
}

TEST(ReadDimension, RefusesWhatIsNoInterval) {
    EXPECT_EQ(refusal_of_dimension(0, 0), "");
    EXPECT_EQ(refusal_of_dimension(3, 8), "");
    EXPECT_THAT(refusal_of_dimension(-2, 8), HasSubstr("a dimension is -2..8"));
    EXPECT_THAT(refusal_of_dimension(8, 3), HasSubstr("a dimension is 8..3"));
}

TEST(ReadShape, GivesBackBoundsAndUnknownRanks) {
    for (const PartialShape& shape : {PartialShape{2, Dimension::dynamic(), Dimension(8, 9)},
                                      PartialShape{}, PartialShape::dynamic()}) {
        ByteWriter out;
        write_shape(out, shape);
        ByteReader in(out.bytes());
        EXPECT_EQ(read_shape(in), shape) << to_string(shape);
        EXPECT_TRUE(in.done());
    }
}

TEST(ReadType, RefusesNumbersThatAreNoType) {
    const auto refused = [](std::uint8_t number) {
        return refusal([&](ByteWriter& out) { out.number(number); },
                       [](ByteReader& in) { read_type(in); });
    };
    EXPECT_EQ(refused(static_cast<std::uint8_t>(ElementType::nf4)), "");
    EXPECT_THAT(refused(200), HasSubstr("there is no element type 200"));
}

struct Sample final : AttributesOf<Sample> {
    std::int64_t number = 1;
    AutoBroadcast broadcast = AutoBroadcast::kNumpy;
    std::shared_ptr<Model> body;
    void visit(AttributeVisitor& v) override {
        v.optional("number", number);
        v.optional("broadcast", broadcast);
        v.optional("body", body);
    }
};

// What is said of an attribute of a Sample, after so many right ones: the number of its type, and its
// value. One body was read.
template <class Value>
std::string refusal_of_attribute(int attributes_before, std::uint8_t type, Value value) {
    Sample sample;
    return refusal(
        [&](ByteWriter& out) {
            if (attributes_before > 0) {
                out.number(kNumberType);
                out.number(std::int64_t{7});
            }
            if (attributes_before > 1) {
                out.number(kEnumType);
                out.number(std::int32_t{0});
            }
            out.number(type);
            out.number(value);
        },
        [&](ByteReader& in) {
            const ConstantReader constants({}, nullptr);
            read_attributes(in, sample, constants, {std::make_shared<Model>()});
        });
}

TEST(ReadAttributes, RefuseAnotherTypeThanTheDeclaredOne) {
    EXPECT_THAT(refusal_of_attribute(0, kEnumType, std::int32_t{0}),
                HasSubstr("attribute number has another type"));
}

TEST(ReadAttributes, RefuseValuesThatAnEnumerationLacks) {
    EXPECT_THAT(refusal_of_attribute(1, kEnumType, std::int32_t{99}),
                HasSubstr("an enumeration has no value 99"));
    EXPECT_THAT(refusal_of_attribute(1, kEnumType, std::int32_t{-1}),
                HasSubstr("an enumeration has no value -1"));
}

TEST(ReadAttributes, RefuseBodiesThatWereNotRead) {
    EXPECT_EQ(refusal_of_attribute(2, kModelType, std::uint64_t{0}), "");
    EXPECT_THAT(refusal_of_attribute(2, kModelType, std::uint64_t{1}),
                HasSubstr("a body is not there"));
}

}  // namespace
}  // namespace fuseq
