// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/small_conv/small_conv_by_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/small_conv/small_conv_case.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::BasicOp;
using test::for_small_conv_cases;
using test::value_at;
using Case = test::SmallConvCase;

std::size_t pixels_of(const SmallConvShape& s) {
    return s.batch * s.dst_height * s.dst_width;
}

post_ops::Values random_values(std::mt19937& rng, std::size_t channels, float by) {
    std::vector<float> values(rng() % 2 == 0 ? 1 : channels);
    for (float& v : values) {
        v = (static_cast<float>(rng() % 1000) - 400.0f) * by;
    }
    return values;
}

// Some operations, `binary_sources` of which read a second tensor.
std::vector<BasicOp> random_ops(std::mt19937& rng,
                                std::size_t channels,
                                const std::vector<ElementType>& binary_sources) {
    std::vector<BasicOp> ops;
    for (std::size_t i = rng() % 4; i > 0; --i) {
        switch (rng() % 7) {
            case 0: ops.emplace_back(post_ops::Scale{random_values(rng, channels, 0.01f)}); break;
            case 1: ops.emplace_back(post_ops::Shift{random_values(rng, channels, 0.5f)}); break;
            case 2: ops.emplace_back(post_ops::Round{}); break;
            case 3: ops.emplace_back(post_ops::Clip{{-90.5f}, {200.0f}}); break;
            case 4: ops.emplace_back(post_ops::Prelu{random_values(rng, channels, 0.01f)}); break;
            case 5:
                ops.emplace_back(post_ops::Eltwise{post_ops::EltwiseKind::kRelu, 0.1f, 0.0f, 0.5f});
                break;
            default: ops.emplace_back(post_ops::Eltwise{}); break;
        }
    }
    for (std::size_t e = 0; e < binary_sources.size(); ++e) {
        post_ops::Binary add;
        add.input = e;
        add.type = binary_sources[e];
        const bool as_they_are = rng() % 3 == 0;
        add.scale = as_they_are ? 1.0f : 0.75f;
        add.zero_point = as_they_are ? 0.0f : static_cast<float>(rng() % 9);
        ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(rng() % (ops.size() + 1)), add);
    }
    return ops;
}

// One value through the operations, as floats, in their order.
float applied(const std::vector<BasicOp>& ops,
              float v,
              std::size_t channel,
              const std::vector<float>& binary_sources) {
    for (const BasicOp& op : ops) {
        if (const auto* scale = std::get_if<post_ops::Scale>(&op)) {
            v = v * scale->by[channel];
        } else if (const auto* shift = std::get_if<post_ops::Shift>(&op)) {
            v = v + shift->by[channel];
        } else if (std::holds_alternative<post_ops::Round>(op)) {
            v = std::nearbyint(v);
        } else if (const auto* clip = std::get_if<post_ops::Clip>(&op)) {
            v = std::min(std::max(v, clip->low[channel]), clip->high[channel]);
        } else if (const auto* prelu = std::get_if<post_ops::Prelu>(&op)) {
            v = v > 0.0f ? v : prelu->slope[channel] * v;
        } else if (const auto* relu = std::get_if<post_ops::Eltwise>(&op)) {
            v = (v > 0.0f ? v : relu->alpha * v) * relu->scale;
        } else if (const auto* add = std::get_if<post_ops::Binary>(&op)) {
            v = v + (binary_sources[add->input] - add->zero_point) * add->scale;
        }
    }
    return v;
}

// Where element i of a result lies when its channels are rows of their own.
std::size_t place_in_rows(const SmallConvShape& s, std::size_t i) {
    const std::size_t pixel = i / 32;
    const std::size_t row = pixel / s.dst_width * 2 + i % 32 / 16;
    return (row * s.dst_width + pixel % s.dst_width) * 16 + i % 16;
}

struct Run {
    std::vector<test::Bytes> results;
    std::vector<post_ops::Chain> chains;
};

// All rows in two parts, the second one first.
Run run_in_parts(const Case& c,
                 const std::vector<SmallConvSource>& binary_sources,
                 std::mt19937& rng) {
    Run run;
    run.chains.assign(c.params.results.begin(), c.params.results.end());
    const SmallConv kernel(c.params);
    const std::size_t size = pixels_of(c.params.shape) * c.params.shape.dst_channels;
    std::vector<void*> places;
    for (const post_ops::Chain& chain : run.chains) {
        run.results.emplace_back(size * size_of(chain.dst_type) + 1, std::uint8_t{77});
    }
    std::transform(run.results.begin(), run.results.end(), std::back_inserter(places),
                   [](test::Bytes& bytes) { return bytes.data(); });
    const std::size_t cut = rng() % (kernel.rows() + 1);
    kernel.run(c.src.data(), {cut, kernel.rows()}, places, binary_sources);
    kernel.run(c.src.data(), {0, cut}, places, binary_sources);
    for (const test::Bytes& bytes : run.results) {
        EXPECT_EQ(bytes.back(), std::uint8_t{77}) << "written after the end";
    }
    return run;
}

