// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/recurrent/recurrent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;
using Floats = AlignedVector<float>;

std::vector<std::size_t> counted(std::size_t count) {
    std::vector<std::size_t> list(count);
    std::iota(list.begin(), list.end(), std::size_t{0});
    return list;
}

Floats packed(const RecurrentParams& p,
              const std::vector<float>& matrix,
              const std::vector<std::size_t>& order,
              std::size_t depth) {
    Floats result(packed_gates_size(p, order.size(), depth), -5.0f);
    pack_gates(p, matrix.data(), order.data(), order.size(), depth, result.data());
    return result;
}

// Gate g of unit u for row r, as gate_products() writes it: [block][row][gate][kUnits].
std::size_t place(
    const RecurrentParams& p, std::size_t rows, std::size_t r, std::size_t g, std::size_t u) {
    return ((u / kUnits * rows + r) * p.gates() + g) * kUnits + u % kUnits;
}

TEST(Recurrent, ProductsOfInputsMatchPlainLoops) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            RecurrentParams p;
            constexpr RecurrentCell kCells[] = {RecurrentCell::kLstm, RecurrentCell::kGru,
                                                RecurrentCell::kRnn};
            p.cell = kCells[rng() % 3];
            p.hidden = 1 + rng() % 40;
            const std::size_t depth = 1 + rng() % 250;
            const std::size_t rows = 1 + rng() % 11;
            const std::size_t gates = p.gates();
            const auto matrix = test::random_floats(rng, gates * p.hidden * depth, -1, 1);
            const auto x = test::random_floats(rng, rows * depth, -2, 2);
            const Floats weights = packed(p, matrix, counted(gates), depth);
            const Floats bias(gates * kUnits, 0.5f);
            Floats to(p.blocks() * rows * gates * kUnits, -77.0f);
            for (std::size_t block = 0; block < p.blocks(); ++block) {
                const GateProducts products{
                    gates, depth, weights.data() + block * depth * gates * kUnits, bias.data()};
                gate_products(products, x.data(), rows, &to[block * rows * gates * kUnits]);
            }
            for (std::size_t r = 0; r < rows; ++r) {
                for (std::size_t g = 0; g < gates; ++g) {
                    for (std::size_t u = 0; u < p.hidden; ++u) {
                        double want = 0.5;
                        for (std::size_t k = 0; k < depth; ++k) {
                            want += static_cast<double>(matrix[(g * p.hidden + u) * depth + k]) *
                                    x[r * depth + k];
                        }
                        ASSERT_NEAR(to[place(p, rows, r, g, u)], want, 1e-4);
                    }
                }
            }
        }
    });
}

