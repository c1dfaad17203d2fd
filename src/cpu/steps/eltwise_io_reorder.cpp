// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/eltwise_io_reorder.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "cpu/machine/instructions.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kTileElements = 1 << 14;  // on the stack
constexpr std::size_t kGoodTile = 1 << 12;      // elements that stay in the L1 cache with all else
constexpr std::size_t kStep = 64;               // pixels that the io_reorder kernel takes at once
constexpr std::size_t kMaxPixels = 1024;
// Where channels are few, rows of them are too short for vectors: planes are better.
constexpr std::size_t kFewChannels = 16;
constexpr std::size_t kMaxPlanar = 4;  // tensors, on the stack

std::size_t tile_pixels(std::size_t channels) {
    return std::clamp(kGoodTile / channels / kStep * kStep, kStep, kMaxPixels);
}

const std::byte* element_at(const void* data, ElementType type, std::size_t elements) {
    return static_cast<const std::byte*>(data) + elements * size_of(type);
}

}  // namespace

class EltwiseIoReorderStep::Run final : public Runner {
public:
    Run(const EltwiseIoReorderStep& step, RequestMemory& memory) : step_(step), memory_(memory) {}

    void run() override {
        const std::size_t tiles = (step_.pixels_ + step_.tile_ - 1) / step_.tile_;
        constexpr std::size_t kTilesATask = 4;
        parallel_for(step_.images_ * tiles, kTilesATask, [&](std::size_t begin, std::size_t end) {
            alignas(64) float tile[kTileElements];
            for (std::size_t t = begin; t < end; ++t) {
                const Tile part{t / tiles, t % tiles * step_.tile_,
                                std::min(step_.tile_, step_.pixels_ - t % tiles * step_.tile_)};
                if (step_.planar_.empty()) {
                    run_tile(part, tile);
                } else {
                    run_planar(part, reinterpret_cast<std::byte*>(tile));
                }
            }
            if (step_.stream_) {
                kernels::EltwiseKernel::end_stream();
            }
        });
    }

private:
    struct Tile {
        std::size_t image;
        std::size_t pixel;
        std::size_t count;
    };

    // Element of a tensor of src's layout where a tile begins.
    std::size_t first(SourceForm form, const Tile& part) const {
        const auto [image, pixel, count] = part;
        const std::size_t channels = step_.tile_params_.channels;
        switch (form) {
            case SourceForm::kPlane: return image * channels;
            case SourceForm::kPixel: return image * step_.pixels_ + pixel;
            default: break;
        }
        return step_.to_channels_last_ ? image * channels * step_.pixels_ + pixel
                                       : (image * step_.pixels_ + pixel) * channels;
    }

    // A tensor of src's layout from the tile on.
    kernels::EltwiseTensor tensor(TensorId id,
                                  SourceForm form,
                                  const Tile& part,
                                  std::size_t stride) const {
        const PlanTensor& planned = memory_.tensor(id);
        Tile at = part;
        if (form == SourceForm::kPlane && planned.shape[0] == Dimension(1)) {
            at.image = 0;
        }
        return {element_at(memory_.data(id), planned.type, first(form, at)), stride};
    }

    // The tile is all of one image, so that nothing steps from image to image.
    void run_tile(const Tile& part, float* tile) const {
        const std::vector<TensorId>& inputs = step_.inputs();
        const std::size_t channels = step_.tile_params_.channels;
        const bool planes = step_.to_channels_last_;
        const std::size_t stride = planes ? step_.pixels_ : channels;
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e + 1 < inputs.size(); ++e) {
            const SourceForm form = step_.forms_[e];
            binary_sources[e] =
                tensor(inputs[e + 1], form, part, form == SourceForm::kFull ? stride : 0);
        }
        step_.kernel_.run({.src = tensor(inputs[0], SourceForm::kFull, part, stride),
                           .dst = tile,
                           .dst_stride = planes ? step_.tile_ : channels,
                           .binary_sources = {binary_sources, inputs.size() - 1},
                           .inner = part.count,
                           .rows_per_image = step_.tile_},
                          0, planes ? channels : part.count);
        if (planes) {
            kernels::to_channels_last(step_.tile_params_, tile, result(part, channels),
                                      {0, part.count});
        } else {
            kernels::from_channels_last(step_.tile_params_, tile, result(part, 1), {0, part.count});
        }
    }

    // Where a tile begins in dst, whose pixels are `step` elements apart.
    void* result(const Tile& part, std::size_t step) const {
        const TensorId dst = step_.outputs()[0];
        const std::size_t image = step_.tile_params_.channels * step_.pixels_;
        return static_cast<std::byte*>(memory_.data(dst)) +
               (part.image * image + part.pixel * step) * size_of(step_.tile_params_.dst_type);
    }

    void run_planar(const Tile& part, std::byte* tiles) const {
        const std::vector<TensorId>& inputs = step_.inputs();
        const std::size_t channels = step_.tile_params_.channels;
        std::size_t used = 0;
        const auto planes_of = [&](TensorId id) -> kernels::EltwiseTensor {
            std::byte* planes = tiles + used * kGoodTile * sizeof(float);
            kernels::from_channels_last(step_.planar_[used++],
                                        tensor(id, SourceForm::kFull, part, 0).data, planes,
                                        {0, part.count});
            return {planes, step_.tile_};
        };
        const kernels::EltwiseTensor src = planes_of(inputs[0]);
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e + 1 < inputs.size(); ++e) {
            const SourceForm form = step_.forms_[e];
            binary_sources[e] = form == SourceForm::kFull ? planes_of(inputs[e + 1])
                                                          : tensor(inputs[e + 1], form, part, 0);
        }
        step_.kernel_.run({.src = src,
                           .dst = result(part, 1),
                           .dst_stride = step_.pixels_,
                           .binary_sources = {binary_sources, inputs.size() - 1},
                           .inner = part.count,
                           .stream = step_.stream_},
                          0, channels);
    }

    const EltwiseIoReorderStep& step_;
    RequestMemory& memory_;
};

