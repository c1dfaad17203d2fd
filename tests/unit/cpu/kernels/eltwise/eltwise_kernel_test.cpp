// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::Binary;
using post_ops::BinaryKind;
using post_ops::Chain;
using post_ops::Clip;
using post_ops::Round;
using post_ops::Scale;
using post_ops::Shift;
using post_ops::Values;
using ::testing::HasSubstr;
constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::i32,
                                  ElementType::f32};

// Elements of a type, as bytes.
class Elements {
public:
    Elements(ElementType type, std::size_t count)
        : type_(type), bytes_(count * size_of(type), 0x5A) {}
    void set(std::size_t i, double value) {
        switch (type_) {
            case ElementType::u8: return put(i, static_cast<std::uint8_t>(value));
            case ElementType::i8: return put(i, static_cast<std::int8_t>(value));
            case ElementType::i32: return put(i, static_cast<std::int32_t>(value));
            default: return put(i, static_cast<float>(value));
        }
    }
    double get(std::size_t i) const {
        switch (type_) {
            case ElementType::u8: return take<std::uint8_t>(i);
            case ElementType::i8: return take<std::int8_t>(i);
            case ElementType::i32: return take<std::int32_t>(i);
            default: return take<float>(i);
        }
    }
    void* data() { return bytes_.data(); }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    template <class T>
    void put(std::size_t i, T value) {
        std::memcpy(bytes_.data() + i * sizeof(T), &value, sizeof(T));
    }
    template <class T>
    double take(std::size_t i) const {
        T value;
        std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
        return static_cast<double>(value);
    }
    ElementType type_;
    std::vector<std::uint8_t> bytes_;
};

double random_value(std::mt19937& rng, ElementType type) {
    const double real = std::uniform_real_distribution<double>(-200.0, 300.0)(rng);
    switch (type) {
        case ElementType::u8: return static_cast<double>(rng() % 256);
        case ElementType::i8: return static_cast<double>(rng() % 256) - 128.0;
        case ElementType::i32: return std::nearbyint(real);
        default: return static_cast<float>(real);
    }
}

struct Shape2 {
    std::size_t rows;
    std::size_t length;
    std::size_t src_stride;
    std::size_t dst_stride;
};

struct Case {
    Chain chain;
    ElementType src_type = ElementType::f32;
    EltwiseLayout layout = EltwiseLayout::kRows;
    std::size_t channels = 1;
    Shape2 shape{};
    std::vector<ElementType> source_types{};
    std::vector<Elements> tensors{};  // src, then binary_sources
    std::vector<bool> per_plane{};    // binary_sources of one element a plane,
    std::size_t image_stride = 0;     // so far from image to image
    std::size_t rows_per_image = 1;
    // Index of the element of a binary source that belongs to element i of a row.
    std::size_t source_at(std::size_t e, std::size_t row, std::size_t i) const {
        if (!per_plane[e]) {
            return row * shape.src_stride + i;
        }
        return layout == EltwiseLayout::kRows ? row / rows_per_image * image_stride + i
                                              : row / channels * image_stride + row % channels;
    }
};

// Some of the binary sources get one element a plane.
void choose_planes(Case& c, std::mt19937& rng) {
    c.per_plane.resize(c.source_types.size());
    for (std::size_t e = 0; e < c.per_plane.size(); ++e) {
        c.per_plane[e] = rng() % 3 == 0;
    }
    for (post_ops::BasicOp& op : c.chain.ops) {
        if (auto* binary = std::get_if<Binary>(&op)) {
            binary->per_plane = c.per_plane[binary->input];
        }
    }
    c.image_stride = rng() % 3 == 0 ? 0 : c.channels;
    c.rows_per_image = 1 + rng() % c.shape.rows;
}

