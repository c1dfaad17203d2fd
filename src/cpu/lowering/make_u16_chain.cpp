// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A run of element-wise nodes that ends in whole numbers of 16 bits, with the Convert after it:
// tiles of floats stay in L1 until they are stored as u16, in the order of the layers that read
// them.
#include <algorithm>
#include <memory>
#include <vector>

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/kernels/eltwise/io_reorder.hpp"
#include "cpu/kernels/gemm/u16_product.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/lowering/u16_chain.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kTile = 4096;  // floats
constexpr std::size_t kStep = 64;    // pixels of a step of the io_reorder kernel
constexpr std::size_t kTilesATask = 4;

// The tensors as rows: of all elements, of the channels of a pixel, or of a plane of an image.
struct Rows {
    kernels::EltwiseLayout layout = kernels::EltwiseLayout::kPlanes;
    bool transposes = false;   // planes, which become pixels
    std::size_t channels = 1;  // that have values of their own
    std::size_t images = 1;    // whose planes are apart
    std::size_t length = 0;    // pixels of an image, or elements
    std::size_t tile = kTile;  // of them, at most
};

struct ChainWork {
    kernels::EltwiseKernel kernel;
    Rows rows;
    kernels::IoReorderParams reorder;

    void run(const CallMemory& memory) const {
        const std::size_t tiles = (rows.length + rows.tile - 1) / rows.tile;
        parallel_for(rows.images * tiles, kTilesATask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t first = i % tiles * rows.tile;
                run_tile(memory, i / tiles * rows.length * rows.channels, first,
                         std::min(rows.tile, rows.length - first));
            }
        });
    }

private:
    void run_tile(const CallMemory& memory,
                  std::size_t image,
                  std::size_t first,
                  std::size_t count) const {
        alignas(64) float floats[kTile];
        const bool pixels = rows.layout == kernels::EltwiseLayout::kRows;
        const std::size_t from = image + first * (pixels ? rows.channels : 1);
        const std::size_t stride = pixels ? rows.channels : rows.length;
        kernels::EltwiseTensor binary_sources[kMaxBinarySources];
        for (std::size_t e = 0; e + 1 < memory.inputs.size(); ++e) {
            binary_sources[e] = {memory.input<float>(e + 1) + from, stride};
        }
        kernel.run({.src = {memory.input<float>(0) + from, stride},
                    .dst = floats,
                    .dst_stride = pixels ? rows.channels : rows.tile,
                    .binary_sources = {binary_sources, memory.inputs.size() - 1},
                    .inner = count,
                    .rows_per_image = rows.tile},
                   0, pixels ? count : rows.channels);
        store(floats, count, memory.output<std::uint16_t>(0) + image + first * rows.channels);
    }

    void store(const float* floats, std::size_t count, std::uint16_t* to) const {
        constexpr std::size_t kColors = 3;
        if (!rows.transposes) {
            return kernels::store_u16(floats, count * rows.channels, to);
        }
        if (rows.channels == kColors) {
            return kernels::store_u16_of_three(floats, rows.tile, count, to);
        }
        alignas(64) float transposed[kTile];
        kernels::to_channels_last(reorder, floats, transposed, {0, count});
        kernels::store_u16(transposed, count * rows.channels, to);
    }
};