void expect_results(const Case& c,
                    const Run& run,
                    const std::vector<std::vector<float>>& binary_sources,
                    const std::vector<BasicOp>& ops) {
    const SmallConvShape& s = c.params.shape;
    const std::size_t plane = s.dst_height * s.dst_width;
    // Of large results some elements of every channel.
    const std::size_t step = pixels_of(s) * s.dst_channels < 20000 ? 1 : 13;
    for (std::size_t i = 0; i < pixels_of(s) * s.dst_channels; i += step) {
        const std::size_t pixel = i / s.dst_channels;
        const std::size_t channel = i % s.dst_channels;
        std::vector<float> others;
        std::transform(binary_sources.begin(), binary_sources.end(), std::back_inserter(others),
                       [&](const std::vector<float>& all) { return all[i]; });
        const float sum = value_at(c, pixel / plane, channel, pixel / s.dst_width % s.dst_height,
                                   pixel % s.dst_width);
        const float v = applied(ops, sum, channel, others);
        for (std::size_t r = 0; r < run.chains.size(); ++r) {
            const ElementType type = run.chains[r].dst_type;
            test::Bytes expected(size_of(type));
            test::set_element(expected, type, 0, applied(run.chains[r].ops, v, channel, {}));
            const std::size_t at = c.params.rows ? place_in_rows(s, i) : i;
            ASSERT_EQ(test::element(run.results[r], type, at), test::element(expected, type, 0))
                << "result " << r << ", channel " << channel << " of pixel " << pixel;
        }
    }
}

// A tensor of the size of the result; sometimes its rows are one row, stored once.
struct BinarySource {
    test::Bytes bytes;
    std::vector<std::size_t> rows;
    std::vector<float> values;  // of all elements
};

BinarySource random_binary_source(std::mt19937& rng, const SmallConvShape& s, ElementType type) {
    const std::size_t row = s.dst_width * s.dst_channels;
    const std::size_t rows = s.batch * s.dst_height;
    const bool one_row = rng() % 3 == 0;
    BinarySource source;
    source.bytes = test::random_elements(rng, type, one_row ? row : row * rows);
    if (type == ElementType::f32) {
        for (std::size_t i = 0; i < source.bytes.size() / 4; ++i) {
            test::set_element(source.bytes, type, i, static_cast<float>(rng() % 512) / 4.0f);
        }
    }
    source.rows.assign(one_row ? rows : 0, 0);
    for (std::size_t i = 0; i < row * rows; ++i) {
        source.values.push_back(test::element(source.bytes, type, one_row ? i % row : i));
    }
    return source;
}

// With random operations and results.
void expect_lists(Case& c, std::mt19937& rng) {
    const SmallConvShape& s = c.params.shape;
    std::vector<ElementType> types(rng() % 3);
    std::generate(types.begin(), types.end(), [&] { return test::random_type(rng); });
    const std::vector<BasicOp> ops = random_ops(rng, s.dst_channels, types);
    std::vector<post_ops::Chain> results;
    for (std::size_t r = 1 + rng() % 3; r > 0; --r) {
        post_ops::Chain chain;
        chain.dst_type = test::random_type(rng);
        if (chain.dst_type != ElementType::f32 && rng() % 2 == 0) {
            chain.ops.emplace_back(post_ops::Scale{random_values(rng, s.dst_channels, 0.004f)});
        }
        if (chain.dst_type != ElementType::f32 && rng() % 2 == 0) {
            chain.ops.emplace_back(post_ops::Shift{random_values(rng, s.dst_channels, 0.25f)});
        }
        results.push_back(chain);
    }
    std::vector<BinarySource> binary_sources;
    std::transform(types.begin(), types.end(), std::back_inserter(binary_sources),
                   [&](ElementType type) { return random_binary_source(rng, s, type); });
    std::vector<SmallConvSource> places;
    std::vector<std::vector<float>> values;
    for (const BinarySource& source : binary_sources) {
        places.push_back({source.bytes.data(), source.rows.empty() ? nullptr : source.rows.data()});
        values.push_back(source.values);
    }
    c.params.ops = ops;
    c.params.results = results;
    expect_results(c, run_in_parts(c, places, rng), values, ops);
}

TEST(SmallConvByChannel, ValuesGoThroughOperationsToAllResults) {
    for_small_conv_cases(60, true, expect_lists);
}

