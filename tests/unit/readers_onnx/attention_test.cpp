// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention, MultiHeadAttention, GroupQueryAttention and RotaryEmbedding against their definitions,
// computed in double one query after the other. All of them were compared with ONNX Runtime 1.30.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::TensorProto;
using testing::AllOf;
using testing::HasSubstr;

// [heads, positions, size] of one row of the batch.
struct Head {
    std::size_t heads;
    std::size_t positions;
    std::size_t size;
    std::vector<double> values;

    double at(std::size_t head, std::size_t position, std::size_t i) const {
        return values[(head * positions + position) * size + i];
    }
    double& at(std::size_t head, std::size_t position, std::size_t i) {
        return values[(head * positions + position) * size + i];
    }
};

// From [positions, heads * size].
Head head_of(const std::vector<float>& x, std::size_t heads, std::size_t size) {
    const std::size_t positions = x.size() / heads / size;
    Head result{heads, positions, size, std::vector<double>(x.size())};
    for (std::size_t p = 0; p < positions; ++p) {
        for (std::size_t h = 0; h < heads; ++h) {
            for (std::size_t i = 0; i < size; ++i) {
                result.at(h, p, i) = static_cast<double>(x[(p * heads + h) * size + i]);
            }
        }
    }
    return result;
}

// `add(q, k)` joins the score of query position q and key position k; minus infinity hides it.
std::vector<double> attend(const Head& q,
                           const Head& k,
                           const Head& v,
                           double scale,
                           const std::function<double(std::size_t, std::size_t)>& add) {
    std::vector<double> y;
    for (std::size_t p = 0; p < q.positions; ++p) {
        for (std::size_t h = 0; h < q.heads; ++h) {
            const std::size_t kept = h / (q.heads / k.heads);
            std::vector<double> weights(k.positions);
            double total = 0;
            for (std::size_t t = 0; t < k.positions; ++t) {
                double score = 0;
                for (std::size_t i = 0; i < q.size; ++i) {
                    score += q.at(h, p, i) * k.at(kept, t, i);
                }
                weights[t] = std::exp(score * scale + add(p, t));
                total += weights[t];
            }
            for (std::size_t i = 0; i < v.size; ++i) {
                double sum = 0;
                for (std::size_t t = 0; t < k.positions; ++t) {
                    sum += weights[t] / total * v.at(kept, t, i);
                }
                y.push_back(sum);
            }
        }
    }
    return y;
}

void expect_close(const Tensor& actual, const std::vector<double>& expected) {
    ASSERT_EQ(actual.get_size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(actual.data<float>()[i], expected[i], 1e-5) << i;
    }
}

double hidden_after(std::size_t q, std::size_t k) {
    return k > q ? -INFINITY : 0;
}

Tensor tensor(const Shape& shape, const std::vector<float>& values) {
    return Tensor::of<float>(shape, values);
}

// Two heads of key and value for four of the query, a scale of its own and a mask.
TEST(OnnxAttention, SharesKeysBetweenHeads) {
    std::mt19937 random(3);
    const auto q = random_floats(random, 5 * 4 * 8);
    const auto k = random_floats(random, 6 * 2 * 8);
    const auto v = random_floats(random, 6 * 2 * 8);
    const auto mask = random_floats(random, 5 * 6);
    for (const bool causal : {false, true}) {
        OnnxModel m(23);
        m.input("q", {1, 5, 32});
        m.input("k", {1, 6, 16});
        m.input("v", {1, 6, 16});
        m.input("m", {5, 6});
        auto* node = m.node("Attention", {"q", "k", "v", "m"}, {"y"});
        integer(node, "q_num_heads", 4);
        integer(node, "kv_num_heads", 2);
        integer(node, "is_causal", causal ? 1 : 0);
        real(node, "scale", 0.3F);
        m.output("y");
        const auto expected = attend(head_of(q, 4, 8), head_of(k, 2, 8), head_of(v, 2, 8),
                                     double{0.3F}, [&](std::size_t i, std::size_t j) {
                                         return static_cast<double>(mask[i * 6 + j]) +
                                                (causal ? hidden_after(i, j) : 0);
                                     });
        for (const char* device : {"REFERENCE", "CPU"}) {
            SCOPED_TRACE(device);
            expect_close(infer(m, device,
                               {tensor({1, 5, 32}, q), tensor({1, 6, 16}, k), tensor({1, 6, 16}, v),
                                tensor({5, 6}, mask)})[0],
                         expected);
        }
    }
}