// Why not, or the rows. `from`: the layout of the sources, `to`: of the result.
Verdict rows_of(const Group& group, Layout from, Layout to, Rows& rows) {
    const Shape dims = group.source.shape();
    rows.length = shape_size(dims);
    if (rows.length == 0) {
        return Verdict::no("an empty tensor");
    }
    rows.transposes = from != to && !layouts_agree(dims);
    if (rows.transposes && to == Layout::kPlain) {
        return Verdict::no("pixels that become planes");
    }
    if (!rows.transposes && !group.axis_fixed) {
        return Verdict::yes();
    }
    if (dims.size() < 3 || (group.axis_fixed && group.channel_axis != 1) ||
        (!rows.transposes && from == Layout::kPlain)) {
        return Verdict::no("values a channel that are no rows of the layout");
    }
    rows.channels = dims[1];
    const std::size_t least = rows.transposes ? kStep : 1;
    if (rows.channels * least > kTile) {
        return Verdict::no("tiles of so many channels do not fit the first cache");
    }
    rows.images = rows.transposes ? dims[0] : 1;
    rows.length = shape_size(dims) / (rows.images * rows.channels);
    rows.layout = rows.transposes ? kernels::EltwiseLayout::kPlanes : kernels::EltwiseLayout::kRows;
    rows.tile = kTile / rows.channels / least * least;
    return Verdict::yes();
}

bool reads_whole_floats(const Group& group, const post_ops::Chain& chain) {
    const auto forms = source_forms(chain, group.binary_sources.size());
    return group.source.type() == ElementType::f32 &&
           std::all_of(forms.begin(), forms.end(),
                       [](SourceForm form) { return form == SourceForm::kFull; }) &&
           std::all_of(group.binary_sources.begin(), group.binary_sources.end(),
                       [](const Output& source) { return source.type() == ElementType::f32; });
}

kernels::IoReorderParams reorder_of(const Rows& rows) {
    kernels::IoReorderParams params;
    params.channels = rows.channels;
    params.pixels = params.plane_stride = rows.tile;
    params.src_type = params.dst_type = ElementType::f32;
    if (rows.transposes) {
        kernels::check_io_reorder(params);
    }
    return params;
}

}  // namespace

Verdict make_u16_chain(StepBuilder& builder,
                       const Group& group,
                       const post_ops::Chain& chain,
                       TensorId& result) {
    Node* const convert = before_u16_rounding(chain)
                              ? u16_convert_after(builder, group, group.source.shape())
                              : nullptr;
    if (convert == nullptr) {
        return Verdict::other_kind();
    }
    if (!reads_whole_floats(group, chain) || group.binary_sources.size() > kMaxBinarySources) {
        return Verdict::no("sources that are no floats of the same shape");
    }
    const Layout to = u16_layout(*convert);
    const Layout other = to == Layout::kPlain ? Layout::kChannelsLast : Layout::kPlain;
    const Layout from = builder.available(group.source, to) ? to : other;
    for (const Output& source : group.binary_sources) {
        if (!builder.available(source, from)) {
            return Verdict::no("a binary source of another layout than the source");
        }
    }
    Rows rows;
    if (Verdict verdict = rows_of(group, from, to, rows); !verdict) {
        return verdict;
    }
    CallStep::Tensors tensors;
    tensors.inputs = {builder.tensor_of(group.source, from)};
    for (const Output& source : group.binary_sources) {
        tensors.inputs.push_back(builder.tensor_of(source, from));
    }
    const TensorId dst = builder.new_tensor(ElementType::u16, group.source.shape(), to);
    tensors.outputs = {dst};
    StepInfo info = kernel_info("eltwise", "u16_eltwise", builder.tensor(tensors.inputs[0]),
                                builder.tensor(dst));
    info.post_ops = post_ops::to_text(chain);
    info.name = group.result.node->name();
    add_layers(info, group);
    const auto layers = origins_of(*convert);
    info.layers.insert(info.layers.end(), layers.begin(), layers.end());
    auto work = std::make_shared<const ChainWork>(ChainWork{
        .kernel = kernels::EltwiseKernel(chain, ElementType::f32, rows.channels, rows.layout),
        .rows = rows,
        .reorder = reorder_of(rows)});
    builder.add_step(
        std::make_unique<CallStep>([work](const CallMemory& memory) { work->run(memory); },
                                   std::move(tensors), std::move(info)));
    builder.finish_node(*convert, dst);
    result = kNoTensor;
    return Verdict::yes();
}

}  // namespace fuseq::cpu