struct Activation {
    GateFunction function;
    double (*wanted)(double x, double alpha, double beta);
};
const Activation kActivations[] = {
    {GateFunction::kSigmoid, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {GateFunction::kTanh, [](double x, double, double) { return std::tanh(x); }},
    {GateFunction::kRelu, [](double x, double, double) { return std::max(x, 0.0); }},
    {GateFunction::kHardSigmoid,
     [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }},
    {GateFunction::kSoftsign, [](double x, double, double) { return x / (1 + std::abs(x)); }},
    {GateFunction::kSoftplus, [](double x, double, double) { return std::log1p(std::exp(x)); }},
    {GateFunction::kElu,
     [](double x, double a, double) { return x < 0 ? a * (std::exp(x) - 1) : x; }},
    {GateFunction::kLeakyRelu, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {GateFunction::kThresholdedRelu, [](double x, double a, double) { return x > a ? x : 0; }},
    {GateFunction::kScaledTanh, [](double x, double a, double b) { return a * std::tanh(b * x); }},
    {GateFunction::kAffine, [](double x, double a, double b) { return a * x + b; }},
};

// A cell without a state: what comes out is the activation of what comes in.
TEST(Recurrent, Activations) {
    on_every_target([](const std::string&) {
        for (const Activation& activation : kActivations) {
            for (const float clip : {0.0f, 1.5f}) {
                RecurrentParams p;
                p.cell = RecurrentCell::kRnn;
                p.hidden = 5;
                p.activations[0] = {activation.function, 0.25f, 0.75f};
                p.clip = clip;
                const Floats weights(p.hidden * kUnits, 0.0f);
                const Floats state(kUnits, 0.0f);
                Floats gates(kUnits), next(kUnits);
                float out[6] = {0, 0, 0, 0, 0, -77};
                const float x[] = {-3.0f, -0.5f, 0.0f, 0.2f, 4.0f};
                std::copy_n(x, 5, gates.begin());
                const RecurrentRow row{
                    .gates = gates.data(), .state = state.data(), .next = next.data(), .out = out};
                const RecurrentBlock block{.weights = weights.data()};
                recurrent_step(p, block, &row, 1);
                for (std::size_t i = 0; i < 5; ++i) {
                    const double bounded =
                        clip > 0 ? std::min<double>(std::max<double>(x[i], -clip), clip) : x[i];
                    EXPECT_NEAR(out[i], activation.wanted(bounded, 0.25, 0.75), 2e-6)
                        << "function " << static_cast<int>(activation.function) << " of " << x[i];
                    EXPECT_EQ(out[i], next[i]);
                }
                EXPECT_EQ(out[5], -77);
            }
        }
    });
}

// f = i = o = sigmoid(0) = 1/2, candidate = tanh(1): c = 1/2 * 2 + 1/2 * tanh(1), h = tanh(c) / 2
TEST(Recurrent, KnownNumbersOfAnLstm) {
    on_every_target([](const std::string&) {
        RecurrentParams p;
        p.hidden = 1;
        p.activations[1].function = p.activations[2].function = GateFunction::kTanh;
        const Floats weights(4 * kUnits, 0.0f);
        Floats gates(4 * kUnits, 0.0f), state(kUnits, 9.0f), next(kUnits), cell(kUnits, 2.0f);
        gates[2 * kUnits] = 1.0f;
        const RecurrentRow row{
            .gates = gates.data(), .state = state.data(), .next = next.data(), .cell = cell.data()};
        recurrent_step(p, {.weights = weights.data()}, &row, 1);
        EXPECT_NEAR(cell[0], 1.38079708, 1e-6);
        EXPECT_NEAR(next[0], 0.44056481, 1e-6);
    });
}

// update = reset = 1/2, the product of the state is 2 * 3 + 1 = 7:
// candidate 1 + 1/2 * 7 = 4.5, h = 1/2 * 4.5 + 1/2 * 3
TEST(Recurrent, KnownNumbersOfAGruThatResetsAfterItsMatrix) {
    on_every_target([](const std::string&) {
        RecurrentParams p;
        p.cell = RecurrentCell::kGruLinear;
        p.hidden = 1;
        p.activations[1] = {GateFunction::kAffine, 1.0f, 0.0f};
        Floats weights(3 * kUnits, 0.0f);
        weights[2 * kUnits] = 2.0f;
        Floats gates(3 * kUnits, 0.0f), state(kUnits, 3.0f), next(kUnits), bias(kUnits, 1.0f);
        gates[2 * kUnits] = 1.0f;
        const RecurrentRow row{.gates = gates.data(), .state = state.data(), .next = next.data()};
        recurrent_step(p, {.weights = weights.data(), .bias = bias.data()}, &row, 1);
        EXPECT_NEAR(next[0], 3.75, 1e-6);
    });
}

// reset * state = 1.5 goes through the matrix: candidate 1 + 2 * 1.5 = 4, h = 1/2 * 4 + 1/2 * 3
TEST(Recurrent, KnownNumbersOfAGru) {
    on_every_target([](const std::string&) {
        RecurrentParams p;
        p.cell = RecurrentCell::kGru;
        p.hidden = 1;
        p.activations[1] = {GateFunction::kAffine, 1.0f, 0.0f};
        const Floats weights(2 * kUnits, 0.0f);
        const Floats hidden(kUnits, 2.0f);
        Floats gates(3 * kUnits, 0.0f), state(kUnits, 3.0f), next(kUnits), reset(kUnits);
        gates[2 * kUnits] = 1.0f;
        const RecurrentRow row{.gates = gates.data(),
                               .state = state.data(),
                               .next = next.data(),
                               .reset = reset.data()};
        recurrent_step(p, {.subpixel = 0, .weights = weights.data()}, &row, 1);
        EXPECT_NEAR(reset[0], 1.5, 1e-6);
        recurrent_step(p, {.subpixel = 1, .weights = hidden.data()}, &row, 1);
        EXPECT_NEAR(next[0], 3.5, 1e-6);
    });
}

}  // namespace
}  // namespace fuseq::kernels
