// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the integer matrix product share. Private to them.
//
// dst is cut into tiles of up to kTileRows pixels by a panel of 32 (16) channels, whose
// accumulators stay in registers while all taps and channels are added; the finished tile goes
// through a buffer in L1 to the epilogue.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/common/large_pages.hpp"
#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/kernels/gemm/gemm_vnni_weights.hpp"
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kLanes = 16;           // 32-bit values in a vector
inline constexpr std::size_t kTileVectors = 28;     // accumulators
inline constexpr std::size_t kMaxPanelVectors = 2;  // vectors of a panel
// Of a tile, by vectors of the panel; those of 64 channels are gemm_vnni_wide.hpp's.
inline constexpr std::size_t kMostRows[] = {0, 28, 14, 8, 6};
inline constexpr std::size_t kMaxPooled[] = {0, 7, 3};  // pixels of a tile, each the most of four

inline constexpr std::size_t kOverread = 64;   // bytes after the end of scratch
inline constexpr std::size_t kLastPixels = 3;  // that hold three bytes

// One call of the micro-kernel: `rows` x `vectors` accumulators.
struct MicroCall {
    const std::uint8_t* src;               // first pixel, first tap
    std::ptrdiff_t src_step;               // bytes from one pixel to the next
    const std::int8_t* wei;                // [tap][depth / 4][16 * vectors][4]
    std::size_t depth4;                    // bytes of a tap, by fours
    std::span<const std::ptrdiff_t> taps;  // where each begins, from src
    const std::int32_t* init;
    std::int32_t* tile;  // [rows][16 * vectors]
    // Fetched into L2: a cache line for each four bytes of depth, the next one so many bytes on.
    const std::int8_t* ahead;
    std::size_t ahead_step;
    std::ptrdiff_t row_step = 0;  // of pooled ones: bytes from a row of the image to the next
    std::size_t skip = 0;         // bytes of weights between two taps
};
using MicroFunction = void (*)(const MicroCall& call);
// By number of rows less 1, for panels of one and of two vectors.
const MicroFunction* micro_functions_1();
const MicroFunction* micro_functions_2();
// By number of pixels less 1, each the largest of 2 x 2: their first row begins at `src`.
const MicroFunction* pooled_micro_functions_1();
const MicroFunction* pooled_micro_functions_2();

// Of machines without VNNI: 16-bit integers in pairs, for panels of one vector of channels. The
// source is in scratch as 16-bit integers, less its zero point, and so are the weights.
struct PairKernel {
    const MicroFunction* functions;  // by number of rows less 1
    std::size_t rows;                // at most
};
PairKernel pair_kernel();
// Bytes less a zero point, as 16-bit integers.
void widen(
    const void* from, std::size_t count, bool is_signed, std::int32_t zero_point, std::int16_t* to);

struct EpilogueCall;
using EpilogueFunction = void (*)(const EpilogueCall& call);
using FusedFunction = void (*)(const MicroCall& call, const EpilogueCall& finish);

// A panel of output channels.
struct Panel {
    std::size_t channel = 0;  // first
    std::size_t channels = 0;
    std::size_t vectors = 0;
    Range taps{};  // all but of deconvolutions
    const std::int8_t* wei = nullptr;
    const MicroFunction* micro = nullptr;
    EpilogueFunction finish = nullptr;
    const FusedFunction* fused = nullptr;  // instead of both, by number of rows less 1
    WideFunction wide = nullptr;           // instead of all, with its constants
    const WidePanel* constants = nullptr;
};

// scale * gelu(x) = scale * (max(x, 0) - f(|x|)): f falls to nothing and is cubic polynomials of
// |x| on 32 intervals. Good to 1e-6 of the larger of gelu and 1, which is enough where what follows
// is rounded to 8 bits; exact at 0 and far from it, where halves would be seen; and a tenth of the
// work of an exact gelu_erf.
struct GeluTable {
    static constexpr std::size_t kIntervals = 32;
    static constexpr std::size_t kDegree = 3;
    // Interval number i lies around i / kPerUnit; in the last one f is less than 1e-6 and
    // counts as nothing.
    static constexpr float kPerUnit = 6.0f;
    static constexpr float kEnd = 5.249999f;
    alignas(64) float coefficients[kDegree + 1][kIntervals];  // with -scale in them
    float scale;
    explicit GeluTable(const post_ops::Eltwise& eltwise);
    static bool knows(post_ops::EltwiseKind kind);
    float value(float x) const;  // for tests of the table
};

