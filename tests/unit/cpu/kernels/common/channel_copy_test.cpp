// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/channel_copy.hpp"

#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

struct Parts {
    std::vector<std::size_t> widths;  // bytes a pixel
    std::size_t total = 0;
    std::size_t pixels = 0;
};

Parts random_parts(std::mt19937& rng) {
    Parts parts;
    for (std::size_t i = 0; i < 1 + rng() % 4; ++i) {
        parts.widths.push_back(rng() % 3 == 0 ? 1 + rng() % 300 : 1 + rng() % 40);
        parts.total += parts.widths.back();
    }
    parts.total += rng() % 3;  // bytes of a pixel that nobody writes
    parts.pixels = 1 + rng() % 200;
    return parts;
}

TEST(CopyChannels, ConcatenatesOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const Parts parts = random_parts(rng);
            Bytes dst(parts.total * parts.pixels, 0xA5);
            Bytes want = dst;
            std::vector<Bytes> inputs;
            std::vector<ChannelCopy> copies;
            std::size_t at = 0;
            for (const std::size_t width : parts.widths) {
                inputs.push_back(test::random_elements(rng, ElementType::u8, width * parts.pixels));
                copies.push_back(
                    {inputs.back().data(), dst.data() + at, width, parts.total, width});
                for (std::size_t p = 0; p < parts.pixels; ++p) {
                    for (std::size_t i = 0; i < width; ++i) {
                        want[p * parts.total + at + i] = inputs.back()[p * width + i];
                    }
                }
                at += width;
            }
            const std::size_t cut = rng() % (parts.pixels + 1);
            copy_channels(copies, {cut, parts.pixels});
            copy_channels(copies, {0, cut});
            ASSERT_EQ(dst, want);
        }
    });
}

TEST(CopyChannels, SplitsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const Parts parts = random_parts(rng);
            const Bytes src =
                test::random_elements(rng, ElementType::u8, parts.total * parts.pixels);
            std::vector<Bytes> outputs;
            std::vector<ChannelCopy> copies;
            std::size_t at = 0;
            for (const std::size_t width : parts.widths) {
                outputs.emplace_back(width * parts.pixels);
                copies.push_back(
                    {src.data() + at, outputs.back().data(), parts.total, width, width});
                at += width;
            }
            copy_channels(copies, {0, parts.pixels});
            at = 0;
            for (std::size_t part = 0; part < outputs.size(); ++part) {
                for (std::size_t i = 0; i < outputs[part].size(); ++i) {
                    const std::size_t width = parts.widths[part];
                    ASSERT_EQ(outputs[part][i], src[i / width * parts.total + at + i % width]);
                }
                at += parts.widths[part];
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
