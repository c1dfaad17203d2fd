// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// FusedEltwiseStep over tensors of every form against evaluate(), element by element. Values are
// multiples of a quarter and scales powers of two, so that every faithful computation has the same
// bytes.
#include "cpu/steps/fused_eltwise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using post_ops::Binary;
using post_ops::BinaryKind;
using post_ops::Chain;
using post_ops::Scale;
using post_ops::Shift;
using post_ops::Values;

class Memory final : public RequestMemory {
public:
    TensorId add(ElementType type, const Shape& shape, Layout layout) {
        PlanTensor tensor;
        tensor.type = type;
        tensor.shape = shape;
        tensor.layout = layout;
        tensors.push_back(tensor);
        bytes.emplace_back(type, Shape{shape_size(shape)});
        return tensors.size() - 1;
    }
    void* data(TensorId id) const override { return const_cast<Tensor&>(bytes[id]).data(); }
    bool in_user_memory(TensorId) const override { return false; }
    const PlanTensor& tensor(TensorId id) const override { return tensors[id]; }
    Tensor as_tensor(TensorId id) const override { return bytes[id]; }
    void set_dynamic(TensorId, Tensor) override {}

    std::vector<PlanTensor> tensors;
    std::vector<Tensor> bytes;
};

// Positions in the IR's order.
struct Position {
    std::size_t image, channel, pixel;
};

// A tensor [images, channels, height, width], or [rows, channels] of a matrix.
struct Problem {
    Shape shape;
    Layout layout = Layout::kPlain;
    std::size_t axis = 1;
    Chain chain;
    std::vector<std::pair<ElementType, Shape>> binary_sources{};

    std::size_t channels() const { return shape[1]; }
    std::size_t pixels() const {
        return std::accumulate(shape.begin() + 2, shape.end(), std::size_t{1}, std::multiplies<>());
    }
    // Of an extra, whose dimensions may be 1.
    std::size_t at(const Position& p, const Shape& of) const {
        const std::size_t images = of[0];
        const std::size_t channels = of[1];
        const std::size_t pixels =
            std::accumulate(of.begin() + 2, of.end(), std::size_t{1}, std::multiplies<>());
        const std::size_t image = images == 1 ? 0 : p.image;
        const std::size_t channel = channels == 1 ? 0 : p.channel;
        const std::size_t pixel = pixels == 1 ? 0 : p.pixel;
        return layout == Layout::kPlain ? (image * channels + channel) * pixels + pixel
                                        : (image * pixels + pixel) * channels + channel;
    }
};

void fill(Tensor& tensor, std::mt19937& rng) {
    if (tensor.get_element_type() == ElementType::f32) {
        for (float& v : tensor.values<float>()) {
            v = static_cast<float>(rng() % 801) / 4.0f - 100.0f;
        }
        return;
    }
    auto* bytes = static_cast<std::uint8_t*>(tensor.data());
    std::generate(bytes, bytes + tensor.get_byte_size(),
                  [&] { return static_cast<std::uint8_t>(rng()); });
}

class Made {
public:
    explicit Made(const Problem& problem) : p(problem) {
        src = memory.add(ElementType::f32, p.shape, p.layout);
        dst = memory.add(p.chain.dst_type, p.shape, p.layout);
        for (const auto& [type, shape] : p.binary_sources) {
            binary_sources.push_back(memory.add(type, shape, p.layout));
        }
        std::mt19937 rng(9);
        for (Tensor& tensor : memory.bytes) {
            fill(tensor, rng);
        }
        step = std::make_unique<FusedEltwiseStep>(p.chain, memory.tensors[src], src, binary_sources,
                                                  memory.tensors[dst], dst, p.axis);
        runner = step->bind(memory);
    }

    void expect_exact() {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < p.shape[0] * p.channels() * p.pixels(); ++i) {
            const Position at{i / p.pixels() / p.channels(), i / p.pixels() % p.channels(),
                              i % p.pixels()};
            std::vector<double> raw;
            for (std::size_t e = 0; e < binary_sources.size(); ++e) {
                raw.push_back(value(binary_sources[e], p.at(at, p.binary_sources[e].second)));
            }
            const double x = value(src, p.at(at, p.shape));
            const double want = post_ops::evaluate(p.chain, x, at.channel, raw);
            const double got = value(dst, p.at(at, p.shape));
            if (got != want && ++wrong < 4) {
                ADD_FAILURE() << "image " << at.image << " channel " << at.channel << " pixel "
                              << at.pixel << " is " << got << ", expected " << want;
            }
        }
        EXPECT_EQ(wrong, 0u);
    }
    double value(TensorId id, std::size_t i) const {
        const Tensor& tensor = memory.bytes[id];
        switch (tensor.get_element_type()) {
            case ElementType::u8: return tensor.data<std::uint8_t>()[i];
            case ElementType::i8: return tensor.data<std::int8_t>()[i];
            default: return tensor.data<float>()[i];
        }
    }

    const Problem& p;
    Memory memory;
    TensorId src = 0, dst = 0;
    std::vector<TensorId> binary_sources;
    std::unique_ptr<FusedEltwiseStep> step;
    std::unique_ptr<Runner> runner;
};

Chain by_channel(std::size_t channels, ElementType dst = ElementType::u8) {
    std::vector<float> scale(channels);
    std::vector<float> shift(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        scale[c] = c % 2 == 0 ? 0.5f : 2.0f;
        shift[c] = static_cast<float>(c % 17) - 8.0f;
    }
    return {{Scale{scale}, Shift{shift}}, dst};
}

