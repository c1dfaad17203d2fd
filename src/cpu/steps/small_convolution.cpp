// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/small_convolution.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/core.h>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMaxConvolutionResults = 4;
constexpr std::size_t kMaxRoundedRow = 32 * 1024;   // elements
constexpr std::size_t kRoundedElements = 8 * 1024;  // at once, where rows are shorter

}  // namespace

class SmallConvolutionStep::Run final : public Runner {
public:
    Run(const SmallConvolutionStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        const Places places = places_of([&](TensorId id) { return memory_.data(id); });
        constexpr std::size_t kRows = 16;  // share their source rows
        const std::size_t rows = step_.kernel_.rows();
        // Each thread takes neighbouring rows. Many rows are shared out one by one, so that all
        // threads get as many.
        parallel_for(rows, rows >= 4 * kRows ? 1 : kRows, [&](std::size_t begin, std::size_t end) {
            run_range({begin, end}, places);
        });
    }

    void run_rows(const RowPart& part) override {
        run_range({part.begin / step_.width_, part.end / step_.width_},
                  places_of([&](TensorId id) { return memory_.rows(id, part); }));
    }

private:
    // Where the tensors begin, or would begin.
    struct Places {
        const void* src = nullptr;
        std::byte* dst = nullptr;
        void* results[kMaxConvolutionResults] = {};
        kernels::SmallConvSource binary_sources[kMaxBinarySources] = {};
    };

    template <class Find>
    Places places_of(const Find& find) const {
        Places places;
        places.src = memory_.data(step_.inputs()[0]);
        places.dst = static_cast<std::byte*>(find(step_.outputs()[0]));
        for (std::size_t e = 0; e < step_.binary_sources_.size(); ++e) {
            const DedupRows& few = step_.dedup_rows_[e];
            if (few.offsets.empty()) {
                places.binary_sources[e].data = find(step_.binary_sources_[e]);
            } else {
                places.binary_sources[e] = {few.bytes.data(), few.offsets.data()};
            }
        }
        for (std::size_t r = 0; r < step_.results_.size(); ++r) {
            places.results[r] = find(step_.outputs()[r]);
        }
        return places;
    }

    void run_range(kernels::Range rows, const Places& places) const {
        if (step_.rounding_) {
            step_.results_.empty() ? round_tiles(rows, places) : round_rows(rows, places);
            return;
        }
        if (!step_.results_.empty()) {
            step_.kernel_.run(places.src, rows, places.results, places.binary_sources);
            return;
        }
        if (step_.direct_) {
            step_.kernel_.run(places.src, rows, places.dst);
            return;
        }
        if (step_.in_planes_) {
            step_.kernel_.run_to_planes(places.src, rows, reinterpret_cast<float*>(places.dst));
            return;
        }
        step_.kernel_.run(places.src, rows,
                          [&](const kernels::SmallConvTile& tile) { store(tile, places); });
    }

