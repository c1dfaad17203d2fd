// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_args.hpp"

#include <algorithm>

namespace fuseq::kernels::gemm {
namespace {

bool reads_tensor(const PackedOp& op) {
    return op.kind == GemmOp::Kind::kSum || op.kind == GemmOp::Kind::kBinary;
}

}  // namespace

ColumnArgs::ColumnArgs(const Packed& p,
                       const NarrowResults* results,
                       const GemmArgs& args,
                       std::size_t column,
                       std::size_t pitch)
    : args_(args) {
    const auto size_in = [](Store store) { return store == Store::kF32 ? sizeof(float) : 1; };
    const std::size_t offset = column * p.shape.dst_channels;  // there is no pitch then
    for (const PackedOp& op : p.epilogue.ops) {
        if (reads_tensor(op)) {
            binary_sources_[op.binary.input] =
                static_cast<const char*>(args.binary_sources[op.binary.input]) +
                offset * size_of(op.binary.type);
        }
    }
    args_.binary_sources = {binary_sources_, kMaxBinarySources};
    const std::size_t element = args.rounding != nullptr ? 1 : size_in(p.store);
    args_.dst = static_cast<char*>(args.dst) + column * pitch * element;
    if (results != nullptr) {
        for (std::size_t i = 0; i < args.results.size(); ++i) {
            results_[i] = static_cast<char*>(args.results[i]) +
                          column * pitch * size_in(results->list[i].store);
        }
        args_.results = {results_, args.results.size()};
    }
}

void choose_binary_rows(const Packed& p, const GemmArgs& args, std::size_t row, const void** list) {
    std::copy(args.binary_sources.begin(), args.binary_sources.end(), list);
    for (const PackedOp& op : p.epilogue.ops) {
        const std::size_t input = reads_tensor(op) ? op.binary.input : 0;
        if (reads_tensor(op) && args.rows[input].data != nullptr) {
            const std::size_t bytes =
                p.shape.dst_width / p.window() * p.shape.dst_channels * size_of(op.binary.type);
            const GemmRows& rows = args.rows[input];
            list[input] = static_cast<const char*>(rows.data) + rows.offsets[row] -
                          static_cast<std::ptrdiff_t>(row * bytes);
        }
    }
}

std::size_t subpixel_row(const Packed& p, std::size_t pixel, const Panel& panel) {
    const SubPixels& subpixels = *p.subpixels;
    return pixel / p.shape.dst_width * subpixels.rows +
           subpixels.of(panel.channel) / subpixels.columns;
}

std::size_t subpixel_place(const Packed& p,
                           std::size_t pixel,
                           const Panel& panel,
                           std::size_t pitch) {
    const SubPixels& subpixels = *p.subpixels;
    const std::size_t subpixel = subpixels.of(panel.channel);
    const std::size_t width = p.shape.dst_width;
    const std::size_t column = pixel % width * subpixels.columns + subpixel % subpixels.columns;
    return (subpixel_row(p, pixel, panel) * width * subpixels.columns + column) * pitch +
           panel.channel - subpixel * subpixels.all_channels;
}

void choose_subpixel_sources(const Packed& p,
                             const GemmArgs& args,
                             std::size_t row,
                             std::ptrdiff_t place,
                             const void** list) {
    const SubPixels& subpixels = *p.subpixels;
    const std::size_t row_elements = p.shape.dst_width * subpixels.columns * subpixels.channels;
    for (const PackedOp& op : p.epilogue.ops) {
        if (!reads_tensor(op)) {
            continue;
        }
        const std::size_t input = op.binary.input;
        const bool few = !args.rows.empty() && args.rows[input].data != nullptr;
        const auto* const begin =
            static_cast<const char*>(few ? args.rows[input].data : args.binary_sources[input]);
        const std::size_t offset = few ? args.rows[input].offsets[row] : 0;
        const std::ptrdiff_t at =
            place - (few ? static_cast<std::ptrdiff_t>(row * row_elements) : 0);
        list[input] = begin + static_cast<std::ptrdiff_t>(offset) +
                      at * static_cast<std::ptrdiff_t>(size_of(op.binary.type));
    }
}

void set_residual(const Packed& p, const GemmArgs& args, std::size_t place, WideCall& call) {
    const auto from = [&](std::size_t input) {
        return static_cast<const std::uint8_t*>(args.binary_sources[input]) + place;
    };
    if (const auto& add = p.epilogue.add) {
        call.add = &*add;
        call.q_signed = !add->q_unsigned;
        call.residual = from(add->input);
    } else if (const auto& sum = p.epilogue.sum) {
        call.residual = from(sum->input);
        call.residual_signed = sum->type == ElementType::i8;
    }
}

}  // namespace fuseq::kernels::gemm
