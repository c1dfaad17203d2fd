// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are copied to scratch memory, a block of rows of the first one at a time: as bytes
// (kAmx, kVnni512, kVnni256), where those of the first operand stay where they are if the form reads
// them as they are, or as 16-bit integers less their zero points (kPairs).
#include "cpu/kernels/gemm/data_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/kernels/gemm/data_product_pack.hpp"
#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"

namespace fuseq::kernels {

using namespace gemm;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;  // of rows of a
// Epilogues work on four vectors at a time, the last ones of which may be none.
constexpr std::size_t kMaxSums = std::max(kTileVectors, kAmxRows* kMaxPanelVectors) + 3;

std::size_t lines(std::size_t bytes) {
    return (bytes + kLine - 1) / kLine * kLine;
}

// Panels of one product, with the tiles of this thread.
class Worker {
public:
    Worker(const PackedDataProduct& packed, void* scratch)
        : p_(packed), b_(static_cast<std::uint8_t*>(scratch)) {
        init_ = reinterpret_cast<std::int32_t*>(b_ + p_.b_bytes);
        a_ = b_ + p_.b_bytes + p_.init_bytes;
        packing_ = a_ + p_.a_bytes;
    }

    void pack(const void* b) {
        pack_matrix(p_, static_cast<const std::uint8_t*>(b), b_, packing_);
        begin_sums();
    }

    void multiply(const DataProductArgs& args, Range rows) {
        args_.dst = args.dst;
        args_.binary_sources = args.binary_sources;
        src_ = static_cast<const std::uint8_t*>(args.a);
        for (std::size_t at = rows.begin; at < rows.end; at += p_.block) {
            const Range block{at, std::min(at + p_.block, rows.end)};
            const std::uint8_t* const src = p_.in_place ? src_ + at * p_.a.row : copy(block);
            const std::size_t step = p_.in_place ? p_.a.row : p_.depth4 * 4;
            for (std::size_t panel = 0; panel < p_.panels; ++panel) {
                tiles(src, step, block, panel);
            }
        }
    }

private:
    // Sums begin with what the zero point of a takes away: a product with a row of it.
    void begin_sums() {
        std::fill_n(init_, p_.vectors() * kLanes, 0);
        if (p_.pairs || p_.fill == 0) {
            return;
        }
        std::memset(packing_, p_.fill, p_.depth4 * 4);
        for (std::size_t panel = 0; panel < p_.panels; ++panel) {
            alignas(kLine) std::int32_t sums[kMaxSums * kLanes];
            multiply(packing_, 0, 1, panel, sums);
            std::transform(sums, sums + p_.vectors_of(panel) * kLanes,
                           init_ + panel * p_.panel_vectors * kLanes,
                           [](std::int32_t sum) { return -sum; });
        }
    }

    const std::uint8_t* copy(Range rows) const {
        copy_rows(p_, src_ + rows.begin * p_.a.row, rows.end - rows.begin, a_);
        return a_;
    }

    // The sums to `tile`; fused: what `finish` says to dst.
    void multiply(const std::uint8_t* src,
                  std::size_t step,
                  std::size_t rows,
                  std::size_t panel,
                  std::int32_t* tile,
                  FusedFunction fused = nullptr,
                  const EpilogueCall* finish = nullptr) {
        static constexpr std::ptrdiff_t kTap[] = {0};
        const auto* const wei = reinterpret_cast<const std::int8_t*>(p_.step_of(b_, panel, 0));
        const std::size_t vectors = p_.vectors_of(panel);
        const std::int32_t* const init = init_ + panel * p_.panel_vectors * kLanes;
        if (p_.amx) {
            tiles_.sum({.src = src,
                        .src_step = step,
                        .rows = rows,
                        .wei = wei,
                        .vectors = vectors,
                        .depth4 = p_.depth4,
                        .taps = kTap,
                        .init = init,
                        .init_step = kLanes,
                        .src_signed = p_.a.type == ElementType::i8,
                        .tile = tile,
                        .ahead = wei});
            return;
        }
        const MicroCall call{.src = src,
                             .src_step = static_cast<std::ptrdiff_t>(step),
                             .wei = wei,
                             .depth4 = p_.depth4,
                             .taps = kTap,
                             .init = init,
                             .tile = tile,
                             .ahead = wei,
                             .ahead_step = 0};
        fused != nullptr ? fused(call, *finish) : p_.kernels[vectors - 1].functions[rows - 1](call);
    }