Case random_case(std::mt19937& rng, bool activations) {
    static constexpr std::size_t kChannels[] = {1, 3, 5, 16, 37, 1030};
    Case c;
    c.channels = kChannels[rng() % 6];
    post_ops::testing::RandomOptions options{.channels = c.channels, .activations = activations};
    c.source_types = options.source_types;
    c.chain = post_ops::testing::random_chain(rng, options);
    if (rng() % 6 == 0) {
        c.chain.dst_type = ElementType::i32;
    }
    c.src_type = kTypes[rng() % 4];
    c.layout = rng() % 2 == 0 ? EltwiseLayout::kRows : EltwiseLayout::kPlanes;
    const bool rows = c.layout == EltwiseLayout::kRows;
    c.shape.rows = rows ? 1 + rng() % 9 : std::min<std::size_t>(c.channels * (1 + rng() % 2), 150);
    c.shape.length = rows ? c.channels : 1 + rng() % 60;
    choose_planes(c, rng);
    const bool dense = rng() % 2 == 0;
    c.shape.src_stride = c.shape.length + (dense ? 0 : rng() % 20);
    c.shape.dst_stride = c.shape.length + (dense ? 0 : rng() % 20);
    const auto fill = [&](ElementType type) {
        Elements out(type, c.shape.rows * c.shape.src_stride);
        for (std::size_t i = 0; i < c.shape.rows * c.shape.src_stride; ++i) {
            out.set(i, random_value(rng, type));
        }
        return out;
    };
    c.tensors.push_back(fill(c.src_type));
    for (const ElementType type : c.source_types) {
        c.tensors.push_back(fill(type));
    }
    return c;
}

// Runs in ranges of `step` rows.
Elements run(Case& c, std::size_t step) {
    const EltwiseKernel kernel(c.chain, c.src_type, c.channels, c.layout);
    Elements dst(c.chain.dst_type, c.shape.rows * c.shape.dst_stride);
    std::vector<EltwiseTensor> binary_sources;
    for (std::size_t e = 1; e < c.tensors.size(); ++e) {
        binary_sources.push_back(
            {c.tensors[e].data(), c.per_plane[e - 1] ? c.image_stride : c.shape.src_stride});
    }
    const EltwiseKernelArgs args{.src = {c.tensors[0].data(), c.shape.src_stride},
                                 .dst = dst.data(),
                                 .dst_stride = c.shape.dst_stride,
                                 .binary_sources = binary_sources,
                                 .inner = c.shape.length,
                                 .rows_per_image = c.rows_per_image,
                                 .stream = step == 2};
    for (std::size_t row = 0; row < c.shape.rows; row += step) {
        kernel.run(args, row, std::min(row + step, c.shape.rows));
    }
    return dst;
}

// A few hundred elements, everywhere in the tensor.
void expect_close(Case& c, const Elements& dst, std::size_t& compared) {
    const std::size_t skip = 1 + c.shape.rows * c.shape.length / 300;
    for (std::size_t row = 0; row < c.shape.rows; ++row) {
        for (std::size_t i = row % skip; i < c.shape.length; i += skip) {
            const std::size_t channel = c.layout == EltwiseLayout::kRows ? i : row % c.channels;
            const std::size_t at = row * c.shape.src_stride + i;
            const double x = c.tensors[0].get(at);
            std::vector<double> binary_sources;
            for (std::size_t e = 0; e < c.source_types.size(); ++e) {
                binary_sources.push_back(c.tensors[e + 1].get(c.source_at(e, row, i)));
            }
            if (post_ops::testing::near_a_jump(c.chain, x, channel, binary_sources, 8.0)) {
                continue;
            }
            ++compared;
            const double want = post_ops::evaluate(c.chain, x, channel, binary_sources);
            const double got = dst.get(row * c.shape.dst_stride + i);
            ASSERT_NEAR(got, want, 1e-3 + std::abs(want) * 1e-5)
                << "x " << x << " row " << row << " element " << i;
        }
    }
}