// Constants are one value a channel, padded to whole vectors.
struct PackedOp {
    GemmOp::Kind kind = GemmOp::Kind::kRound;
    AlignedVector<float> a, b;
    post_ops::Eltwise eltwise{};
    post_ops::Binary binary{};
    // An activation whose result is rounded to 8 bits need not be exact to the last bit: 2e-7 of
    // the larger of its value and 1; gelu takes the table.
    bool quick = false;
    std::shared_ptr<const GeluTable> gelu{};
};

enum class Store : std::uint8_t { kU8, kI8, kF32 };

// An elu of which bytes remain takes only some values below zero, and where it is no steeper than
// the line it comes from, two of them at most within a step of that line: what is added to the sum
// moves the place where one ends and the next begins. The byte is (sum + add[min(sum >> shift,
// steps - 1)]) >> shift, the minimum of unsigned numbers, saturated to `least` too. Of an unsigned
// q and for unsigned bytes only.
struct Bend {
    static constexpr std::size_t kMaxSteps = 64;  // a table in four registers
    std::size_t steps = 0;  // half of them, or all; the last one is of all other sums
    std::array<std::int32_t, kMaxSteps> add{};
    std::int32_t least = 0;
    bool is_long() const { return steps == kMaxSteps; }
    bool operator==(const Bend&) const = default;
};

// What is done to a value that has been rounded to a byte q and to the element r of a tensor, in
// integers: the byte that is stored is (a * q + b * r + c) >> shift, saturated. q and r are signed
// here: less 128 where they were not. An elu after them bends that line where it falls below zero.
struct Join {
    std::size_t input = 0;    // of the tensor, among the binary_sources
    bool q_unsigned = false;  // before
    std::int32_t r_flip = 0;  // what four of its bytes are xored with to become signed
    std::int32_t upper = 0;   // a / 256 and b / 256, as words
    std::int32_t lower = 0;   // the rest of each, in the upper byte of its word
    std::int32_t c = 0;
    std::int32_t shift = 0;
    std::optional<Bend> bend{};
    bool operator==(const Join&) const = default;
};

struct Epilogue {
    AlignedVector<float> bias, scale;
    AlignedVector<float> of_sum;  // minus the zero points of the weights; empty for zero
    std::vector<PackedOp> ops;
    std::optional<Join> join{};  // the same as the operations, bytes for bytes
    bool clamp = false;          // values may leave the range of 32-bit integers
};

// A round to bytes, then products and sums with constants and one tensor of bytes, perhaps an elu
// after it, then a store of bytes, when integers give the same for all 65536 pairs of them. Lists
// of constants have `channels` values that count.
std::optional<Join> find_join(const std::vector<PackedOp>& ops, Store store, std::size_t channels);

// The elu of a channel, when there is nothing but one, a factor above zero and a shift.
std::optional<WideElu> elu_of(const std::vector<PackedOp>& ops, std::size_t channel);
bool have_elus(const std::vector<PackedOp>& ops, std::size_t channels);
// The leaky relu of a channel, when there is nothing but one, no steeper below zero than above, a
// factor and a shift with one rounding.
std::optional<WideLeaky> leaky_of(const std::vector<PackedOp>& ops, std::size_t channel);
bool have_leaky_relus(const std::vector<PackedOp>& ops, std::size_t channels);

// `rows` consecutive pixels of a tile, to dst.
struct EpilogueCall {
    const Epilogue* epilogue;
    const Panel* panel;
    std::int32_t* tile;  // also where intermediate results are kept
    std::size_t rows;
    std::size_t pixel;     // first, of dst
    std::size_t channels;  // of dst
    const float* sums;     // of the windows of the pixels; null where weights have no zero points
    const GemmArgs* args;
};
EpilogueFunction pair_epilogue(Store store, bool whole_panel);
EpilogueFunction general_epilogue(Store store, std::size_t vectors, bool whole_panel);
// Null when the list of operations is not among the frequent ones.
EpilogueFunction fixed_epilogue(const Epilogue& epilogue,
                                Store store,
                                std::size_t vectors,
                                bool whole_panel);

// Null when there are none; some entries are null in any case. For whole panels.
const FusedFunction* fused_functions(const Epilogue& epilogue, Store store, std::size_t vectors);
// Those of epilogues that have a Join without a bend.
const FusedFunction* joined_functions(const Epilogue& epilogue, Store store, std::size_t vectors);

// Columns of a kernel that a column of pixels at the edge meets more than padding with.
struct EdgeColumn {
    std::size_t x = 0;  // of dst
    Range kernel;
};