// Bytes take a short way where all channels have one: quantized outputs of a range that does not
// begin at zero.
TEST(SmallConvByChannel, SoDoBytesAfterAReluAndAShift) {
    for_small_conv_cases(60, true, [](Case& c, std::mt19937& rng) {
        const std::vector<BasicOp> ops = {
            post_ops::Eltwise{},
            post_ops::Shift{random_values(rng, c.params.shape.dst_channels, 0.25f)}};
        const std::vector<post_ops::Chain> results = {
            {{}, rng() % 2 == 0 ? ElementType::u8 : ElementType::i8}};
        c.params.ops = ops;
        c.params.results = results;
        expect_results(c, run_in_parts(c, {}, rng), {}, ops);
    });
}

TEST(SmallConvByChannel, SoDoBytesAfterFloatsThatAreAdded) {
    for_small_conv_cases(60, true, [](Case& c, std::mt19937& rng) {
        const std::vector<BasicOp> ops = {post_ops::Binary{.type = ElementType::f32}};
        const std::vector<post_ops::Chain> results = {
            {{}, rng() % 2 == 0 ? ElementType::u8 : ElementType::i8}};
        const BinarySource source = random_binary_source(rng, c.params.shape, ElementType::f32);
        c.params.ops = ops;
        c.params.results = results;
        const SmallConvSource place{source.bytes.data(),
                                    source.rows.empty() ? nullptr : source.rows.data()};
        expect_results(c, run_in_parts(c, {place}, rng), {source.values}, ops);
    });
}

// Many sums with a scale of 2^-7 are integers, and floats rounded to the nearest would be above
// many of the others.
TEST(SmallConvByChannel, BytesMayBeFloors) {
    for_small_conv_cases(60, true, [](Case& c, std::mt19937& rng) {
        c.wei_zero_point.clear();
        for (float& scale : c.scale) {
            const auto parts = static_cast<float>(static_cast<int>(rng() % 128) - 64);
            scale = rng() % 2 == 0 ? 1.0f / 128.0f : scale;
            c.rest.push_back(scale * parts * 0x1p-31f);
            c.below.push_back(parts / 8.0f);
            c.offset.push_back(static_cast<std::int32_t>(rng() % 2000) - 1000);
        }
        const std::vector<BasicOp> ops(rng() % 2, post_ops::Clip{{3.0f}, {100.0f}});
        const std::vector<post_ops::Chain> results = {
            {{}, rng() % 2 == 0 ? ElementType::u8 : ElementType::i8}};
        c.params.wei_zero_point = {};
        c.params.rest = c.rest;
        c.params.below = c.below;
        c.params.offset = c.offset;
        c.params.ops = ops;
        c.params.results = results;
        ASSERT_TRUE(SmallConv::takes_floors(c.params));
        expect_results(c, run_in_parts(c, {}, rng), {}, ops);
        c.params.below = c.params.below.first(1);
        EXPECT_THROW(SmallConv kernel(c.params), Error);
    });
}

TEST(SmallConvByChannel, SoDoFewChannelsOfWindowsOfSixteenBytes) {
    for_small_conv_cases(
        400, false, [](const Case& c) { return SmallConv::has_lists(c.params.shape); },
        expect_lists);
}

TEST(SmallConvByChannel, FewChannelsThatAreNoQuadHaveNoLists) {
    SmallConvShape shape;
    shape.src_channels = 16;
    shape.dst_channels = 8;
    shape.src_height = shape.src_width = shape.dst_height = shape.dst_width = 32;
    EXPECT_TRUE(SmallConv::has_lists(shape));
    shape.dst_channels = 6;
    EXPECT_FALSE(SmallConv::has_lists(shape));
}

TEST(SmallConvByChannel, HalvesOfTheChannelsBecomeRows) {
    const auto has_two_vectors = [](const Case& c) { return c.params.shape.dst_channels == 32; };
    for_small_conv_cases(100, true, has_two_vectors, [](Case& c, std::mt19937& rng) {
        // After scale and bias alone bytes take a shorter way.
        std::vector<post_ops::Chain> results = {
            {{}, rng() % 2 == 0 ? ElementType::u8 : ElementType::i8}};
        if (rng() % 2 == 0) {
            results[0].ops.emplace_back(post_ops::Scale{0.003f});
        }
        c.params.results = results;
        c.params.rows = true;
        expect_results(c, run_in_parts(c, {}, rng), {}, {});
    });
}