    void tiles(const std::uint8_t* src, std::size_t step, Range block, std::size_t number) {
        alignas(kLine) std::int32_t sums[kMaxSums * kLanes];
        const std::size_t vectors = p_.vectors_of(number);
        const std::size_t channel = number * p_.panel_vectors * kLanes;
        const Panel panel{.channel = channel,
                          .channels = std::min(vectors * kLanes, p_.columns - channel),
                          .vectors = vectors};
        const bool whole = panel.channels == vectors * kLanes;
        const EpilogueFunction finish = p_.finish[vectors - 1][whole ? 1 : 0];
        const std::size_t count = block.end - block.begin;
        const std::size_t most = p_.kernels[vectors - 1].rows;
        const std::size_t parts = (count + most - 1) / most;
        // Tiles of AMX stay of one size, which takes long to set: the last one begins earlier.
        const std::size_t same = p_.amx ? (count + parts - 1) / parts : 0;
        for (std::size_t i = 0; i < parts; ++i) {
            const Range part =
                p_.amx ? Range{i * same, std::min((i + 1) * same, count)} : share(count, i, parts);
            const std::size_t rows = part.end - part.begin;
            const std::size_t again = p_.amx ? same - rows : 0;
            const EpilogueCall call{.epilogue = &p_.epilogue,
                                    .panel = &panel,
                                    .tile = sums + again * vectors * kLanes,
                                    .rows = rows,
                                    .pixel = block.begin + part.begin,
                                    .channels = p_.dst_row,
                                    .sums = nullptr,
                                    .args = &args_};
            const FusedFunction fused = whole && p_.fused[vectors - 1] != nullptr
                                            ? p_.fused[vectors - 1][rows - 1]
                                            : nullptr;
            multiply(src + (part.begin - again) * step, step, rows + again, number, sums, fused,
                     &call);
            if (fused == nullptr) {
                finish(call);
            }
        }
    }