bool EltwiseIoReorderStep::takes(const Shape& dims) {
    return dims.size() >= 3 && dims[1] >= 1 && dims[1] * kStep <= kTileElements;
}

namespace {

// Whether all that is not broadcast is transposed before the operations run.
bool is_planar(const post_ops::Chain& chain,
               const PlanTensor& src,
               const PlanTensor& dst,
               std::size_t binary_sources) {
    const auto forms = source_forms(chain, binary_sources);
    const auto full = std::count(forms.begin(), forms.end(), SourceForm::kFull);
    return dst.layout == Layout::kPlain && src.dims()[1] <= kFewChannels &&
           static_cast<std::size_t>(full) < kMaxPlanar;
}

// What the kernel stores: tiles that are transposed later are converted then.
post_ops::Chain stored(const post_ops::Chain& chain, bool planar) {
    return {chain.ops, planar ? chain.dst_type : ElementType::f32};
}

}  // namespace

EltwiseIoReorderStep::EltwiseIoReorderStep(const post_ops::Chain& chain,
                                           const PlanTensor& src,
                                           const PlanTensor& dst,
                                           const std::vector<PlanTensor>& binary_sources,
                                           const EltwiseIoReorderIds& ids)
    : kernel_(
          stored(chain, is_planar(chain, src, dst, binary_sources.size())),
          src.type,
          src.dims()[1],
          dst.layout == Layout::kChannelsLast || is_planar(chain, src, dst, binary_sources.size())
              ? kernels::EltwiseLayout::kPlanes
              : kernels::EltwiseLayout::kRows),
      forms_(source_forms(chain, binary_sources.size())),
      to_channels_last_(dst.layout == Layout::kChannelsLast) {
    if (binary_sources.size() > kMaxBinarySources) {
        throw Error("compile",
                    fmt::format("a fused eltwise reads {} binary sources, expected {} at most",
                                binary_sources.size(), kMaxBinarySources));
    }
    const Shape dims = src.dims();
    images_ = dims[0];
    pixels_ = shape_size(dims) / (dims[0] * dims[1]);
    tile_ = std::min(tile_pixels(dims[1]), pixels_);
    tile_params_.channels = dims[1];
    tile_params_.pixels = tile_;
    // The planes of the tile, or those of dst.
    tile_params_.plane_stride = to_channels_last_ ? tile_ : pixels_;
    tile_params_.src_type = ElementType::f32;
    tile_params_.dst_type = chain.dst_type;
    kernels::check_io_reorder(tile_params_);
    if (is_planar(chain, src, dst, binary_sources.size())) {
        add_planar(src.type);
        for (std::size_t e = 0; e < binary_sources.size(); ++e) {
            if (forms_[e] == SourceForm::kFull) {
                add_planar(binary_sources[e].type);
            }
        }
    }
    // Planes too large for the second cache come from nowhere and go to the user: fetching their
    // lines in order to write all of each takes a fifth of the time. Not measured elsewhere.
    constexpr std::size_t kLargeBytes = 4 << 20;
    stream_ =
        !planar_.empty() && dst.bytes() >= kLargeBytes && !kernels::loads_one_wide_vector_a_cycle();
    inputs_ = {ids.src};
    inputs_.insert(inputs_.end(), ids.binary_sources.begin(), ids.binary_sources.end());
    outputs_ = {ids.dst};
    info_.kind = "io_reorder";
    info_.implementation = "fuseq:eltwise_io_reorder";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout) + " -> " + to_string(dst.layout);
    info_.post_ops = post_ops::to_text(chain);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

void EltwiseIoReorderStep::add_planar(ElementType type) {
    kernels::IoReorderParams params;
    params.channels = tile_params_.channels;
    params.pixels = params.plane_stride = tile_;
    params.src_type = params.dst_type = type;
    kernels::check_io_reorder(params);
    planar_.push_back(params);
}

std::unique_ptr<Runner> EltwiseIoReorderStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

}  // namespace fuseq::cpu