// The value of each pixel before the largest of four is taken, by plain loops.
float largest_at(const Case& c,
                 const std::vector<BasicOp>& ops,
                 std::size_t image,
                 std::size_t channel,
                 std::size_t y,
                 std::size_t x) {
    float max = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < 4; ++i) {
        const float v = value_at(c, image, channel, 2 * y + i / 2, 2 * x + i % 2);
        max = std::max(max, applied(ops, v, channel, {}));
    }
    return max;
}

TEST(SmallConvByChannel, StoresMaximaOfFourPixels) {
    std::size_t taken = 0;
    std::size_t pooled = 0;
    for_small_conv_cases(600, true, [&](Case& c, std::mt19937& rng) {
        ++taken;
        const SmallConvShape& s = c.params.shape;
        const ElementType type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
        const std::vector<BasicOp> ops = random_ops(rng, s.dst_channels, {});
        const std::vector<post_ops::Chain> results = {{{}, type}};
        c.params.ops = ops;
        c.params.results = results;
        c.params.pool = true;
        if (!SmallConv::takes_pool(c.params)) {
            EXPECT_THROW(SmallConv kernel(c.params), Error);
            return;
        }
        ++pooled;
        const std::size_t height = s.dst_height / 2;
        const std::size_t width = s.dst_width / 2;
        const SmallConv kernel(c.params);
        ASSERT_EQ(kernel.rows(), s.batch * height);
        const std::size_t size = s.batch * height * width * s.dst_channels;
        test::Bytes bytes(size + 1, std::uint8_t{77});
        const std::size_t cut = rng() % (kernel.rows() + 1);
        kernel.run(c.src.data(), {cut, kernel.rows()}, bytes.data());
        kernel.run(c.src.data(), {0, cut}, bytes.data());
        EXPECT_EQ(bytes.back(), std::uint8_t{77}) << "written after the end";
        for (std::size_t i = 0; i < size; i += size < 10000 ? 1 : 7) {
            const std::size_t pixel = i / s.dst_channels;
            const float max = largest_at(c, ops, pixel / (height * width), i % s.dst_channels,
                                         pixel / width % height, pixel % width);
            test::Bytes expected(1);
            test::set_element(expected, type, 0, max);
            ASSERT_EQ(test::element(bytes, type, i), test::element(expected, type, 0))
                << "channel " << i % s.dst_channels << " of pixel " << pixel;
        }
    });
    EXPECT_EQ(pooled != 0, taken != 0) << "no random case was pooled";
}

TEST(SmallConvByChannel, OtherResultsMayTakeThePlaceOfTheFirst) {
    for_small_conv_cases(10, true, [](Case& c, std::mt19937&) {
        const std::vector<post_ops::Chain> floats = {{{}, ElementType::f32}};
        const std::vector<post_ops::Chain> bytes = {{{post_ops::Scale{0.01f}}, ElementType::i8}};
        c.params.results = floats;
        SmallConv changed(c.params);
        changed.set_results(bytes, false);
        c.params.results = bytes;
        const SmallConv made(c.params);
        const std::size_t size = pixels_of(c.params.shape) * c.params.shape.dst_channels;
        test::Bytes one(size), other(size);
        changed.run(c.src.data(), {0, changed.rows()}, one.data());
        made.run(c.src.data(), {0, made.rows()}, other.data());
        EXPECT_EQ(one, other);
    });
}

TEST(SmallConvByChannel, RefusesWhatRegistersDoNotDo) {
    EXPECT_FALSE(SmallConv::takes_op(post_ops::Eltwise{post_ops::EltwiseKind::kTanh}));
    EXPECT_FALSE(SmallConv::takes_op(post_ops::Binary{.per_plane = true}));
    EXPECT_FALSE(SmallConv::takes_op(post_ops::Binary{.kind = post_ops::BinaryKind::kMul}));
    EXPECT_FALSE(SmallConv::takes_result({{post_ops::Scale{}}, ElementType::f32}));
    EXPECT_FALSE(SmallConv::takes_result({{post_ops::Round{}}, ElementType::u8}));
    EXPECT_TRUE(SmallConv::takes_result({{post_ops::Scale{}, post_ops::Shift{}}, ElementType::u8}));
    SmallConvShape shape;
    shape.src_channels = 5;
    shape.dst_channels = 16;
    shape.src_height = shape.src_width = shape.dst_height = shape.dst_width = 8;
    EXPECT_FALSE(SmallConv::takes(shape)) << "no code for windows 5 bytes apart";
    shape.src_channels = 4;
    EXPECT_FALSE(SmallConv::takes(shape)) << "nor 4 bytes apart";
    shape.src_channels = 16;
    shape.dst_channels = 20;
    EXPECT_FALSE(SmallConv::takes(shape)) << "a quarter of a vector";
}

}  // namespace
}  // namespace fuseq::kernels