void check(const Problem& problem) {
    for (const int threads : {1, 3}) {
        SCOPED_TRACE(detail::cat(to_string(problem.shape), " ", to_string(problem.layout), ", ",
                                 threads, " threads"));
        const ThreadCount use(threads);
        Made run(problem);
        run.runner->run();
        run.expect_exact();
    }
}

TEST(FusedEltwiseStep, ValuesBelongToTheChannelInEveryLayout) {
    for (const Layout layout : {Layout::kPlain, Layout::kChannelsLast}) {
        check({.shape = {2, 5, 3, 7}, .layout = layout, .chain = by_channel(5)});
        check({.shape = {1, 33, 1, 1}, .layout = layout, .chain = by_channel(33)});
        check({.shape = {3, 1, 4, 4}, .layout = layout, .chain = by_channel(1)});
        check({.shape = {2, 4, 2, 3, 5}, .layout = layout, .chain = by_channel(4)});
        check({.shape = {2, 3, 9}, .layout = layout, .chain = by_channel(3)});
    }
    check({.shape = {6, 19}, .chain = by_channel(19)});
}

// Fewer planes than threads: each is cut, and its last piece is shorter.
TEST(FusedEltwiseStep, LargePlanesAreCut) {
    check({.shape = {1, 2, 5, 8191}, .chain = by_channel(2)});
    check({.shape = {1, 1, 128, 128}, .chain = by_channel(1, ElementType::i8)});
    Problem gated{.shape = {2, 2, 3, 9000}, .chain = by_channel(2, ElementType::f32)};
    gated.chain.ops.emplace_back(Binary{BinaryKind::kAdd, 0, ElementType::u8, 0.5f, 3.0f});
    gated.chain.ops.emplace_back(
        Binary{BinaryKind::kMul, 1, ElementType::f32, 1.0f, 0.0f, true, false});
    gated.binary_sources = {{ElementType::u8, gated.shape}, {ElementType::f32, Shape{2, 2, 1, 1}}};
    check(gated);
}

// One element of the extra for each of the result, each channel of an image, each pixel.
TEST(FusedEltwiseStep, ExtrasOfEveryForm) {
    for (const Layout layout : {Layout::kPlain, Layout::kChannelsLast}) {
        for (const std::size_t images : {1u, 2u}) {
            Problem p{.shape = {2, 6, 5, 3}, .layout = layout, .chain = by_channel(6)};
            p.chain.ops.emplace_back(Binary{BinaryKind::kAdd, 0, ElementType::i8, 0.5f});
            p.chain.ops.emplace_back(
                Binary{BinaryKind::kAdd, 1, ElementType::f32, 2.0f, 1.0f, true, false});
            p.binary_sources = {{ElementType::i8, p.shape},
                                {ElementType::f32, Shape{images, 6, 1, 1}}};
            check(p);
        }
        Problem p{.shape = {2, 6, 5, 3}, .layout = layout, .chain = by_channel(6)};
        p.chain.ops.emplace_back(
            Binary{BinaryKind::kMax, 0, ElementType::u8, 0.25f, 100.0f, false, true});
        p.binary_sources = {{ElementType::u8, Shape{2, 1, 5, 3}}};
        check(p);
    }
}

TEST(FusedEltwiseStep, FormsOfExtrasAreThoseOfTheirOperations) {
    const Chain chain{{Binary{BinaryKind::kAdd, 2, ElementType::u8, 1, 0, true, false},
                       Binary{BinaryKind::kAdd, 0, ElementType::u8, 1, 0, false, true}},
                      ElementType::u8};
    EXPECT_THAT(source_forms(chain, 3),
                ::testing::ElementsAre(SourceForm::kPixel, SourceForm::kFull, SourceForm::kPlane));
    EXPECT_THROW(source_forms(chain, 2), std::out_of_range);
}

// Rows in parts, from the last one on, give what all at once gives; images have gates of their own.
TEST(FusedEltwiseStep, RowsMayBeRunInParts) {
    Problem p{.shape = {3, 7, 4, 5}, .layout = Layout::kChannelsLast, .chain = by_channel(7)};
    p.chain.ops.emplace_back(
        Binary{BinaryKind::kAdd, 0, ElementType::f32, 2.0f, 1.0f, true, false});
    p.binary_sources = {{ElementType::f32, Shape{3, 7, 1, 1}}};
    Made run(p);
    const auto tiling = run.step->row_tiling();
    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling->rows, 60u);
    EXPECT_THAT(tiling->whole, ::testing::ElementsAre(run.binary_sources[0]));
    run.runner->run_rows({.begin = 23, .end = 60});
    run.runner->run_rows({.begin = 0, .end = 23});
    run.expect_exact();
}

TEST(FusedEltwiseStep, PlanesHaveNoRowTiling) {
    const Problem p{.shape = {1, 2, 4, 5}, .chain = by_channel(2)};
    EXPECT_FALSE(Made(p).step->row_tiling());
}

TEST(FusedEltwiseStep, NothingIsRunOfATensorWithoutElements) {
    const Problem p{.shape = {0, 3, 4, 4}, .layout = Layout::kPlain, .chain = by_channel(3)};
    Made run(p);
    run.runner->run();
    EXPECT_EQ(run.memory.bytes[run.dst].get_size(), 0u);
}

TEST(FusedEltwiseStep, RefusesMoreExtrasThanItHasRoomFor) {
    Problem p{.shape = {1, 2, 2, 2}, .chain = by_channel(2)};
    for (std::size_t e = 0; e < 17; ++e) {
        p.chain.ops.emplace_back(Binary{BinaryKind::kAdd, e, ElementType::u8});
        p.binary_sources.emplace_back(ElementType::u8, p.shape);
    }
    EXPECT_THAT([&] { Made run(p); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("reads 17 binary sources")));
}

}  // namespace
}  // namespace fuseq::cpu