// Columns of src that the windows of pixels at the left, or right, edge meet, with padding: what is
// copied to scratch where all other pixels read src itself.
struct EdgeStrip {
    std::ptrdiff_t begin = 0;            // column of src, the first of padding is -pad_left
    std::size_t pitch = 0;               // bytes of a row
    std::size_t at = 0;                  // in scratch
    std::vector<std::ptrdiff_t> taps{};  // offsets from the first
};

// A deconvolution with strides of 2 is four convolutions whose results alternate along rows and
// columns of dst: which rows of the kernel meet a row of src depends on the row of dst, modulo the
// stride. They are done as one convolution with the channels of all of these subpixels, each of
// which uses some of the taps of a window that is common to all.
struct SubPixels {
    struct Tap {
        std::size_t y = 0, x = 0;         // in the window
        std::size_t row = 0, column = 0;  // of the kernel
    };
    std::size_t rows = 1, columns = 1;  // of subpixels
    std::size_t channels = 0;  // of a subpixel, which exist; others round them up to vectors
    std::size_t all_channels = 0;
    std::vector<std::vector<Tap>> taps{};  // by subpixel, row by row
    std::size_t count() const { return rows * columns; }
    std::size_t of(std::size_t channel) const { return channel / all_channels; }
    std::size_t most_taps() const;
};

// Of a deconvolution, and the convolution that it becomes: `scale` and `bias` hold its lists.
SubPixels subpixels_of(const GemmParams& params);
GemmParams as_convolution(const GemmParams& params,
                          const SubPixels& subpixels,
                          std::vector<float>& scale,
                          std::vector<float>& bias);

// Part number i of `of`.
inline Range share(std::size_t count, std::size_t i, std::size_t of) {
    return {count * i / of, count * (i + 1) / of};
}

enum class SourceMode : std::uint8_t {
    kInPlace,  // 1x1, dense: pixels are read where they are
    kGather,   // 1x1: pixels are copied to scratch, one after the other
    kRows,     // rows are copied to scratch, with their padding
    kWindows,  // windows of pixels are copied to scratch, with their padding
};

struct Packed {
    GemmShape shape;
    SourceMode mode = SourceMode::kInPlace;
    bool dense = false;  // dst has the pixels of src, in their order
    bool pool = false;   // dst has the largest values of 2 x 2 pixels each (kRows)
    std::optional<SubPixels> subpixels{};  // of a deconvolution
    std::uint8_t flip = 0;                 // src bytes are xored with this to become u8
    std::uint8_t fill = 0;                 // what stands for padding, after the flip
    // 16-bit integers, see PairKernel; rows of a tile, and what is done to bytes of src.
    bool pairs = false;
    std::size_t pair_rows = 0;
    bool src_signed = false;
    std::int32_t src_zero_point = 0;
    Store store = Store::kU8;
    std::size_t depth4 = 0;            // bytes of a tap, by fours
    std::vector<std::ptrdiff_t> taps;  // offsets from the first, in src or scratch
    // Taps that meet more than padding: all, then the ranges of rows of dst at the edges, which
    // leave the others out (kRows). Each has its own `init`, unless padding adds nothing.
    std::vector<Range> tap_ranges;
    std::vector<std::uint32_t> range_of_row;  // by row of dst; empty: all have all taps
    std::size_t step = 0;                     // bytes of a pixel in scratch (not kRows)
    std::size_t pitch = 0;                    // bytes of a row in scratch (kRows)
    std::size_t block = 0;                    // units() worked on at once
    std::size_t scratch = 0;                  // bytes, for each part
    std::size_t sums = 0;                     // where in scratch the sums of windows are
    std::shared_ptr<const PackedWeights> weights;
    std::span<const std::int8_t> wei;  // its values
    // Columns of dst at the left and right edge that are worked on apart from the others (kRows),
    // which are `inner`.
    std::vector<EdgeColumn> edge_columns;
    Range inner;
    // Inner columns read src where it is: `taps` are offsets in src, `pitch` bytes of its rows.
    // Edge columns read strips, the left one and the right one (kRows).
    bool in_place = false;
    std::array<EdgeStrip, 2> strips{};
    AlignedVector<std::int32_t> init;  // init_size of each of init_count() ranges of taps
    std::size_t init_size = 0;
    bool join_searched = false;  // epilogue.join is the answer, also when there is none
    bool wide = false;           // panels of up to 64 channels
    std::vector<Panel> panels;
    AlignedVector<WidePanel> wide_panels;  // those of each of init_count() ranges of taps
    Epilogue epilogue;
    std::string implementation;

