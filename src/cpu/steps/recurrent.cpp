// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/recurrent.hpp"

#include <algorithm>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {

using kernels::kUnits;

// Everything is kept for whole blocks of units.
struct RecurrentRun::Work {
    float* gates;     // [direction][block][image][step][gate][kUnits]
    float* state[2];  // [image][direction][units], before and after a step, in turn
    float* cell;
    float* reset;
};

RecurrentRun::RecurrentRun(kernels::RecurrentParams params,
                           RecurrentSizes sizes,
                           std::vector<RecurrentWeights> weights)
    : params_(params), sizes_(sizes), weights_(std::move(weights)) {}

std::size_t RecurrentRun::work_size() const {
    const std::size_t rows = sizes_.batch * sizes_.directions;
    return rows * padded() * (sizes_.steps * params_.gates() + 4);
}

std::size_t RecurrentRun::packed_bytes() const {
    std::size_t floats = 0;
    for (const RecurrentWeights& w : weights_) {
        floats += w.input.size() + w.state.size() + w.hidden.size() + w.bias.size() +
                  w.linear_bias.size();
    }
    return floats * sizeof(float);
}

RecurrentRun::Work RecurrentRun::work_of(const RecurrentMemory& memory) const {
    const std::size_t states = sizes_.batch * sizes_.directions * padded();
    Work work{};
    work.gates = memory.work;
    work.state[0] = work.gates + states * sizes_.steps * params_.gates();
    work.state[1] = work.state[0] + states;
    work.cell = work.state[1] + states;
    work.reset = work.cell + states;
    return work;
}

std::size_t RecurrentRun::length_of(const RecurrentMemory& memory, std::size_t row) const {
    return memory.lengths == nullptr ? sizes_.steps : memory.lengths[row / sizes_.directions];
}

// Copies rows of hidden units between dense tensors and those of whole blocks.
void RecurrentRun::start(const RecurrentMemory& memory, const Work& work) const {
    const std::size_t hidden = params_.hidden;
    for (std::size_t row = 0; row < sizes_.batch * sizes_.directions; ++row) {
        float* to = work.state[0] + row * padded();
        std::copy_n(memory.h + row * hidden, hidden, to);
        std::fill(to + hidden, to + padded(), 0.0f);
        if (memory.c != nullptr) {
            to = work.cell + row * padded();
            std::copy_n(memory.c + row * hidden, hidden, to);
            std::fill(to + hidden, to + padded(), 0.0f);
        }
        if (memory.all != nullptr) {
            float* all = memory.all + row * sizes_.steps * hidden;
            std::fill(all + length_of(memory, row) * hidden, all + sizes_.steps * hidden, 0.0f);
        }
    }
}

void RecurrentRun::finish(const RecurrentMemory& memory, const Work& work) const {
    const std::size_t hidden = params_.hidden;
    for (std::size_t row = 0; row < sizes_.batch * sizes_.directions; ++row) {
        const float* state = work.state[length_of(memory, row) % 2];
        std::copy_n(state + row * padded(), hidden, memory.last_h + row * hidden);
        if (memory.last_c != nullptr) {
            std::copy_n(work.cell + row * padded(), hidden, memory.last_c + row * hidden);
        }
    }
}

void RecurrentRun::input_products(const RecurrentMemory& memory, const Work& work) const {
    const std::size_t blocks = params_.blocks();
    const std::size_t rows = sizes_.batch * sizes_.steps;
    const std::size_t width = params_.gates() * kUnits;
    constexpr std::size_t kProductsAtOnce = 1 << 17;
    const std::size_t grain = 1 + kProductsAtOnce / (rows * width * sizes_.input);
    parallel_for(blocks * sizes_.directions, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t item = begin; item < end; ++item) {
            const RecurrentWeights& w = weights_[item / blocks];
            const std::size_t block = item % blocks;
            const kernels::GateProducts products{params_.gates(), sizes_.input,
                                                 w.input.data() + block * sizes_.input * width,
                                                 w.bias.data() + block * width};
            kernels::gate_products(products, memory.x, rows, work.gates + item * rows * width);
        }
    });
}

// One block of units of one direction, for all sequences that have that step.
void RecurrentRun::block_step(const RecurrentMemory& memory,
                              const Work& work,
                              std::size_t item,
                              std::size_t step,
                              std::size_t subpixel) const {
    const std::size_t number = item % params_.blocks();
    const std::size_t direction = item / params_.blocks();
    const RecurrentWeights& w = weights_[direction];
    const std::size_t gates = subpixel == 1                                  ? 1
                              : params_.cell == kernels::RecurrentCell::kGru ? 2
                                                                             : params_.gates();
    kernels::RecurrentBlock block;
    block.number = number;
    block.subpixel = subpixel;
    block.weights =
        (subpixel == 1 ? w.hidden : w.state).data() + number * params_.hidden * gates * kUnits;
    block.bias = w.linear_bias.empty() ? nullptr : w.linear_bias.data() + number * kUnits;
    const bool backwards = direction == 1 || sizes_.first_backwards;
    constexpr std::size_t kRowsAtOnce = 32;
    kernels::RecurrentRow rows[kRowsAtOnce];
    std::size_t count = 0;
    for (std::size_t n = 0; n < sizes_.batch; ++n) {
        const std::size_t row = n * sizes_.directions + direction;
        const std::size_t length = length_of(memory, row);
        if (step < length) {
            const std::size_t t = backwards ? length - 1 - step : step;
            const std::size_t gate_row = (item * sizes_.batch + n) * sizes_.steps + t;
            rows[count++] = {work.gates + gate_row * params_.gates() * kUnits,
                             work.state[step % 2] + row * padded(),
                             work.state[(step + 1) % 2] + row * padded(),
                             work.cell + row * padded(),
                             work.reset + row * padded(),
                             memory.all == nullptr
                                 ? nullptr
                                 : memory.all + (row * sizes_.steps + t) * params_.hidden};
        }
        if (count == kRowsAtOnce || (count != 0 && n + 1 == sizes_.batch)) {
            kernels::recurrent_step(params_, block, rows, count);
            count = 0;
        }
    }
}

void RecurrentRun::run(const RecurrentMemory& memory) const {
    const Work work = work_of(memory);
    start(memory, work);
    input_products(memory, work);
    std::size_t steps = 0;
    for (std::size_t row = 0; row < sizes_.batch * sizes_.directions; ++row) {
        steps = std::max(steps, length_of(memory, row));
    }
    const std::size_t blocks = params_.blocks();
    // Waiting for each other costs about 1 us a step.
    constexpr std::size_t kFewProducts = 1 << 17;
    const bool alone =
        blocks < 2 || sizes_.batch * padded() * params_.gates() * params_.hidden < kFewProducts;
    parallel_team(alone, [&](std::size_t id, std::size_t size, const auto& wait) {
        const std::size_t begin = blocks * id / size;
        const std::size_t end = blocks * (id + 1) / size;
        // One direction after the other: the weights of both might not fit in the second cache.
        for (std::size_t direction = 0; direction < sizes_.directions; ++direction) {
            for (std::size_t i = 0; i < steps * params_.subpixels(); ++i) {
                for (std::size_t block = begin; block < end; ++block) {
                    block_step(memory, work, direction * blocks + block, i / params_.subpixels(),
                               i % params_.subpixels());
                }
                wait();
            }
        }
    });
    finish(memory, work);
}

}  // namespace fuseq::cpu
