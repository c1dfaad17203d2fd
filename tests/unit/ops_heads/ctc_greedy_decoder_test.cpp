// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/ctc_greedy_decoder.hpp"

#include <limits>
#include <random>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// [T, 1, 3]: rows whose best classes are the given ones.
Tensor one_hot(const Shape& shape, const std::vector<int>& best) {
    std::vector<float> values;
    for (const int b : best) {
        for (int c = 0; c < 3; ++c) {
            values.push_back(c == b ? 0.75F : -0.25F);
        }
    }
    return floats(shape, values);
}

TEST(CtcGreedyDecoder, DropsBlanksAndRepetitions) {
    const Tensor scores = one_hot({6, 1, 3}, {0, 0, 2, 0, 1, 1});
    const Tensor all = floats({6, 1}, {1, 1, 1, 1, 1, 1});
    CtcGreedyDecoderAttrs attrs;
    expect_values(run_op("CTCGreedyDecoder", 1, attrs, {scores, all})[0], {0, 0, 1, -1, -1, -1});
    attrs.ctc_merge_repeated = false;
    expect_values(run_op("CTCGreedyDecoder", 1, attrs, {scores, all})[0], {0, 0, 0, 1, 1, -1});
    const Tensor short_mask = floats({6, 1}, {0, 1, 1, 1, 1, 1});
    expect_values(run_op("CTCGreedyDecoder", 1, attrs, {scores, short_mask})[0],
                  {-1, -1, -1, -1, -1, -1});
}

TEST(CtcGreedyDecoder, KeepsImagesApart) {
    const Tensor scores = one_hot({2, 2, 3}, {0, 1, 1, 1});  // texts 0 1 and 1 1
    const auto out = run_op("CTCGreedyDecoder", 1, CtcGreedyDecoderAttrs(),
                            {scores, floats({2, 2}, {1, 1, 0, 1})});
    EXPECT_EQ(out[0].get_shape(), (Shape{2, 2, 1, 1}));
    expect_values(out[0], {0, -1, 1, -1});
    EXPECT_THAT(
        refusal("CTCGreedyDecoder", 1, CtcGreedyDecoderAttrs(), {open("[2,3,4]"), open("[3,2]")}),
        HasSubstr("expected [T,N] and [T,N,C]"));
}

// The first of the largest values, against a walk over the values; a NaN is never larger, and
// nothing is larger than a NaN that is the first.
TEST(CtcGreedyDecoder, TakesTheFirstOfTheLargestOfAnyNumberOfClasses) {
    std::mt19937 rng(1);
    for (std::size_t classes = 1; classes < 80; ++classes) {
        std::vector<float> values(classes);
        for (float& v : values) {
            v = rng() % 9 == 0 ? std::numeric_limits<float>::quiet_NaN()
                               : static_cast<float>(rng() % 7) - 3.0F;
        }
        std::size_t best = 0;
        for (std::size_t i = 1; i < classes; ++i) {
            best = values[best] < values[i] ? i : best;
        }
        const float want = best + 1 == classes ? -1.0F : static_cast<float>(best);  // blank
        SCOPED_TRACE(classes);
        expect_values(run_op("CTCGreedyDecoder", 1, CtcGreedyDecoderAttrs(),
                             {floats({1, 1, classes}, values), floats({1, 1}, {1})})[0],
                      {want});
    }
}

TEST(CtcGreedyDecoderSeqLen, ReadsLengthsAndBlank) {
    const Tensor scores = one_hot({2, 4, 3}, {0, 0, 1, 1, 2, 0, 2, 0});
    CtcGreedyDecoderSeqLenAttrs attrs;
    attrs.classes_index_type = element::i64;
    auto out = run_op("CTCGreedyDecoderSeqLen", 6, attrs, {scores, i32s({2}, {3, 4})});
    expect_ints(out[0], {0, 1, -1, -1, 0, 0, -1, -1});
    expect_ints(out[1], {2, 2});
    out = run_op("CTCGreedyDecoderSeqLen", 6, attrs, {scores, i32s({2}, {4, 1}), i32s({}, {0})});
    expect_ints(out[0], {1, -1, -1, -1, 2, -1, -1, -1});
    EXPECT_THAT(error_of([&] {
                    run_op("CTCGreedyDecoderSeqLen", 6, attrs, {scores, i32s({2}, {5, 1})});
                }),
                HasSubstr("sequence_length has the value 5"));
    attrs.sequence_length_type = element::f32;
    EXPECT_THAT(refusal("CTCGreedyDecoderSeqLen", 6, attrs, {open("[1,2,3]"), i32s({1}, {1})}),
                HasSubstr("is f32, expected i32 or i64"));
}

}  // namespace
}  // namespace fuseq::test
