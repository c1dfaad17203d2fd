// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/attention.hpp"

#include <algorithm>

#include "cpu/steps/dnnl_support.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

using kernels::DataProduct;
using kernels::DataProductArgs;
using kernels::Range;

// Scores of a block stay in a first cache, or a second one where their rows are long.
constexpr std::size_t kTileBytes = std::size_t{64} << 10;
// Fewer rows would pay for reading the keys; of AMX: two tiles.
constexpr std::size_t kMinRows = 28;
constexpr std::size_t kTileRows = 32;
constexpr std::size_t kLine = 64;
// What reading rows of probabilities in whole vectors may add.
constexpr std::size_t kSlack = 64;

std::size_t round_up(std::size_t value, std::size_t grain) {
    return (value + grain - 1) / grain * grain;
}

// Even blocks, of whole tiles with AMX; enough of them for all threads.
std::size_t rows_of_block(const ComputedProduct& scores, std::size_t threads) {
    const std::size_t rows = scores.rows();
    const std::size_t row_bytes = scores.columns() * sizeof(float);
    const bool tiles = scores.form == kernels::GemmForm::kAmx;
    const std::size_t grain = tiles ? kTileRows : 1;
    const std::size_t most =
        std::max(tiles ? kTileRows : kMinRows, kTileBytes / row_bytes / grain * grain);
    const std::size_t for_size = (rows + most - 1) / most;
    const std::size_t for_threads = (threads + scores.places() - 1) / scores.places();
    const std::size_t blocks = std::max(for_size, for_threads);
    return std::min(rows, round_up((rows + blocks - 1) / blocks, grain));
}

// Into a dense tile of a block.
DataProduct product_of_scores(const ComputedProduct& scores, std::size_t block) {
    kernels::DataProductParams params = scores.params();
    params.rows = block;
    params.dst_row = scores.columns();
    return DataProduct(params);
}

DataProduct product_of_context(const ComputedProduct& context, std::size_t block) {
    kernels::DataProductParams params = context.params();
    params.rows = block;
    params.a.row = context.depth;
    params.a.column = 1;
    params.a_slack = kSlack;
    return DataProduct(params);
}

std::int64_t macs_of(const ComputedProduct& product) {
    return static_cast<std::int64_t>(shape_size(product.dims) * product.depth);
}

}  // namespace

Attention::Attention(const ComputedProduct& scores,
                     const SoftmaxRows& softmax,
                     const ComputedProduct& context,
                     std::size_t threads)
    : scores_(scores),
      softmax_(softmax),
      context_(context),
      threads_(threads),
      block_(rows_of_block(scores, threads)),
      blocks_((scores.rows() + block_ - 1) / block_),
      alone_(threads_for(macs_of(scores) + macs_of(context)) == 1),
      scores_product_(product_of_scores(scores, block_)),
      context_product_(product_of_context(context, block_)),
      context_at_(scores_product_.scratch_bytes()),
      tile_at_(context_at_ + context_product_.scratch_bytes()),
      probabilities_at_(tile_at_ + round_up(block_ * scores.columns() * sizeof(float), kLine)),
      thread_bytes_(probabilities_at_ + round_up(block_ * scores.columns() + kSlack, kLine)) {}

std::vector<TensorId> Attention::inputs() const {
    std::vector<TensorId> ids = {scores_.a.id, scores_.b.id, context_.b.id};
    if (softmax_.mask != kNoTensor) {
        ids.push_back(softmax_.mask);
    }
    std::copy_if(scores_.sources.begin(), scores_.sources.end(), std::back_inserter(ids),
                 [](TensorId id) { return id != kNoTensor; });
    return ids;
}

std::string Attention::implementation() const {
    const std::string product = scores_product_.implementation();
    return "attention:" + product.substr(product.rfind('_') + 1);
}

void Attention::run(const CallMemory& memory) const {
    const std::size_t units = scores_.places() * blocks_;
    const auto part = [&](std::size_t id, std::size_t size) {
        run_units(memory, id, {units * id / size, units * (id + 1) / size});
    };
    if (alone_ || is_alone()) {
        part(0, 1);
    } else {
        in_every_thread(part);
    }
}

// Keys and values of a place are packed once for all of its blocks.
void Attention::run_units(const CallMemory& memory, std::size_t id, Range units) const {
    auto* const scratch = memory.work<std::uint8_t>(0) + id * thread_bytes_;
    for (std::size_t unit = units.begin; unit < units.end; ++unit) {
        const std::size_t place = unit / blocks_;
        if (unit == units.begin || unit % blocks_ == 0) {
            scores_product_.pack(memory.input<std::uint8_t>(1) + scores_.offset(scores_.b, place),
                                 scratch);
            context_product_.pack(
                memory.input<std::uint8_t>(2) + context_.offset(context_.b, place),
                scratch + context_at_);
        }
        const std::size_t begin = unit % blocks_ * block_;
        run_rows(memory, scratch, place, {begin, std::min(begin + block_, scores_.rows())});
    }
}

void Attention::run_rows(const CallMemory& memory,
                         std::uint8_t* scratch,
                         std::size_t place,
                         Range rows) const {
    const std::size_t count = rows.end - rows.begin;
    const std::size_t first = place * scores_.rows() + rows.begin;
    auto* const tile = reinterpret_cast<float*>(scratch + tile_at_);
    std::uint8_t* const probabilities = scratch + probabilities_at_;

    const bool masked = softmax_.mask != kNoTensor;
    const void* sources[ComputedProduct::kMaxSources] = {};
    std::size_t input = masked ? 4 : 3;
    for (std::size_t i = 0; i < scores_.sources.size(); ++i) {
        if (const std::size_t bytes = scores_.source_bytes(i); bytes != 0) {
            sources[i] = memory.input<std::uint8_t>(input++) + first * scores_.columns() * bytes;
        }
    }
    const std::size_t query_row = scores_.a.strides[scores_.dims.size() - 2];
    scores_product_.multiply({.a = memory.input<std::uint8_t>(0) +
                                   scores_.offset(scores_.a, place) + rows.begin * query_row,
                              .dst = tile,
                              .binary_sources = {sources, scores_.sources.size()},
                              .scratch = scratch},
                             {0, count});
    softmax_.run(tile, masked ? memory.input<float>(3) : nullptr, probabilities, first, count);
    const std::size_t row = context_.dst.strides[context_.dims.size() - 2];
    const std::size_t at = context_.offset(context_.dst, place) + rows.begin * row;
    context_product_.multiply(
        {.a = probabilities,
         .dst = memory.output<std::uint8_t>(0) + at * size_of(context_.dst.type),
         .scratch = scratch + context_at_},
        {0, count});
}

}  // namespace fuseq::cpu
