// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What recurrent layers become: which of them get the plugin's kernel, how their matrices and
// lengths are read. Numbers are those of plain loops in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kBatch = 2, kSteps = 4, kInput = 3, kHidden = 5;

std::string values(const std::vector<float>& list) {
    std::string text = "{";
    for (const float v : list) {
        text += (text.size() > 1 ? "," : "") + std::to_string(v);
    }
    return text + "}";
}

std::vector<float> random_list(std::size_t count, std::mt19937& rng) {
    std::vector<float> list(count);
    for (float& v : list) {
        v = static_cast<float>(rng() % 401) / 256.0f - 0.78125f;  // as text: every digit
    }
    return list;
}

struct Weights {
    explicit Weights(std::size_t gates, std::size_t biases, unsigned seed) {
        std::mt19937 rng(seed);
        w = random_list(gates * kHidden * kInput, rng);
        r = random_list(gates * kHidden * kHidden, rng);
        b = random_list(biases * kHidden, rng);
    }
    std::vector<float> w, r, b;
};

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double dot(const float* row, const std::vector<double>& v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        sum += row[i] * v[i];
    }
    return sum;
}

// Of gate g and unit u: W x + R h + b.
double gate(const Weights& weights,
            std::size_t g,
            std::size_t u,
            const std::vector<double>& x,
            const std::vector<double>& h) {
    const std::size_t row = g * kHidden + u;
    return dot(&weights.w[row * kInput], x) + dot(&weights.r[row * kHidden], h) + weights.b[row];
}

using State = std::vector<double>;
using CellFunction = std::function<void(const State& x, State& h, State& c)>;

// Gates in the order f, i, c, o, as in OpenVINO's documentation of LSTMCell.
CellFunction lstm(const Weights& weights) {
    return [&weights](const State& x, State& h, State& c) {
        State next = h;
        for (std::size_t u = 0; u < kHidden; ++u) {
            const double f = sigmoid(gate(weights, 0, u, x, h));
            const double i = sigmoid(gate(weights, 1, u, x, h));
            const double t = std::tanh(gate(weights, 2, u, x, h));
            const double o = sigmoid(gate(weights, 3, u, x, h));
            c[u] = f * c[u] + i * t;
            next[u] = o * std::tanh(c[u]);
        }
        h = next;
    };
}

// Gates in the order z, r, h. With linear_before_reset the product with h and its own bias, the
// fourth, are multiplied by the reset gate.
CellFunction gru(const Weights& weights, bool linear) {
    return [&weights, linear](const State& x, State& h, State&) {
        State reset(kHidden);
        State after(kHidden);
        for (std::size_t u = 0; u < kHidden; ++u) {
            reset[u] = sigmoid(gate(weights, 1, u, x, h));
            after[u] = reset[u] * h[u];
        }
        State next = h;
        for (std::size_t u = 0; u < kHidden; ++u) {
            const double z = sigmoid(gate(weights, 0, u, x, h));
            const std::size_t row = 2 * kHidden + u;
            const float* r = &weights.r[row * kHidden];
            const double state =
                linear ? reset[u] * (dot(r, h) + weights.b[3 * kHidden + u]) : dot(r, after);
            const double t = std::tanh(dot(&weights.w[row * kInput], x) + state + weights.b[row]);
            next[u] = (1 - z) * t + z * h[u];
        }
        h = next;
    };
}

std::vector<Tensor> inputs_of(bool cell_state, const std::vector<std::int32_t>& lengths) {
    std::mt19937 rng(17);
    std::vector<Tensor> inputs{random_tensor(ElementType::f32, {kBatch, kSteps, kInput}, rng),
                               random_tensor(ElementType::f32, {kBatch, 1, kHidden}, rng)};
    if (cell_state) {
        inputs.push_back(random_tensor(ElementType::f32, {kBatch, 1, kHidden}, rng));
    }
    inputs.push_back(Tensor::of<std::int32_t>({kBatch}, lengths));
    return inputs;
}

std::string sequence(const std::string& type,
                     const Weights& weights,
                     const std::string& direction,
                     const std::string& rest = "") {
    const bool lstm = type == "LSTM";
    const auto size = [](std::size_t n) { return std::to_string(n); };
    const std::string rows = size(weights.w.size() / kInput);
    const std::string state = "f32[2,1,5]\n";
    return "model \"m\"\n%x = Parameter : f32[2,4,3]\n%h = Parameter : " + state +
           (lstm ? "%c = Parameter : " + state : "") +
           "%l = Parameter : i32[2]\n%w = Const value=" + values(weights.w) + " : f32[1," + rows +
           ",3]\n%r = Const value=" + values(weights.r) + " : f32[1," + rows +
           ",5]\n%b = Const value=" + values(weights.b) + " : f32[1," + size(weights.b.size()) +
           "]\n%y = " + type + "Sequence(%x, %h" + (lstm ? ", %c" : "") +
           ", %l, %w, %r, %b) hidden_size=5 direction=" + direction + " " + rest +
           "\n%o0 = Result(%y:0)\n%o1 = Result(%y:1)\n" + (lstm ? "%o2 = Result(%y:2)\n" : "");
}