    // Some rows at a time through a buffer that stays in the first cache.
    void round_rows(kernels::Range rows, const Places& places) const {
        const std::size_t row = step_.width_ * step_.tile_reorder_.channels;
        const std::size_t at_once = std::max<std::size_t>(kRoundedElements / row, 1);
        // Kept by the thread: too much for a stack of unknown size.
        thread_local kernels::AlignedVector<float> buffer;
        buffer.resize(std::max(buffer.size(), at_once * row));
        for (std::size_t first = rows.begin; first < rows.end; first += at_once) {
            const std::size_t end = std::min(first + at_once, rows.end);
            // Where row 0 would be; never written.
            void* const base = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
                reinterpret_cast<std::uintptr_t>(buffer.data()) - first * row * sizeof(float));
            step_.kernel_.run(places.src, {first, end}, {&base, 1}, {});
            step_.rounding_->run(buffer.data(), places.dst + first * row, {0, (end - first) * row});
        }
    }

    // Tiles of the kernel as they come.
    void round_tiles(kernels::Range rows, const Places& places) const {
        const std::size_t channels = step_.tile_reorder_.channels;
        step_.kernel_.run(places.src, rows, [&](const kernels::SmallConvTile& tile) {
            alignas(64) float transposed[kernels::kSmallConvChannels * kernels::kSmallConvTile];
            const float* sums = tile.planes;
            if (!step_.kernel_.pixels()) {
                kernels::to_channels_last(step_.tile_reorder_, tile.planes, transposed,
                                          {0, tile.count});
                sums = transposed;
            }
            const std::size_t pixel = (tile.image * step_.height_ + tile.y) * step_.width_ + tile.x;
            step_.rounding_->run(sums, places.dst + pixel * channels, {0, tile.count * channels});
        });
    }

    void store(const kernels::SmallConvTile& tile, const Places& places) const {
        const kernels::IoReorderParams& reorder = step_.tile_reorder_;
        const std::size_t size = size_of(reorder.dst_type);
        const std::size_t pixels = step_.height_ * step_.width_;
        const std::size_t pixel = tile.y * step_.width_ + tile.x;
        if (step_.by_pixels_) {
            run_on_pixels(tile, pixel + tile.image * pixels, places);
            return;
        }
        if (!step_.channels_last_) {
            std::byte* to = places.dst + (tile.image * reorder.channels * pixels + pixel) * size;
            step_.chain_->run({.src = {tile.planes, kernels::kSmallConvTile},
                               .dst = to,
                               .dst_stride = pixels,
                               .inner = tile.count},
                              0, reorder.channels);
            return;
        }
        if (step_.chain_) {
            step_.chain_->run({.src = {tile.planes, kernels::kSmallConvTile},
                               .dst = tile.planes,
                               .dst_stride = kernels::kSmallConvTile,
                               .inner = tile.count},
                              0, reorder.channels);
        }
        std::byte* to = places.dst + (tile.image * pixels + pixel) * reorder.channels * size;
        kernels::to_channels_last(reorder, tile.planes, to, {0, tile.count});
    }

    // The chain on the tile as it is, or transposed, with its part of the other tensors.
    void run_on_pixels(const kernels::SmallConvTile& tile,
                       std::size_t pixel,
                       const Places& places) const {
        const std::size_t channels = step_.tile_reorder_.channels;
        alignas(64) float transposed[kernels::kSmallConvChannels * kernels::kSmallConvTile];
        const float* floats = tile.planes;
        if (!step_.kernel_.pixels()) {
            kernels::to_channels_last(step_.tile_reorder_, tile.planes, transposed,
                                      {0, tile.count});
            floats = transposed;
        }
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e < step_.binary_sources_.size(); ++e) {
            const kernels::SmallConvSource& source = places.binary_sources[e];
            const std::size_t size = source.rows != nullptr
                                         ? sizeof(float)
                                         : size_of(memory_.tensor(step_.binary_sources_[e]).type);
            const std::size_t row = tile.image * step_.height_ + tile.y;
            binary_sources[e] = {source.pixel(row, step_.width_, tile.x, channels * size),
                                 channels};
        }
        const std::size_t size = size_of(memory_.tensor(step_.outputs()[0]).type);
        step_.chain_->run({.src = {floats, channels},
                           .dst = places.dst + pixel * channels * size,
                           .dst_stride = channels,
                           .binary_sources = {binary_sources, step_.binary_sources_.size()}},
                          0, tile.count);
    }

    const SmallConvolutionStep& step_;
    RequestMemory& memory_;
};