// One head. Queries stand after the past; its keys come first in what is present.
TEST(OnnxAttention, AppendsToThePast) {
    std::mt19937 random(5);
    const auto q = random_floats(random, 2 * 4);
    const auto past = random_floats(random, 3 * 4);
    const auto added = random_floats(random, 2 * 4);
    OnnxModel m(23);
    for (const char* name : {"q", "k", "v"}) {
        m.input(name, {1, 1, 2, 4});
    }
    m.input("pk", {1, 1, 3, 4});
    m.input("pv", {1, 1, 3, 4});
    integer(m.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "key", "value"}),
            "is_causal", 1);
    m.output("y");
    m.output("key");
    std::vector<float> all = past;
    all.insert(all.end(), added.begin(), added.end());
    const auto expected =
        attend(head_of(q, 1, 4), head_of(all, 1, 4), head_of(all, 1, 4), 0.5,
               [](std::size_t i, std::size_t j) { return hidden_after(i + 3, j); });
    const Shape two{1, 1, 2, 4};
    const Shape three{1, 1, 3, 4};
    for (const char* device : {"REFERENCE", "CPU"}) {
        SCOPED_TRACE(device);
        const auto y = infer(m, device,
                             {tensor(two, q), tensor(two, added), tensor(two, added),
                              tensor(three, past), tensor(three, past)});
        expect_close(y[0], expected);
        EXPECT_EQ(to_floats(y[1]), all);
    }
}

TEST(MicrosoftAttention, AddsBiasAndHidesPadding) {
    std::mt19937 random(7);
    const auto q = random_floats(random, 3 * 8);
    const auto k = random_floats(random, 4 * 8);
    const auto bias = random_floats(random, 3 * 8);
    const std::vector<std::int32_t> seen{1, 1, 1, 0};
    OnnxModel m(17);
    m.input("q", {1, 3, 8});
    m.input("k", {1, 4, 8});
    m.input("v", {1, 4, 8});
    m.floats("b", {24}, bias);
    m.input("m", {1, 4}, TensorProto::INT32);
    integer(m.microsoft("MultiHeadAttention", {"q", "k", "v", "b", "m"}, {"y"}), "num_heads", 2);
    m.output("y");
    const auto biased = [&](std::vector<float> x, std::size_t part) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += bias[part * 8 + i % 8];
        }
        return head_of(x, 2, 4);
    };
    const auto expected = attend(biased(q, 0), biased(k, 1), biased(k, 2), 0.5,
                                 [](std::size_t, std::size_t j) { return j == 3 ? -10000.0 : 0; });
    for (const char* device : {"REFERENCE", "CPU"}) {
        SCOPED_TRACE(device);
        expect_close(infer(m, device,
                           {tensor({1, 3, 8}, q), tensor({1, 4, 8}, k), tensor({1, 4, 8}, k),
                            Tensor::of<std::int32_t>(Shape{1, 4}, seen)})[0],
                     expected);
    }
}

// x1 cos - x2 sin, x1 sin + x2 cos; pairs are neighbours, or one of each half.
void turn(Head& x,
          const std::vector<float>& c,
          const std::vector<float>& s,
          std::size_t first,
          bool interleaved) {
    const std::size_t pairs = x.size / 2;
    for (std::size_t h = 0; h < x.heads; ++h) {
        for (std::size_t p = 0; p < x.positions; ++p) {
            for (std::size_t i = 0; i < pairs; ++i) {
                double& a = x.at(h, p, interleaved ? 2 * i : i);
                double& b = x.at(h, p, interleaved ? 2 * i + 1 : i + pairs);
                const auto cosine = static_cast<double>(c[(p + first) * pairs + i]);
                const auto sine = static_cast<double>(s[(p + first) * pairs + i]);
                const double turned = a * cosine - b * sine;
                b = a * sine + b * cosine;
                a = turned;
            }
        }
    }
}

TEST(RotaryEmbedding, TurnsPairs) {
    std::mt19937 random(11);
    const auto x = random_floats(random, 3 * 2 * 8);
    const auto c = random_floats(random, 9 * 4);
    const auto s = random_floats(random, 9 * 4);
    for (const bool interleaved : {false, true}) {
        OnnxModel m(23);
        m.input("x", {1, 2, 3, 8});
        m.input("i", {1, 3}, TensorProto::INT64);
        m.floats("c", {9, 4}, c);
        m.floats("s", {9, 4}, s);
        integer(m.node("RotaryEmbedding", {"x", "c", "s", "i"}, {"y"}), "interleaved",
                interleaved ? 1 : 0);
        m.output("y");
        Head expected{2, 3, 8, std::vector<double>(x.begin(), x.end())};
        turn(expected, c, s, 4, interleaved);
        for (const char* device : {"REFERENCE", "CPU"}) {
            SCOPED_TRACE(device);
            expect_close(infer(m, device,
                               {tensor({1, 2, 3, 8}, x),
                                Tensor::of<std::int64_t>(Shape{1, 3}, {4, 5, 6})})[0],
                         expected.values);
        }
    }
}

