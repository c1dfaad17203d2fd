// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/chain_border.hpp"

#include <algorithm>
#include <cstddef>

#include "cpu/runtime/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;
constexpr std::size_t kTileElements = 1 << 14;  // on the stack
constexpr std::size_t kGoodTile = 1 << 12;      // elements that stay in the L1 cache with all else
constexpr std::size_t kStep = 64;               // pixels that the border kernel takes at once
constexpr std::size_t kMostPixels = 1024;

std::size_t tile_pixels(std::size_t channels) {
    return std::clamp(kGoodTile / channels / kStep * kStep, kStep, kMostPixels);
}

const std::byte* advance(const void* data, ElementType type, std::size_t elements) {
    return static_cast<const std::byte*>(data) + elements * size_of(type);
}

}  // namespace

class ChainBorderStep::Run final : public Runner {
public:
    Run(const ChainBorderStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        const std::size_t tiles = (step_.pixels_ + step_.tile_ - 1) / step_.tile_;
        constexpr std::size_t kTilesATask = 4;
        parallel_for(step_.images_ * tiles, kTilesATask, [&](std::size_t begin, std::size_t end) {
            alignas(64) float tile[kTileElements];
            for (std::size_t t = begin; t < end; ++t) {
                const std::size_t pixel = t % tiles * step_.tile_;
                run_tile(t / tiles, pixel, std::min(step_.tile_, step_.pixels_ - pixel), tile);
            }
        });
    }

private:
    // Element of a tensor of src's layout where a tile begins.
    std::size_t first(ExtraForm form, std::size_t image, std::size_t pixel) const {
        const std::size_t channels = step_.border_.channels;
        switch (form) {
            case ExtraForm::kPlane: return image * channels;
            case ExtraForm::kPixel: return image * step_.pixels_ + pixel;
            default: break;
        }
        return step_.to_channels_last_ ? image * channels * step_.pixels_ + pixel
                                       : (image * step_.pixels_ + pixel) * channels;
    }

    void run_tile(std::size_t image, std::size_t pixel, std::size_t count, float* tile) const {
        const std::vector<TensorId>& inputs = step_.inputs();
        const std::size_t channels = step_.border_.channels;
        const bool planes = step_.to_channels_last_;
        const std::size_t stride = planes ? step_.pixels_ : channels;
        const auto tensor = [&](TensorId id, ExtraForm form, std::size_t step) {
            const PlanTensor& planned = memory_.tensor(id);
            const bool shared = form == ExtraForm::kPlane && planned.dims()[0] == 1;
            return kernels::ChainTensor{
                advance(memory_.data(id), planned.type, first(form, shared ? 0 : image, pixel)),
                step};
        };
        kernels::ChainTensor extras[kMostExtras];
        for (std::size_t e = 0; e + 1 < inputs.size(); ++e) {
            const ExtraForm form = step_.forms_[e];
            // The tile is all of one image: from image to image nothing is stepped.
            extras[e] = tensor(inputs[e + 1], form, form == ExtraForm::kFull ? stride : 0);
        }
        step_.kernel_.run({.src = tensor(inputs[0], ExtraForm::kFull, stride),
                           .dst = tile,
                           .dst_stride = planes ? step_.tile_ : channels,
                           .extras = {extras, inputs.size() - 1},
                           .inner = count,
                           .rows_per_image = step_.tile_},
                          0, planes ? channels : count);
        const TensorId dst = step_.outputs()[0];
        auto* to = static_cast<std::byte*>(memory_.data(dst));
        const std::size_t size = size_of(step_.border_.dst_type);
        if (planes) {
            to += (image * step_.pixels_ + pixel) * channels * size;
            kernels::to_channels_last(step_.border_, tile, to, {0, count});
        } else {
            to += (image * channels * step_.pixels_ + pixel) * size;
            kernels::from_channels_last(step_.border_, tile, to, {0, count});
        }
    }

    const ChainBorderStep& step_;
    RequestMemory& memory_;
};

bool ChainBorderStep::takes(const Shape& dims) {
    return dims.size() >= 3 && dims[1] >= 1 && dims[1] * kStep <= kTileElements;
}

ChainBorderStep::ChainBorderStep(const post_ops::Chain& chain,
                                 const PlanTensor& src,
                                 TensorId src_id,
                                 std::vector<TensorId> extras,
                                 const PlanTensor& dst,
                                 TensorId dst_id)
    : kernel_({chain.ops, ElementType::f32},
              src.type,
              src.dims()[1],
              dst.layout == Layout::kChannelsLast ? kernels::ChainLayout::kPlanes
                                                  : kernels::ChainLayout::kRows),
      forms_(extra_forms(chain, extras.size())),
      to_channels_last_(dst.layout == Layout::kChannelsLast) {
    if (extras.size() > kMostExtras) {
        throw Error("compile", detail::cat("a chain step reads ", extras.size(),
                                           " extra inputs, expected ", kMostExtras, " at most"));
    }
    const Shape dims = src.dims();
    images_ = dims[0];
    pixels_ = shape_size(dims) / (dims[0] * dims[1]);
    tile_ = tile_pixels(dims[1]);
    border_.channels = dims[1];
    border_.pixels = tile_;
    // The planes of the tile, or those of dst.
    border_.plane_stride = to_channels_last_ ? tile_ : std::max(tile_, pixels_);
    border_.src_type = ElementType::f32;
    border_.dst_type = chain.dst_type;
    if (!to_channels_last_ && pixels_ < tile_) {
        border_.pixels = border_.plane_stride = pixels_;
    }
    kernels::check_border(border_);
    inputs_ = {src_id};
    inputs_.insert(inputs_.end(), extras.begin(), extras.end());
    outputs_ = {dst_id};
    info_.kind = "border";
    info_.implementation = "fuseq:chain_border";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout) + " -> " + to_string(dst.layout);
    info_.post_ops = post_ops::to_text(chain);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

std::unique_ptr<Runner> ChainBorderStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

}  // namespace fuseq::cpu