std::string describe(const Case& c) {
    return to_text(c.chain) + " of " + to_string(c.src_type) +
           (c.layout == EltwiseLayout::kRows ? " rows " : " planes ") +
           std::to_string(c.shape.rows) + " x " + std::to_string(c.shape.length);
}

TEST(EltwiseKernel, EqualsTheChainOnEveryTarget) {
    const unsigned seed = 1234;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::map<int, std::vector<std::uint8_t>> first_bytes;
    std::size_t compared = 0;
    test::on_every_target([&](const std::string&) {
        std::mt19937 rng(seed);
        for (int i = 0; i < 250; ++i) {
            Case c = random_case(rng, i % 2 == 0);
            SCOPED_TRACE(describe(c));
            const Elements dst = run(c, c.shape.rows);
            // The same bytes for any split, past the caches or not, and on any target.
            ASSERT_EQ(run(c, 1).bytes(), dst.bytes());
            ASSERT_EQ(run(c, 2).bytes(), dst.bytes());
            const auto [found, is_first] = first_bytes.emplace(i, dst.bytes());
            ASSERT_EQ(found->second, dst.bytes()) << "differs from the first target";
            if (is_first) {
                expect_close(c, dst, compared);
            }
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
    });
    EXPECT_GT(compared, 20000u);
}

// Long planes, which begin at cache lines and elsewhere: nothing but their elements is written.
TEST(EltwiseKernel, WritesLongPlanesPastTheCaches) {
    constexpr std::size_t kCount = 3000;
    const post_ops::Chain chain{{post_ops::Scale{{0.5f}}, post_ops::Shift{{1.0f}}},
                                ElementType::f32};
    std::vector<std::uint8_t> src(2 * kCount);
    for (std::size_t i = 0; i < src.size(); ++i) {
        src[i] = static_cast<std::uint8_t>(i * 7);
    }
    test::on_every_target([&](const std::string&) {
        const EltwiseKernel kernel(chain, ElementType::u8, 2, EltwiseLayout::kPlanes);
        for (const std::size_t gap : {std::size_t{8}, std::size_t{5}}) {
            AlignedVector<float> dst(2 * (kCount + gap), -7.0f);
            kernel.run({.src = {src.data(), kCount},
                        .dst = dst.data(),
                        .dst_stride = kCount + gap,
                        .inner = kCount,
                        .stream = true},
                       0, 2);
            EltwiseKernel::end_stream();
            for (std::size_t i = 0; i < dst.size(); ++i) {
                const std::size_t plane = i / (kCount + gap);
                const std::size_t at = i % (kCount + gap);
                const float want = at < kCount
                                       ? static_cast<float>(src[plane * kCount + at]) * 0.5f + 1.0f
                                       : -7.0f;
                ASSERT_EQ(dst[i], want) << "plane " << plane << " element " << at;
            }
        }
    });
}

// Bytes between rows belong to others.
TEST(EltwiseKernel, WritesOnlyItsSlice) {
    test::on_every_target([](const std::string&) {
        const EltwiseKernel kernel({{Scale{2.0f}}, ElementType::u8}, ElementType::u8, 3,
                                   EltwiseLayout::kRows);
        std::vector<std::uint8_t> src{1, 2, 3, 99, 4, 5, 6, 99};
        std::vector<std::uint8_t> dst(15, 7);
        kernel.run({.src = {src.data(), 4}, .dst = dst.data() + 1, .dst_stride = 5}, 0, 2);
        EXPECT_EQ(dst, (std::vector<std::uint8_t>{7, 2, 4, 6, 7, 7, 8, 10, 12, 7, 7, 7, 7, 7, 7}));
    });
}

TEST(EltwiseKernel, WorksInPlace) {
    std::vector<float> data(3000);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<float>(i);
    }
    const EltwiseKernel kernel({{Shift{1.0f}}, ElementType::f32}, ElementType::f32, 1500,
                               EltwiseLayout::kRows);
    kernel.run({.src = {data.data(), 1500}, .dst = data.data(), .dst_stride = 1500}, 0, 2);
    EXPECT_EQ(data.front(), 1.0f);
    EXPECT_EQ(data.back(), 3000.0f);
}