    // Rows and columns of the convolution for one of dst.
    std::size_t window() const { return pool ? 2 : 1; }
    // Pixels, or rows, of dst of the whole batch.
    std::size_t units() const {
        const std::size_t rows = shape.batch * (shape.dst_height / window());
        return mode == SourceMode::kRows ? rows : rows * shape.dst_width;
    }
    // Of a pixel of src, in scratch or where it is.
    std::size_t pixel_bytes() const { return shape.src_channels * (pairs ? 2 : 1); }
    // Rows of a tile, at most.
    std::size_t tile_rows(const Panel& panel) const {
        return pairs ? pair_rows : kMostRows[panel.vectors];
    }
    // Pixels of dst in a tile, at most.
    std::size_t most_pixels(const Panel& panel) const {
        return pool ? kMaxPooled[panel.vectors] : tile_rows(panel);
    }
    // Rows of scratch that `count` rows of the convolution read.
    std::size_t rows_read(std::size_t count) const {
        return (count - 1) * shape.stride_height +
               (shape.kernel_height - 1) * shape.dilation_height + 1;
    }
    std::size_t init_count() const { return fill == 0 ? 1 : tap_ranges.size(); }
    bool needs_sums() const { return !epilogue.of_sum.empty(); }
    // Of a panel.
    std::size_t most_taps() const { return subpixels ? subpixels->most_taps() : taps.size(); }
    std::size_t panel_bytes(const Panel& panel) const {
        return (panel.taps.end - panel.taps.begin) * depth4 * 4 * kLanes * panel.vectors;
    }
    // Channels of a pixel of dst.
    std::size_t channels() const { return subpixels ? subpixels->channels : shape.dst_channels; }
};

// tap_ranges and range_of_row.
void find_tap_ranges(Packed& p);
// edge_columns, which may read tensors of numbers below kMaxBinarySources, and inner.
inline constexpr std::size_t kMaxBinarySources = 32;
void find_edge_columns(Packed& p, const GemmParams& params);
// Whether rows of src had better be read where they are, if nothing else is against it.
bool suits_rows_in_place(const GemmShape& s);
// Sets in_place and what goes with it, where rows need not be copied. After the others.
void find_rows_in_place(Packed& p, const GemmParams& params);
// Whether tiles of 64 channels are the faster ones, if they can do what is after the sums.
bool suits_wide_panels(const Packed& p);
// Panel `number` for a range of taps, from the one for all: the same sums from another beginning.
WidePanel wide_panel_of(const Packed& p, std::size_t range, std::size_t number);

// Whether windows of pixels are copied apart from each other, padding and all: in rows of a few
// pixels a tile of a row is too small to hide how long its products take, and each row reads all
// weights again.
bool gathers_windows(const GemmShape& s);
// Whether at least four fifths of the products of whole windows meet no padding.
bool is_mostly_image(const GemmShape& s);

// Pixels [at, at + count) of dst, to scratch (kGather, kWindows).
void copy_pixels(
    const Packed& p, const void* src, std::size_t at, std::size_t count, std::uint8_t* scratch);
// The source rows of `count` rows of the convolution from row `y` of image `image` on, with their
// padding, to scratch (kRows).
void copy_rows(const Packed& p,
               const void* src,
               std::size_t image,
               std::size_t y,
               std::size_t count,
               std::uint8_t* scratch);
// The same of the strips at the edges alone (in_place).
void copy_strips(const Packed& p,
                 const void* src,
                 std::size_t image,
                 std::size_t y,
                 std::size_t count,
                 std::uint8_t* scratch);

// Sums of src - zero point over windows, as floats in `memory`, which has window_sum_bytes() and is
// read up to a vector after the last one. The first: of `pixels` pixels of a 1x1 kernel, `step`
// bytes apart. The second: of `count` rows of dst whose source rows are at `src` (kRows).
std::size_t window_sum_bytes(const Packed& p);
const float* sum_pixels(
    const Packed& p, const std::uint8_t* src, std::size_t step, std::size_t pixels, void* memory);
const float* sum_windows(const Packed& p, const std::uint8_t* src, std::size_t count, void* memory);
// The same for 16-bit products.
const float* pair_sum_pixels(
    const Packed& p, const std::uint8_t* src, std::size_t step, std::size_t pixels, void* memory);
const float* pair_sum_windows(const Packed& p,
                              const std::uint8_t* src,
                              std::size_t count,
                              void* memory);

// `laid_out`: by lay_out() for the same params, but for the numbers of tensors; null: not yet.
Packed pack(const GemmParams& params, const Packed* laid_out = nullptr);
// The same without weights, constants and functions. Where panels are wide, the join is there.
Packed lay_out(const GemmParams& params);

}  // namespace fuseq::kernels::gemm
