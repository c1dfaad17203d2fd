// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/fused_eltwise.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

const void* advance(const void* data, ElementType type, std::size_t elements) {
    return static_cast<const std::byte*>(data) + elements * size_of(type);
}

class EltwiseRunner final : public Runner {
public:
    EltwiseRunner(const Step& step,
                  const kernels::EltwiseKernel& kernel,
                  const EltwiseExtent& extent,
                  RequestMemory& memory)
        : step_(step),
          kernel_(kernel),
          extent_(extent),
          memory_(memory),
          binary_sources_(step.inputs().size() - 1) {}

    void run() override {
        const std::vector<TensorId>& inputs = step_.inputs();
        for (std::size_t e = 0; e < binary_sources_.size(); ++e) {
            binary_sources_[e] = {memory_.data(inputs[e + 1]), stride_of(e)};
        }
        const kernels::EltwiseKernelArgs args{.src = {memory_.data(inputs[0]), extent_.length},
                                              .dst = memory_.data(step_.outputs()[0]),
                                              .dst_stride = extent_.length,
                                              .binary_sources = binary_sources_,
                                              .inner = extent_.length,
                                              .rows_per_image = extent_.rows_per_image};
        const bool few_planes =
            extent_.layout == kernels::EltwiseLayout::kPlanes && extent_.length >= 2 * kPart;
        if (few_planes) {
            run_parts(args);
            return;
        }
        parallel_for(extent_.rows, kernel_.grain(extent_.length),
                     [&](std::size_t begin, std::size_t end) { kernel_.run(args, begin, end); });
    }

    void run_rows(const RowPart& part) override {
        const std::vector<TensorId>& inputs = step_.inputs();
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e < binary_sources_.size(); ++e) {
            const bool whole = extent_.forms[e] == SourceForm::kPlane;
            binary_sources[e] = {
                whole ? memory_.data(inputs[e + 1]) : memory_.rows(inputs[e + 1], part),
                stride_of(e)};
        }
        const kernels::EltwiseKernelArgs args{
            .src = {memory_.rows(inputs[0], part), extent_.length},
            .dst = memory_.rows(step_.outputs()[0], part),
            .dst_stride = extent_.length,
            .binary_sources = {binary_sources, binary_sources_.size()},
            .inner = extent_.length,
            .rows_per_image = extent_.rows_per_image};
        kernel_.run(args, part.begin, part.end);
    }

private:
    static constexpr std::size_t kPart = 8192;  // elements of a plane that are worth a task

    // From row to row or plane to plane; of one element a plane from image to image.
    std::size_t stride_of(std::size_t e) const {
        if (extent_.forms[e] != SourceForm::kPlane) {
            return extent_.length;
        }
        const bool shared = memory_.tensor(step_.inputs()[e + 1]).shape[0] == Dimension(1);
        return shared ? 0 : extent_.channels;
    }

    // Large planes are cut, or three of them would keep three threads busy at most.
    void run_parts(const kernels::EltwiseKernelArgs& whole) const {
        const std::size_t parts = (extent_.length + kPart - 1) / kPart;
        parallel_for(extent_.rows * parts, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                run_part(whole, i / parts, i % parts * kPart);
            }
        });
    }

    void run_part(const kernels::EltwiseKernelArgs& whole,
                  std::size_t plane,
                  std::size_t offset) const {
        const std::vector<TensorId>& inputs = step_.inputs();
        const auto type_of = [&](TensorId id) { return memory_.tensor(id).type; };
        kernels::EltwiseKernelArgs args = whole;
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e < binary_sources_.size(); ++e) {
            const std::size_t by = extent_.forms[e] == SourceForm::kPlane ? 0 : offset;
            binary_sources[e] = {advance(binary_sources_[e].data, type_of(inputs[e + 1]), by),
                                 binary_sources_[e].stride};
        }
        args.binary_sources = {binary_sources, binary_sources_.size()};
        args.src.data = advance(whole.src.data, type_of(inputs[0]), offset);
        args.dst =
            static_cast<std::byte*>(whole.dst) + offset * size_of(type_of(step_.outputs()[0]));
        args.inner = std::min(kPart, extent_.length - offset);
        kernel_.run(args, plane, plane + 1);
    }

    const Step& step_;
    const kernels::EltwiseKernel& kernel_;
    const EltwiseExtent& extent_;
    RequestMemory& memory_;
    std::vector<kernels::EltwiseTensor> binary_sources_;
};