// All states, the last h and the last c of rows of those lengths.
void check(const std::string& text,
           const CellFunction& cell,
           const std::vector<std::int32_t>& lengths,
           bool cell_state,
           bool reverse) {
    SCOPED_TRACE(text);
    const std::vector<Tensor> inputs = inputs_of(cell_state, lengths);
    const DeviceRun got =
        run_on("CPU", std::shared_ptr<const Model>(Model::from_text(text)), inputs);
    EXPECT_EQ(got.step_of("y"), "recurrent fuseq:recurrent");
    for (std::size_t n = 0; n < kBatch; ++n) {
        const float* h0 = inputs[1].data<float>() + n * kHidden;
        State h(h0, h0 + kHidden);
        State c(kHidden);
        if (cell_state) {
            const float* c0 = inputs[2].data<float>() + n * kHidden;
            c.assign(c0, c0 + kHidden);
        }
        std::vector<State> all(kSteps, State(kHidden, 0.0));
        const auto length = static_cast<std::size_t>(lengths[n]);
        for (std::size_t s = 0; s < length; ++s) {
            const std::size_t at = reverse ? length - 1 - s : s;
            const float* x = inputs[0].data<float>() + (n * kSteps + at) * kInput;
            cell(State(x, x + kInput), h, c);
            all[at] = h;
        }
        for (std::size_t u = 0; u < kHidden; ++u) {
            for (std::size_t s = 0; s < kSteps; ++s) {
                EXPECT_NEAR(got.outputs[0].data<float>()[(n * kSteps + s) * kHidden + u], all[s][u],
                            2e-5)
                    << "row " << n << ", step " << s << ", unit " << u;
            }
            EXPECT_NEAR(got.outputs[1].data<float>()[n * kHidden + u], h[u], 2e-5);
            if (cell_state) {
                EXPECT_NEAR(got.outputs[2].data<float>()[n * kHidden + u], c[u], 2e-5);
            }
        }
    }
}

TEST(MakeRecurrent, SequencesAreTheCellOverAndOver) {
    for (const bool reverse : {false, true}) {
        const char* const direction = reverse ? "reverse" : "forward";
        const Weights of_lstm(4, 4, 1);
        check(sequence("LSTM", of_lstm, direction), lstm(of_lstm), {4, 2}, true, reverse);
        const Weights of_gru(3, 3, 2);
        check(sequence("GRU", of_gru, direction), gru(of_gru, false), {1, 4}, false, reverse);
        const Weights linear(3, 4, 3);
        check(sequence("GRU", linear, direction, "linear_before_reset=1"), gru(linear, true),
              {3, 0}, false, reverse);
    }
}

TEST(MakeRecurrent, RefusesLengthsThatAreNone) {
    const Weights weights(4, 4, 1);
    const std::shared_ptr<const Model> model(
        Model::from_text(sequence("LSTM", weights, "forward")));
    for (const std::int32_t wrong : {-1, 5, 2147483647}) {
        EXPECT_THAT(
            [&] {
                run_on("CPU", model, inputs_of(true, {2, wrong}));
            },
            ::testing::ThrowsMessage<Error>(
                HasSubstr("'y' (LSTMSequence): sequence_lengths has the value " +
                          std::to_string(wrong) + ", expected one in [0, 4]")));
    }
}

// Each input that the kernel has no form for is one of the reference kernel's.
TEST(MakeRecurrent, LeavesWhatItDoesNotTake) {
    const auto step_of = [](std::string text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return check_on_devices(text, 3, 3e-5).step_of("y");
    };
    const std::string cell = R"(model "m"
%x = Parameter : f32[2,3]
%h = Parameter : f32[2,5]
%w = Const value=random(1) : f32[15,3]
%r = Const value=random(2) : f32[15,5]
%b = Const value=random(3) : f32[15]
%y = GRUCell(%x, %h, %w, %r, %b) hidden_size=5
%o = Result(%y)
)";
    EXPECT_EQ(step_of(cell, "hidden", "hidden"), "recurrent fuseq:recurrent");
    for (const char* computed : {"%w = Const value=random(1)", "%r = Const value=random(2)",
                                 "%b = Const value=random(3)"}) {
        EXPECT_EQ(step_of(cell, computed, std::string(computed, 2) + " = Parameter"),
                  "GRUCell reference");
    }
}

// Packed matrices are memory of the plan, and what explain says.
TEST(MakeRecurrent, SaysWhatItIs) {
    const Weights weights(3, 3, 2);
    const DeviceRun run = run_on(
        "CPU", std::shared_ptr<const Model>(Model::from_text(sequence("GRU", weights, "forward"))),
        inputs_of(false, {4, 4}));
    for (const auto& step : run.report["steps"]) {
        if (step["kind"] == "recurrent") {
            EXPECT_EQ(step["src_type"], "f32");
            EXPECT_EQ(step["wei_type"], "f32");
            EXPECT_GT(step["bytes"].get<std::size_t>(), 4 * (weights.w.size() + weights.r.size()));
            return;
        }
    }
    FAIL() << "there is no such step";
}

}  // namespace
}  // namespace fuseq::test