OnnxModel cached_model(const std::vector<float>& c, const std::vector<float>& s) {
    OnnxModel m(17);
    m.input("q", {1, 2, 16});
    m.input("k", {1, 2, 8});
    m.input("v", {1, 2, 8});
    m.input("pk", {1, 2, 6, 4});
    m.input("pv", {1, 2, 6, 4});
    m.input("last", {1}, TensorProto::INT32);
    m.input("total", {}, TensorProto::INT32);
    m.floats("c", {16, 2}, c);
    m.floats("s", {16, 2}, s);
    auto* node =
        m.microsoft("GroupQueryAttention", {"q", "k", "v", "pk", "pv", "last", "total", "c", "s"},
                    {"y", "key", "value"});
    integer(node, "num_heads", 4);
    integer(node, "kv_num_heads", 2);
    integer(node, "do_rotary", 1);
    m.output("y");
    m.output("key");
    return m;
}

// A cache of 6 positions, of which 6 or 4 are used, as where past and present are one buffer.
TEST(GroupQueryAttention, TurnsAppendsAndAttends) {
    std::mt19937 random(13);
    const auto q = random_floats(random, 2 * 4 * 4);
    const auto k = random_floats(random, 2 * 2 * 4);
    const auto past = random_floats(random, 6 * 2 * 4);
    const auto c = random_floats(random, 16 * 2);
    const auto s = random_floats(random, 16 * 2);
    for (const std::size_t used : {6U, 4U}) {
        const OnnxModel m = cached_model(c, s);
        Head query = head_of(q, 4, 4);
        Head added = head_of(k, 2, 4);
        const Head value = added;
        turn(query, c, s, used, false);
        turn(added, c, s, used, false);
        Head keys{2, used + 2, 4, std::vector<double>(2 * (used + 2) * 4)};
        Head values = keys;
        for (std::size_t h = 0; h < 2; ++h) {
            for (std::size_t p = 0; p < used + 2; ++p) {
                for (std::size_t i = 0; i < 4; ++i) {
                    const bool old = p < used;
                    const auto before = static_cast<double>(past[(h * 6 + (old ? p : 0)) * 4 + i]);
                    keys.at(h, p, i) = old ? before : added.at(h, p - used, i);
                    values.at(h, p, i) = old ? before : value.at(h, p - used, i);
                }
            }
        }
        const auto expected = attend(query, keys, values, 0.5, [&](std::size_t i, std::size_t j) {
            return hidden_after(i + used, j);
        });
        const auto last = static_cast<std::int32_t>(used + 1);
        for (const char* device : {"REFERENCE", "CPU"}) {
            SCOPED_TRACE(device);
            const auto y = infer(m, device,
                                 {tensor({1, 2, 16}, q), tensor({1, 2, 8}, k), tensor({1, 2, 8}, k),
                                  tensor({1, 2, 6, 4}, past), tensor({1, 2, 6, 4}, past),
                                  Tensor::of<std::int32_t>(Shape{1}, {last}),
                                  Tensor::of<std::int32_t>(Shape{}, {last + 1})});
            expect_close(y[0], expected);
            const std::size_t length = used == 6 ? 8 : 6;
            ASSERT_EQ(y[1].get_shape(), (Shape{1, 2, length, 4}));
            for (std::size_t i = 0; i < (used + 2) * 4; ++i) {
                EXPECT_NEAR(y[1].data<float>()[i], keys.values[i], 1e-5) << i;
            }
        }
    }
}

TEST(OnnxAttentionErrors, NameWhatIsNotSupported) {
    OnnxModel m(23);
    for (const char* name : {"q", "k", "v"}) {
        m.input(name, {1, 3, 2, 4});
    }
    auto* node = m.node("Attention", {"q", "k", "v"}, {"y"}, "att");
    m.output("y");
    real(node, "softcap", 2.0F);
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("att"), HasSubstr("softcap is not supported")));
    node->clear_attribute();
    m.graph()
        .mutable_input(1)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(1)
        ->set_dim_value(2);
    EXPECT_THAT(error_text([&] { m.read(); }),
                HasSubstr("the query has 3 heads, key and value have 2"));
}

}  // namespace
}  // namespace fuseq::test