// In memory order a tensor is [.., channels, inner]; with one element a channel these are rows.
EltwiseExtent extent_of(const PlanTensor& src,
                        std::size_t axis,
                        const post_ops::Chain& chain,
                        std::size_t binary_sources) {
    const Shape dims = src.dims();
    EltwiseExtent extent;
    extent.channels = axis < dims.size() ? std::max<std::size_t>(1, dims[axis]) : 1;
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < dims.size(); ++d) {
        inner *= dims[d];
    }
    if (src.layout == Layout::kChannelsLast) {
        inner = axis == 1 ? 1 : axis > 1 ? inner * dims[1] : inner;
    }
    const bool rows = inner == 1;
    extent.layout = rows ? kernels::EltwiseLayout::kRows : kernels::EltwiseLayout::kPlanes;
    extent.length = rows ? extent.channels : inner;
    extent.rows = extent.length == 0 ? 0 : shape_size(dims) / extent.length;
    const std::size_t images = dims.empty() ? 1 : std::max<std::size_t>(1, dims[0]);
    extent.rows_per_image = std::max<std::size_t>(1, extent.rows / images);
    extent.forms = source_forms(chain, binary_sources);
    return extent;
}

}  // namespace

std::vector<SourceForm> source_forms(const post_ops::Chain& chain, std::size_t binary_sources) {
    std::vector<SourceForm> forms(binary_sources, SourceForm::kFull);
    for (const post_ops::BasicOp& op : chain.ops) {
        if (const auto* binary = std::get_if<post_ops::Binary>(&op)) {
            forms.at(binary->input) = binary->per_plane   ? SourceForm::kPlane
                                      : binary->per_pixel ? SourceForm::kPixel
                                                          : SourceForm::kFull;
        }
    }
    return forms;
}

FusedEltwiseStep::FusedEltwiseStep(const post_ops::Chain& chain,
                                   const PlanTensor& src,
                                   TensorId src_id,
                                   std::vector<TensorId> binary_sources,
                                   const PlanTensor& dst,
                                   TensorId dst_id,
                                   std::size_t axis)
    : chain_(chain),
      extent_(extent_of(src, axis, chain, binary_sources.size())),
      kernel_(chain, src.type, extent_.channels, extent_.layout) {
    if (binary_sources.size() > kMaxBinarySources) {
        throw Error("compile",
                    fmt::format("a fused eltwise reads {} binary sources, expected {} at most",
                                binary_sources.size(), kMaxBinarySources));
    }
    inputs_ = {src_id};
    inputs_.insert(inputs_.end(), binary_sources.begin(), binary_sources.end());
    outputs_ = {dst_id};
    info_.kind = "eltwise";
    info_.implementation = "fuseq:eltwise";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout);
    info_.post_ops = post_ops::to_text(chain);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

RowChain FusedEltwiseStep::row_chain() const {
    const bool by_rows = extent_.layout == kernels::EltwiseLayout::kRows && inputs_.size() == 1;
    return by_rows ? RowChain{&chain_, extent_.channels} : RowChain{};
}

std::optional<RowTiling> FusedEltwiseStep::row_tiling() const {
    if (extent_.layout != kernels::EltwiseLayout::kRows) {
        return std::nullopt;
    }
    RowTiling tiling{.rows = extent_.rows};
    for (std::size_t e = 0; e < extent_.forms.size(); ++e) {
        if (extent_.forms[e] == SourceForm::kPlane) {
            tiling.whole.push_back(inputs_[e + 1]);
        }
    }
    return tiling;
}

std::unique_ptr<Runner> FusedEltwiseStep::bind(RequestMemory& memory) const {
    return std::make_unique<EltwiseRunner>(*this, kernel_, extent_, memory);
}

}  // namespace fuseq::cpu