TEST(EltwiseKernel, ABinarySourceMayBeTheSameForAllRows) {
    const EltwiseKernel kernel(
        {{Binary{BinaryKind::kMul, 0, ElementType::u8, 0.5f}}, ElementType::f32}, ElementType::f32,
        2, EltwiseLayout::kRows);
    const std::vector<float> src{1.0f, 2.0f, 3.0f, 4.0f};
    const std::vector<std::uint8_t> gate{2, 4};
    const EltwiseTensor extra{gate.data(), 0};
    std::vector<float> dst(4);
    kernel.run(
        {.src = {src.data(), 2}, .dst = dst.data(), .dst_stride = 2, .binary_sources = {&extra, 1}},
        0, 2);
    EXPECT_EQ(dst, (std::vector<float>{1.0f, 4.0f, 3.0f, 8.0f}));
}

// Two images of two positions and two channels, each with a gate of its own.
TEST(EltwiseKernel, ABinarySourceMayHaveOneElementAPlane) {
    const std::vector<float> src{1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<std::uint8_t> gates{2, 4, 6, 8};
    const EltwiseTensor extra{gates.data(), 2};
    std::vector<float> dst(8);
    const Chain chain{{Binary{BinaryKind::kMul, 0, ElementType::u8, 0.5f, 0.0f, true}},
                      ElementType::f32};
    const EltwiseKernel rows(chain, ElementType::f32, 2, EltwiseLayout::kRows);
    rows.run({.src = {src.data(), 2},
              .dst = dst.data(),
              .dst_stride = 2,
              .binary_sources = {&extra, 1},
              .rows_per_image = 2},
             0, 4);
    EXPECT_EQ(dst, (std::vector<float>{1, 4, 3, 8, 15, 24, 21, 32}));
    const EltwiseKernel planes(chain, ElementType::f32, 2, EltwiseLayout::kPlanes);
    planes.run({.src = {src.data(), 2},
                .dst = dst.data(),
                .dst_stride = 2,
                .binary_sources = {&extra, 1},
                .inner = 2},
               0, 4);
    EXPECT_EQ(dst, (std::vector<float>{1, 2, 6, 8, 15, 18, 28, 32}));
}

// A gate a channel and a residual input, quantized in between, with and without scales and zero
// points: in blocks of eight and of four vectors and in what is left, as float by float.
TEST(EltwiseKernel, GatesAndResidualInputsAreExact) {
    constexpr std::size_t kChannels = 32, kRows = 67, kImages = 2;
    std::mt19937 rng(5);
    std::vector<std::uint8_t> src(kImages * kRows * kChannels), residual(src.size());
    std::vector<std::uint8_t> gates(kImages * kChannels);
    for (std::vector<std::uint8_t>* bytes : {&src, &residual, &gates}) {
        std::generate(bytes->begin(), bytes->end(), [&] { return rng() % 256; });
    }
    for (const float scale : {1.0f, 0.0026f}) {
        for (const float zero_point : {0.0f, 3.0f}) {
            const Binary gate{BinaryKind::kMul, 0, ElementType::u8, scale, zero_point, true};
            const Binary other{BinaryKind::kAdd, 1, ElementType::u8, 300 * scale, zero_point};
            const Chain chain{
                {Scale{7.18f * scale}, gate, Round{}, Clip{0.0f, 255.0f}, Scale{0.595f}, other},
                ElementType::u8};
            const auto value = [&](std::size_t i) {
                const std::size_t image = i / (kRows * kChannels);
                const auto g = static_cast<float>(gates[image * kChannels + i % kChannels]);
                float v = static_cast<float>(src[i]) * (7.18f * scale);
                v = v * ((g - zero_point) * scale);
                v = std::min(std::max(std::nearbyint(v), 0.0f), 255.0f) * 0.595f;
                v = v + (static_cast<float>(residual[i]) - zero_point) * (300 * scale);
                return static_cast<int>(std::min(std::max(std::nearbyint(v), 0.0f), 255.0f));
            };
            test::on_every_target([&](const std::string&) {
                const EltwiseKernel kernel(chain, ElementType::u8, kChannels, EltwiseLayout::kRows);
                const EltwiseTensor binary_sources[] = {{gates.data(), kChannels},
                                                        {residual.data(), kChannels}};
                std::vector<std::uint8_t> dst(src.size());
                kernel.run({.src = {src.data(), kChannels},
                            .dst = dst.data(),
                            .dst_stride = kChannels,
                            .binary_sources = binary_sources,
                            .rows_per_image = kRows},
                           0, kImages * kRows);
                for (std::size_t i = 0; i < dst.size(); ++i) {
                    ASSERT_EQ(dst[i], value(i)) << "element " << i << ", scale " << scale;
                }
            });
        }
    }
}

TEST(EltwiseKernel, RoundsHalfToEvenAndSaturates) {
    test::on_every_target([](const std::string&) {
        const std::vector<float> src{0.5f, 1.5f, 2.5f, -0.5f, 254.5f, 255.5f, 1e30f, -1e30f, 3e9f};
        const auto stored = [&](ElementType type) {
            const EltwiseKernel kernel({{}, type}, ElementType::f32, 1, EltwiseLayout::kRows);
            Elements dst(type, src.size());
            kernel.run({.src = {src.data(), 1}, .dst = dst.data(), .dst_stride = 1}, 0, src.size());
            std::vector<double> out;
            for (std::size_t i = 0; i < src.size(); ++i) {
                out.push_back(dst.get(i));
            }
            return out;
        };
        EXPECT_EQ(stored(ElementType::u8),
                  (std::vector<double>{0, 2, 2, 0, 254, 255, 255, 0, 255}));
        EXPECT_EQ(stored(ElementType::i8),
                  (std::vector<double>{0, 2, 2, 0, 127, 127, 127, -128, 127}));
        EXPECT_EQ(stored(ElementType::i32), (std::vector<double>{0, 2, 2, 0, 254, 256, 2147483647.0,
                                                                 -2147483648.0, 2147483647.0}));
    });
}

TEST(EltwiseKernel, Refuses) {
    const auto message = [](const Chain& chain, ElementType src, std::size_t channels) {
        try {
            const EltwiseKernel kernel(chain, src, channels, EltwiseLayout::kRows);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_THAT(message({{}, ElementType::u16}, ElementType::f32, 1), HasSubstr("dst is u16"));
    EXPECT_THAT(message({{}, ElementType::u8}, ElementType::f16, 1), HasSubstr("src is f16"));
    EXPECT_THAT(message({{Binary{BinaryKind::kAdd, 0, ElementType::i64}}, ElementType::u8},
                        ElementType::f32, 1),
                HasSubstr("a binary source is i64"));
    EXPECT_THAT(message({{Scale{Values({1.0f, 2.0f})}}, ElementType::u8}, ElementType::f32, 3),
                HasSubstr("values for 2 channels, the tensor has 3"));
    EXPECT_THAT(message({{}, ElementType::u8}, ElementType::f32, 0), HasSubstr("0 channels"));
    const EltwiseKernel kernel({{Binary{}}, ElementType::f32}, ElementType::f32, 1,
                               EltwiseLayout::kRows);
    float value = 1.0f;
    EXPECT_THROW(kernel.run({.src = {&value, 1}, .dst = &value, .dst_stride = 1}, 0, 1), Error);
}

}  // namespace
}  // namespace fuseq::kernels
