// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k.hpp"

#include <limits>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TopKAttrs make(std::int64_t axis, TopKMode mode, TopKSort sort) {
    TopKAttrs attrs;
    attrs.axis = axis;
    attrs.mode = mode;
    attrs.sort = sort;
    return attrs;
}

TEST(TopK, SortsByValueOrIndex) {
    const std::vector<Tensor> inputs{floats({2, 4}, {1, 4, 3, 4, 8, 5, 6, 7}), i64s({}, {3})};
    auto out = run_op("TopK", 3, make(-1, TopKMode::kMax, TopKSort::kValue), inputs, {1});
    expect_values(out[0], {4, 4, 3, 8, 7, 6});
    expect_ints(out[1], {1, 3, 2, 0, 3, 2});
    out = run_op("TopK", 3, make(1, TopKMode::kMax, TopKSort::kIndex), inputs);
    expect_values(out[0], {4, 3, 4, 8, 6, 7});
    expect_ints(out[1], {1, 2, 3, 0, 2, 3});
    out = run_op("TopK", 1, make(1, TopKMode::kMin, TopKSort::kNone), inputs);
    expect_values(out[0], {1, 3, 4, 5, 6, 7});
    expect_ints(out[1], {0, 2, 1, 1, 2, 3});
}

TEST(TopK, WorksAlongAnyAxisAndType) {
    TopK11Attrs attrs;
    attrs.axis = 0;
    attrs.index_element_type = element::i64;
    const Tensor in = Tensor::of<std::uint8_t>({3, 2}, {1, 200, 255, 7, 3, 200});
    const auto out = run_op("TopK", 11, attrs, {in, i32s({1}, {2})}, {1});
    expect_ints(out[0], {255, 200, 3, 200});
    expect_ints(out[1], {1, 0, 2, 2});
}

TEST(TopK, PutsNanLast) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto out = run_op("TopK", 3, make(0, TopKMode::kMax, TopKSort::kValue),
                            {floats({3}, {nan, 1, 2}), i64s({}, {2})}, {1});
    expect_ints(out[1], {2, 1});
}

TEST(TopK, InfersOpenK) {
    const TopKAttrs attrs = make(1, TopKMode::kMax, TopKSort::kValue);
    EXPECT_EQ(shapes_of("TopK", 3, attrs, {open("[2,9]"), open("[]", element::i64)}),
              "[2,0..9] [2,0..9]");
    EXPECT_EQ(shapes_of("TopK", 3, attrs, {open("[?,?]"), i64s({}, {4})}), "[?,4] [?,4]");
}

TEST(TopK, RefusesTooMany) {
    const TopKAttrs attrs = make(1, TopKMode::kMax, TopKSort::kValue);
    EXPECT_THAT(refusal("TopK", 3, attrs, {open("[2,3]"), i64s({}, {4})}),
                HasSubstr("k is 4, but axis 1 has 3 elements"));
    EXPECT_THAT(refusal("TopK", 3, attrs, {open("[2,3]"), i64s({}, {-1})}), HasSubstr("k is -1"));
    EXPECT_THAT(refusal("TopK", 3, attrs, {open("[2]"), i64s({}, {1})}), HasSubstr("axis is 1"));
    EXPECT_THAT(error_of([&] {
                    run_op("TopK", 3, attrs, {floats({1, 2}, {1, 2}), i64s({}, {3})});
                }),
                HasSubstr("k is 3"));
    TopKAttrs typed = attrs;
    typed.index_element_type = element::f32;
    EXPECT_THAT(refusal("TopK", 3, typed, {open("[2,3]"), i64s({}, {1})}),
                HasSubstr("index_element_type is f32"));
}

}  // namespace
}  // namespace fuseq::test
