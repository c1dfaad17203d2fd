// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using enum ElementType;

const char* const kUnsafe = "promote_unsafe=true";
const char* const kTorch = "pytorch_scalar_promotion=true";
const char* const kUnsafeTorch = "promote_unsafe=true; pytorch_scalar_promotion=true";

struct Case {
    ElementType a;
    ElementType b;
    ElementType common;
    std::string attributes{};
    const char* shape_a = "[2]";
    const char* shape_b = "[2]";
};

// Examples and rules of the operation's specification.
const Case kCases[] = {
    {i8, f32, f32},
    {i32, u8, i32},
    {boolean, u8, u8},
    {boolean, f16, f16},
    {f16, f32, f32},
    {bf16, f64, f64},
    {u8, u32, u32},
    {i8, i64, i64},
    {f32, i16, f32},
    {f64, i32, f64},
    {i64, i64, i64},
    {f16, i64, f16, kUnsafe},
    {f64, u64, f64, kUnsafe},
    {i8, u8, i16, kUnsafe},
    {f16, bf16, f32, kUnsafe},
    {i16, u32, i64, kUnsafe},
    {u16, i64, i64},
    {u64, i8, f32, kUnsafe},
    {u64, i64, f64, "promote_unsafe=true; u64_integer_promotion_target=f64"},
    {i64, u8, u8, kUnsafeTorch, "[]", "[2]"},
    {u8, i64, u8, kUnsafeTorch, "[2]", "[]"},
    {i8, i32, i32, kTorch, "[]", "[2]"},
    {f16, i8, f16, kTorch, "[]", "[2]"},
    {f64, f32, f32, kUnsafeTorch, "[]", "[3]"},
    {u32, u8, u32, kTorch, "[]", "[]"},
    {u8, i8, i8, kTorch, "[]", "[2]"},
};

TEST(ConvertPromoteTypes, FollowsTheRules) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(to_string(c.a) + " and " + to_string(c.b) + ", " + c.attributes);
        const OpModel test = make_op("ConvertPromoteTypes", 14, c.attributes,
                                     {open(c.a, c.shape_a), open(c.b, c.shape_b)});
        EXPECT_EQ(to_string(test.node->port(0).type), to_string(c.common));
        EXPECT_EQ(to_string(test.node->port(1).type), to_string(c.common));
        EXPECT_EQ(to_string(test.node->port(0).shape), c.shape_a);
        EXPECT_EQ(to_string(test.node->port(1).shape), c.shape_b);
        const OpModel swapped = make_op("ConvertPromoteTypes", 14, c.attributes,
                                        {open(c.b, c.shape_b), open(c.a, c.shape_a)});
        EXPECT_EQ(to_string(swapped.node->port(0).type), to_string(c.common));
    }
}

TEST(ConvertPromoteTypes, ConvertsBothInputs) {
    const auto out = run_op("ConvertPromoteTypes", 14, kUnsafe,
                            {in<std::int8_t>({2}, {-3, 4}), in<std::uint8_t>({1, 3}, {1, 2, 255})});
    expect_tensor<std::int16_t>(out[0], {2}, {-3, 4});
    expect_tensor<std::int16_t>(out[1], {1, 3}, {1, 2, 255});
    const auto real =
        run_op("ConvertPromoteTypes", 14, "", {in_f32({2}, {0.5F, -1}), in<std::int8_t>({1}, {7})});
    expect_tensor<float>(real[0], {2}, {0.5F, -1});
    expect_tensor<float>(real[1], {1}, {7});
}

TEST(ConvertPromoteTypes, InfersOpenShapes) {
    const std::vector<In> inputs{open(i32, "[?,2..3]"), open(u8, "...")};
    EXPECT_EQ(shape_of("ConvertPromoteTypes", 14, "", inputs, 0), "[?,2..3]");
    EXPECT_EQ(shape_of("ConvertPromoteTypes", 14, "", inputs, 1), "[...]");
}

TEST(ConvertPromoteTypes, RefusesAPromotionToNoType) {
    EXPECT_THAT(error_of("ConvertPromoteTypes", 14, "u64_integer_promotion_target=undefined",
                         {open(i8, "[2]"), open(i8, "[2]")}),
                HasSubstr("u64_integer_promotion_target is undefined, expected an element type"));
}

TEST(ConvertPromoteTypes, RefusesWhatIsNotSafe) {
    const Case refused[] = {{f16, i64, f16},
                            {f64, u64, f64},
                            {i8, u8, i16},
                            {f16, bf16, f32},
                            {u64, i8, f32},
                            {i32, f32, f32},
                            {i64, u8, u8, kTorch, "[]", "[2]"},
                            {i16, i8, i8, kTorch, "[]", "[2]"},
                            {i8, u32, u32, kTorch, "[]", "[2]"}};
    for (const Case& c : refused) {
        SCOPED_TRACE(to_string(c.a) + " and " + to_string(c.b));
        EXPECT_THAT(error_of("ConvertPromoteTypes", 14, c.attributes,
                             {open(c.a, c.shape_a), open(c.b, c.shape_b)}),
                    HasSubstr("input 0 is " + to_string(c.a) + ", input 1 is " + to_string(c.b) +
                              ", whose promotion is not safe; set promote_unsafe to allow it"));
    }
}

}  // namespace
}  // namespace fuseq::test