    const PackedDataProduct& p_;
    GemmArgs args_;  // for the epilogue
    const std::uint8_t* src_ = nullptr;
    std::uint8_t* b_;
    std::int32_t* init_;
    std::uint8_t* a_;
    std::uint8_t* packing_;
    AmxTiles tiles_;
};

void check_operand(const MatrixOperand& m, const char* name) {
    if (m.type != ElementType::u8 && m.type != ElementType::i8) {
        refuse(name, " is ", to_string(m.type), ", expected u8 or i8");
    }
    const std::int32_t low = m.type == ElementType::i8 ? -128 : 0;
    if (m.zero_point < low || m.zero_point > low + 255) {
        refuse("the zero point of ", name, " is ", m.zero_point, ", expected ", low, " to ",
               low + 255);
    }
}

void check_product(const DataProductParams& params) {
    check_operand(params.a, "the first matrix");
    check_operand(params.b, "the second matrix");
    if (params.rows == 0 || params.columns == 0 || params.depth == 0 ||
        params.depth > DataProduct::kMaxDepth) {
        refuse(params.rows, " rows, ", params.columns, " columns, depth ", params.depth,
               ", expected 1 or more, and a depth of ", DataProduct::kMaxDepth, " at most");
    }
    if (params.a.column != 1 || (params.b.row != 1 && params.b.column != 1)) {
        refuse("neither rows nor columns of a matrix are contiguous");
    }
    if (params.form == GemmForm::kBest || params.form == GemmForm::kBytes) {
        refuse("two computed matrices are multiplied in pairs, with VNNI or with AMX");
    }
}

GemmParams epilogue_params(const DataProductParams& params) {
    GemmParams result;
    result.shape.dst_channels = params.columns;
    result.dst_type = params.dst_type;
    result.scale = params.scale;
    result.bias = params.bias;
    result.ops = params.ops;
    return result;
}

// Whether results may leave the range of 32-bit integers.
bool may_leave_integers(const DataProductParams& params, const Epilogue& epilogue) {
    constexpr double kFits = 1e9;
    constexpr double kLargest = 255.0 * 255.0;
    const double products = kLargest * static_cast<double>(params.depth);
    double bound = 0;
    for (std::size_t c = 0; c < params.columns; ++c) {
        const auto bias = static_cast<double>(epilogue.bias[c]);
        const auto scale = static_cast<double>(epilogue.scale[c]);
        bound = std::max(bound, std::abs(scale) * (products + std::abs(bias)));
    }
    for (const GemmOp& op : params.ops) {
        bound = bound_after(op, bound);
    }
    return !(bound < kFits);
}

// The form in which the products are added up.
GemmForm form_of(const DataProductParams& params) {
    const bool bytes = params.b.type == ElementType::i8 && params.b.zero_point == 0;
    return bytes ? params.form : GemmForm::kPairs;
}

void choose_functions(PackedDataProduct& p, const GemmParams& epilogue, GemmForm form) {
    const Store store = store_of(epilogue);
    const bool narrow = form == GemmForm::kPairs || form == GemmForm::kVnni256;
    p.panel_vectors = narrow ? 1 : kMaxPanelVectors;
    for (std::size_t v = 0; v < p.panel_vectors; ++v) {
        if (narrow) {
            p.kernels[v] = narrow_kernel(form);
        } else if (p.amx) {
            p.kernels[v] = {nullptr, kAmxRows};
        } else {
            p.kernels[v] = {v == 0 ? micro_functions<1>() : micro_functions<2>(), kMaxRows[v + 1]};
        }
        if (form == GemmForm::kVnni512 && v + 1 == kFusedVectors) {
            p.fused[v] = store == Store::kF32 ? fused_float_functions(p.epilogue)
                                              : fused_functions(p.epilogue, store);
        }
        for (const bool whole : {false, true}) {
            EpilogueFunction& finish = p.finish[v][whole ? 1 : 0];
            if (narrow) {
                finish = narrow_epilogue(p.epilogue, store,
                                         whole ? PanelFill::kWhole : PanelFill::kPart);
                continue;
            }
            finish = fixed_epilogue(p.epilogue, store, v + 1, whole);
            if (finish == nullptr) {
                finish = general_epilogue(store, v + 1, whole);
            }
        }
    }
}

// How rows of a are read, and the depth of both operands.
void lay_out_rows(PackedDataProduct& p, const DataProductParams& params) {
    p.flip = !p.pairs && !p.amx && params.a.type == ElementType::i8 ? 0x80 : 0;
    p.fill = static_cast<std::uint8_t>(params.a.zero_point) ^ p.flip;
    p.depth4 = (params.depth * (p.pairs ? 2 : 1) + 3) / 4;
    // Tiles without a remainder: with zeros after the depth where it has no large divisor.
    constexpr std::size_t kWholeTile = 16, kHalfTile = 8;
    if (p.amx && p.depth4 > kWholeTile && amx_tile_depth(p.depth4) < kHalfTile) {
        p.depth4 = (p.depth4 + kWholeTile - 1) / kWholeTile * kWholeTile;
    }
    p.in_place = !p.pairs && p.flip == 0 && p.depth4 * 4 <= params.depth + params.a_slack;
}

PackedDataProduct packed_of(const DataProductParams& params) {
    check_product(params);
    PackedDataProduct p;
    p.depth = params.depth;
    p.columns = params.columns;
    p.a = params.a;
    p.b = params.b;
    p.dst_row = params.dst_row;
    const GemmForm form = form_of(params);
    p.pairs = form == GemmForm::kPairs;
    p.amx = form == GemmForm::kAmx;
    p.implementation = p.pairs                      ? "data_product_pairs"
                       : p.amx                      ? "data_product_amx"
                       : form == GemmForm::kVnni512 ? "data_product_vnni512"
                                                    : "data_product_vnni256";
    lay_out_rows(p, params);

    const GemmParams epilogue = epilogue_params(params);
    p.epilogue.scale = padded(params.scale, 1.0f, params.columns, "scale");
    p.epilogue.bias = padded(params.bias, 0.0f, params.columns, "bias");
    p.epilogue.ops = packed_ops(epilogue, false);
    p.epilogue.clamp = may_leave_integers(params, p.epilogue);
    choose_functions(p, epilogue, form);
    p.panels = (params.columns + p.panel_vectors * kLanes - 1) / (p.panel_vectors * kLanes);
    const std::size_t rows = p.kernels[p.panel_vectors - 1].rows;
    p.block = std::min(params.rows, std::max(rows, kBlockBytes / (p.depth4 * 4) / rows * rows));

    p.b_bytes = p.vectors() * p.depth4 * kStepBytes;
    p.init_bytes = p.vectors() * kLanes * sizeof(std::int32_t);
    p.a_bytes = p.in_place ? 0 : lines(p.block * p.depth4 * 4);
    p.packing_bytes = lines(std::max(p.vectors() * kStepBytes, p.depth4 * 4));
    return p;
}

}  // namespace

DataProduct::DataProduct(const DataProductParams& params)
    : packed_(std::make_unique<const PackedDataProduct>(packed_of(params))) {}
DataProduct::~DataProduct() = default;
DataProduct::DataProduct(DataProduct&&) noexcept = default;
DataProduct& DataProduct::operator=(DataProduct&&) noexcept = default;

std::size_t DataProduct::scratch_bytes() const {
    const PackedDataProduct& p = *packed_;
    return p.b_bytes + p.init_bytes + p.a_bytes + p.packing_bytes;
}

void DataProduct::pack(const void* b, void* scratch) const {
    Worker(*packed_, scratch).pack(b);
}

void DataProduct::multiply(const DataProductArgs& args, Range rows) const {
    Worker(*packed_, args.scratch).multiply(args, rows);
}

void DataProduct::run(const DataProductArgs& args, Range rows) const {
    Worker worker(*packed_, args.scratch);
    worker.pack(args.b);
    worker.multiply(args, rows);
}

const std::string& DataProduct::implementation() const {
    return packed_->implementation;
}

}  // namespace fuseq::kernels