SmallConvolutionStep::SmallConvolutionStep(kernels::SmallConv kernel,
                                           const post_ops::Chain& remainder,
                                           TensorId src,
                                           const std::vector<TensorId>& binary_sources,
                                           std::vector<DedupRows> dedup_rows,
                                           const PlanTensor& dst,
                                           TensorId dst_id)
    : kernel_(std::move(kernel)),
      binary_sources_(binary_sources),
      dedup_rows_(std::move(dedup_rows)) {
    if (binary_sources.size() > kMaxBinarySources) {
        throw Error(
            "compile",
            fmt::format(
                "a convolution of few channels reads {} binary sources, expected {} at most",
                binary_sources.size(), kMaxBinarySources));
    }
    const Shape dims = dst.dims();
    // One channel is the same in both.
    channels_last_ = dst.layout == Layout::kChannelsLast && (dims[1] != 1 || remainder.ops.empty());
    by_rows_ = dst.layout == Layout::kChannelsLast || dims[1] == 1;
    height_ = dims[2];
    width_ = dims[3];
    direct_ = kernel_.stores() && (remainder.ops.empty() || !kernel_.pixels());
    by_pixels_ = !direct_ && (kernel_.pixels() || !binary_sources.empty());
    in_planes_ = !direct_ && !by_pixels_ && !channels_last_ && remainder.ops.empty() &&
                 dst.type == ElementType::f32 && !kernel_.stores();
    stores_floats_ = remainder.ops.empty() && binary_sources.empty() && channels_last_ &&
                     dst.type == ElementType::f32 && !kernel_.pools();
    tile_reorder_.channels = dims[1];
    tile_reorder_.pixels = kernels::kSmallConvTile;
    tile_reorder_.src_type = ElementType::f32;
    tile_reorder_.dst_type = by_pixels_ ? ElementType::f32 : dst.type;
    kernels::check_io_reorder(tile_reorder_);
    if (kernel_.is_listed()) {
        results_ = {{{}, dst.type}};
    } else if (by_pixels_) {
        chain_.emplace(remainder, ElementType::f32, dims[1], kernels::EltwiseLayout::kRows);
    } else if (!direct_ && (!channels_last_ || !remainder.ops.empty())) {
        post_ops::Chain chain = remainder;
        if (channels_last_) {
            chain.dst_type = ElementType::f32;  // rounded when it is transposed
        }
        chain_.emplace(chain, ElementType::f32, dims[1], kernels::EltwiseLayout::kPlanes);
    }
    inputs_ = {src};
    std::copy_if(binary_sources.begin(), binary_sources.end(), std::back_inserter(inputs_),
                 [](TensorId id) { return id != kNoTensor; });
    outputs_ = {dst_id};
}

void SmallConvolutionStep::set_results(std::vector<post_ops::Chain> results,
                                       std::vector<TensorId> ids,
                                       bool rows) {
    kernel_.set_results(results, rows);
    results_ = std::move(results);
    rows_ = rows;
    outputs_ = std::move(ids);
}

RoundedSums* SmallConvolutionStep::rounded_sums() {
    return stores_floats_ && results_.size() <= 1 && !rounded_ ? this : nullptr;
}

bool SmallConvolutionStep::takes_rounding(const kernels::SumRounding& rounding) const {
    return rounding.channels() == tile_reorder_.channels &&
           width_ * tile_reorder_.channels <= kMaxRoundedRow;
}

void SmallConvolutionStep::set_rounding(std::shared_ptr<const kernels::SumRounding> rounding,
                                        TensorId dst) {
    outputs_ = {dst};
    rounded_ = true;
    auto own = remake_ ? rounding->fused() : std::nullopt;
    if (remake_ && !own) {
        own = rounding->by_rule();
    }
    auto remade = own ? remake_(*own) : std::nullopt;
    remake_ = nullptr;
    if (!remade) {
        rounding_ = std::move(rounding);
        return;
    }
    kernel_ = std::move(*remade);
    direct_ = kernel_.stores();
    results_.clear();
    if (kernel_.is_listed()) {
        results_ = {{{}, own->dst}};
    }
}

std::optional<RowTiling> SmallConvolutionStep::row_tiling() const {
    if (!by_rows_) {
        return std::nullopt;
    }
    return RowTiling{.rows = kernel_.rows() * width_, .grain = width_, .whole = {inputs_[0]}};
}

std::unique_ptr<Runner> SmallConvolutionStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

}  // namespace fuseq::cpu
