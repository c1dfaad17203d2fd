// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/float_classes.hpp"

#include <limits>

#include "ops/bucketize.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const Tensor kValues = floats({4}, {1, kInf, -kInf, kNan});

TEST(FloatClasses, TellWhatANumberIs) {
    expect_ints(run_op("IsFinite", 10, NoAttrs(), {kValues})[0], {1, 0, 0, 0});
    expect_ints(run_op("IsNaN", 10, NoAttrs(), {kValues})[0], {0, 0, 0, 1});
    IsInfAttrs attrs;
    expect_ints(run_op("IsInf", 10, attrs, {kValues})[0], {0, 1, 1, 0});
    attrs.detect_negative = false;
    expect_ints(run_op("IsInf", 10, attrs, {kValues})[0], {0, 1, 0, 0});
    attrs = {};
    attrs.detect_positive = false;
    expect_ints(run_op("IsInf", 10, attrs, {kValues})[0], {0, 0, 1, 0});
    EXPECT_THAT(refusal("IsNaN", 10, NoAttrs(), {open("[2]", element::i32)}),
                HasSubstr("input is i32"));
}

TEST(SoftSign, DividesByOneMoreThanTheSize) {
    expect_values(run_op("SoftSign", 9, NoAttrs(), {floats({3}, {-3, 0, 1})})[0],
                  {-0.75F, 0, 0.5F});
}

TEST(Bucketize, NumbersIntervals) {
    BucketizeAttrs attrs;
    const Tensor data = floats({2, 3}, {0, 1, 2, 3, 4, 5});
    const Tensor borders = i32s({3}, {1, 3, 4});
    expect_ints(run_op("Bucketize", 3, attrs, {data, borders})[0], {0, 0, 1, 1, 2, 3});
    attrs.with_right_bound = false;
    attrs.output_type = element::i32;
    expect_ints(run_op("Bucketize", 3, attrs, {data, borders})[0], {0, 1, 1, 2, 3, 3});
    expect_ints(run_op("Bucketize", 3, attrs, {data, floats({0}, {})})[0], {0, 0, 0, 0, 0, 0});
    EXPECT_THAT(error_of([&] {
                    run_op("Bucketize", 3, attrs, {data, i32s({2}, {3, 1})});
                }),
                HasSubstr("element 1 of the buckets is 1, expected rising values"));
    EXPECT_THAT(refusal("Bucketize", 3, attrs, {open("[2]"), open("[2,2]")}),
                HasSubstr("buckets have shape [2,2]"));
    attrs.output_type = element::u8;
    EXPECT_THAT(refusal("Bucketize", 3, attrs, {open("[2]"), open("[2]")}),
                HasSubstr("output_type is u8"));
}

}  // namespace
}  // namespace fuseq::test
