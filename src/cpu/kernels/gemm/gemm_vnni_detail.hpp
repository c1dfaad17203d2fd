// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the integer matrix product share. Private to them.
//
// dst is cut into tiles of up to kMaxRows pixels by a panel of 16, 32 or (wide) 64 channels. The
// accumulators of a tile stay in registers while all taps and channels are added.
//
// How a tile reads its source (SourceMode):
//
//   mode           reads                              used for
//   kInPlace       src, pixel by pixel                1x1, stride 1, u8
//   kGather        scratch: copied pixels             1x1 with strides, i8, or pixels that would
//                                                     share one set of L1
//   kWindows       scratch: copied windows            k x k, few pixels in short rows; AMX: any
//                                                     number of pixels in short rows
//   kRows          scratch: copied rows with padding  k x k
//   kRows, direct  src; edge columns: scratch         k x k, u8, long rows, at most 64 channels
//
// How it gets to dst (Panel):
//
//   epilogue       where the values are               used for
//   wide           registers                          bytes, up to 64 channels, frequent lists
//   fused          registers                          bytes, 16 or 32 channels, frequent lists
//   finish, fixed  a buffer in L1                     lists of operations known at compile time
//   finish         a buffer in L1                     all other lists, one operation at a time
//
// The tiles of AMX (kAmx) leave through a buffer in L1 in any case, and are up to 32 pixels.
//
// With `pool` the micro-kernel leaves the maxima of 2 x 2 accumulators in the buffer in L1 (kRows).
// With `subpixels` (deconvolutions) each panel has its own taps and its own place in dst; source
// and epilogue are those above.
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
#include "cpu/kernels/gemm/gemm_amx.hpp"
#include "cpu/kernels/gemm/gemm_panel_fill.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/kernels/gemm/gemm_vnni_weights.hpp"
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kLanes = 16;           // 32-bit values in a vector
inline constexpr std::size_t kTileVectors = 28;     // accumulators
inline constexpr std::size_t kMaxPanelVectors = 2;  // vectors of a panel
// Pixels of a tile, by vectors of the panel; three and four vectors are wide panels.
inline constexpr std::size_t kMaxRows[] = {0, 28, 14, 8, 6};
inline constexpr std::size_t kMaxPooled[] = {0, 7, 3};  // pixels, each of four sums

inline constexpr std::size_t kOverread = 64;   // bytes after the end of scratch
inline constexpr std::size_t kLastPixels = 3;  // that hold three bytes

// The steps of four bytes of depth of one tap (kBytes): first those of plain weights, then those of
// signed ones, which take two vectors (gemm_bytes.cpp).
struct TapSteps {
    std::size_t wei = 0;    // of its weights, from those of the panel
    std::size_t first = 0;  // among MicroCall::order
    std::size_t plain = 0;  // steps
};

// One call of the micro-kernel: `rows` x `vectors` accumulators.
struct MicroCall {
    const std::uint8_t* src;               // first pixel, first tap
    std::ptrdiff_t src_step;               // bytes from one pixel to the next
    const std::int8_t* wei;                // [tap][depth / 4][16 * vectors][4]
    std::size_t depth4;                    // bytes of a tap, by fours
    std::span<const std::ptrdiff_t> taps;  // where each begins, from src
    const std::int32_t* init;
    std::int32_t* tile;  // [rows][16 * vectors]
    // Prefetched into L2: for each four bytes of depth one cache line, ahead_step after the last.
    const std::int8_t* ahead;
    std::size_t ahead_step;
    std::ptrdiff_t row_step = 0;      // of pooled ones: bytes from a row of the image to the next
    std::size_t skip = 0;             // bytes of weights between two taps
    const TapSteps* steps = nullptr;  // of each of `taps`; kBytes
    const std::uint32_t* order = nullptr;  // bytes of source from the tap to a step
};
using MicroFunction = void (*)(const MicroCall& call);
// Index: rows - 1. Vectors is 1 or 2; src/cpu/kernels/CMakeLists.txt lists the instances.
template <std::size_t Vectors>
const MicroFunction* micro_functions();
// Index: pixels - 1. Each pixel is the maximum of 2 x 2 accumulators, the first at `src`.
template <std::size_t Vectors>
const MicroFunction* pooled_micro_functions();

// Of all forms but kVnni512, for panels of 16 channels.
struct NarrowKernel {
    const MicroFunction* functions;  // by number of rows less 1
    std::size_t rows;                // at most
};
NarrowKernel narrow_kernel(GemmForm form);
// kPairs: the source is in scratch as 16-bit integers, less its zero point, and so are the weights.
NarrowKernel pair_kernel();
NarrowKernel byte_kernel();
NarrowKernel vnni256_kernel();
// Whether a step of four bytes of depth, [16 channels][4], may be one of plain weights.
bool is_plain(const std::int8_t* weights);
// The weights of a signed step, 128 bytes, and what init adds for them, by channel.
void pack_signed(const std::int8_t* weights, std::int8_t* to, std::int32_t* init);
// Bytes less a zero point, as 16-bit integers.
void widen(
    const void* from, std::size_t count, bool is_signed, std::int32_t zero_point, std::int16_t* to);

struct EpilogueCall;
using EpilogueFunction = void (*)(const EpilogueCall& call);
using FusedFunction = void (*)(const MicroCall& call, const EpilogueCall& finish);

// The short way from sums to bytes (float_sum.hpp) of the channels of a whole panel of kVnni256.
struct alignas(32) NarrowWay {
    std::int32_t begin[kLanes];
    float scale[kLanes];
    float shift[kLanes];
    std::uint8_t limits[kLanes];  // maximum of an unsigned byte
};

// A panel of output channels.
struct Panel {
    std::size_t channel = 0;  // first
    std::size_t channels = 0;
    std::size_t vectors = 0;
    Range taps{};           // all but of deconvolutions
    std::size_t bytes = 0;  // of weights
    const std::int8_t* wei = nullptr;
    const TapSteps* steps = nullptr;  // kBytes
    const MicroFunction* micro = nullptr;
    EpilogueFunction finish = nullptr;
    const FusedFunction* fused = nullptr;  // instead of both, by number of rows less 1
    const NarrowWay* way = nullptr;        // of fused functions that take it
    WideFunctions wide{};                  // instead of all, with its constants; of AMX its finish
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

// The same for tables in one register: fewer intervals, polynomials of a higher degree, of the
// distance from the middle of the interval in intervals.
struct ShortGeluTable {
    static constexpr std::size_t kIntervals = 8;
    static constexpr std::size_t kDegree = 6;
    static constexpr float kPerUnit = 1.275f;
    static constexpr float kEnd = 5.5f;  // in the last interval, where f counts as nothing
    // With -scale in them; zeros after them fill a register of 512 bits.
    alignas(64) float coefficients[kDegree + 1][2 * kIntervals] = {};
    float scale;
    explicit ShortGeluTable(const post_ops::Eltwise& eltwise);
    float value(float x) const;  // for tests of the table
};

// Constants are one value a channel, padded to whole vectors.
struct PackedOp {
    GemmOp::Kind kind = GemmOp::Kind::kRound;
    AlignedVector<float> a, b;
    post_ops::Eltwise eltwise{};
    post_ops::Binary binary{};
    // The result is rounded to 8 bits, so that the activation may be off by 2e-7 of the larger of
    // its value and 1. gelu takes the table.
    bool quick = false;
    std::shared_ptr<const GeluTable> gelu{};
    // Of all forms but kVnni512, where the result is rounded to 8 bits.
    std::shared_ptr<const ShortGeluTable> short_gelu{};
};

enum class Store : std::uint8_t { kU8, kI8, kF32 };

// The elu after a requantizing add, as a table of addends. Rounded to bytes, an elu has few values
// below zero. Where it is no steeper than the line that it continues, one step of that line meets
// at most two of them, and an addend for each step moves the sum at which one value turns into the
// next. The byte is (sum + add[min(sum >> shift, steps - 1)]) >> shift (unsigned minimum), at least
// `min`. For an unsigned q and unsigned results only.
struct EluTable {
    static constexpr std::size_t kMaxSteps = 64;  // a table in four registers
    std::size_t steps = 0;  // kMaxSteps / 2 or kMaxSteps; the last one is for all other sums
    std::array<std::int32_t, kMaxSteps> add{};
    std::int32_t min = 0;
    bool is_long() const { return steps == kMaxSteps; }
    bool operator==(const EluTable&) const = default;
};

// A quantized value q plus a residual input r, requantized in integers: the stored byte is
// (a * q + b * r + c) >> shift, saturated. q and r are signed; unsigned ones are reduced by 128
// first. An elu after the addition is a table (EluTable); with a leaky relu after it the larger of two
// such sums is taken, the second one with the factors below zero.
struct RequantizingAdd {
    struct Sum {
        std::int32_t upper = 0;  // upper parts of a and b (/ 256), as words
        std::int32_t lower = 0;  // lower bytes of a and b, in the upper byte of their word
        std::int32_t c = 0;
        bool operator==(const Sum&) const = default;
    };
    std::size_t input = 0;    // of the tensor, among the binary_sources
    bool q_unsigned = false;  // before
    std::int32_t r_flip = 0;  // what four of its bytes are xored with to become signed
    Sum sum{};
    std::int32_t shift = 0;
    std::optional<Sum> below{};  // of a leaky relu
    std::optional<EluTable> elu_table{};
    bool operator==(const RequantizingAdd&) const = default;
};

// A rule of a narrow kernel, with bias and scale of the epilogue.
struct NarrowRule {
    RuleForm form = RuleForm::kFloor;
    AlignedVector<float> rest, below;
    bool clips = false;  // to `low` and `high`
    float low = 0.0f;
    float high = 0.0f;
};

struct Epilogue {
    AlignedVector<float> bias, scale;
    AlignedVector<float> of_sum;  // minus the zero points of the weights; empty for zero
    std::vector<PackedOp> ops;
    std::optional<RequantizingAdd> add{};   // replaces the operations; the same bytes
    std::optional<post_ops::Binary> sum{};  // the tensor of a wide panel that sums (kSum)
    std::optional<NarrowRule> rule{};       // of a narrow kernel, instead of operations
    bool clamp = false;                     // values may leave the range of 32-bit integers

    // Whether it is a requantizing add without an activation.
    bool only_adds() const { return add && !add->elu_table && !add->below; }
    // Neither bounds nor sums of windows: what tiles in registers are finished by.
    bool is_simple() const { return !clamp && of_sum.empty(); }
    // Other kernels say so in their instructions.
    std::optional<FloatRounding> rounding() const {
        return rule ? rounding_of(rule->form) : std::nullopt;
    }
};

// The requantizing add that equals `ops`: a round to bytes, scales and shifts, one addition of a
// tensor of bytes, perhaps an elu, and a store of bytes. Null when no integers give the same byte
// for all 65536 pairs (q, r). Lists of constants have `channels` values.
std::optional<RequantizingAdd> find_requantizing_add(const std::vector<PackedOp>& ops,
                                                     Store store,
                                                     std::size_t channels);

// The elu of a channel, when the list is an elu, a factor above zero and a shift.
std::optional<WideElu> elu_of(std::span<const PackedOp> ops, std::size_t channel);
bool have_elus(std::span<const PackedOp> ops, std::size_t channels);
// The leaky relu of a channel, when the list is one of a slope in [0, 1], a factor and a shift with
// one rounding.
std::optional<WideLeaky> leaky_of(std::span<const PackedOp> ops, std::size_t channel);
bool have_leaky_relus(std::span<const PackedOp> ops, std::size_t channels);

// A list of operations that begins with a sum with a tensor of bytes, after which an elu of all
// channels follows.
struct WideSumOps {
    post_ops::Binary tensor{};
    const PackedOp* linear = nullptr;  // between them; null: nothing
    std::span<const PackedOp> activation;
    WideSum of(std::size_t channel) const;
};
std::optional<WideSumOps> sum_ops_of(std::span<const PackedOp> ops, std::size_t channels);

// `rows` consecutive pixels of a tile, to dst.
struct EpilogueCall {
    const Epilogue* epilogue;
    const Panel* panel;
    std::int32_t* tile;  // intermediate results overwrite it
    std::size_t rows;
    std::size_t pixel;     // first, of dst
    std::size_t channels;  // of dst
    const float* sums;     // of the windows of the pixels; null where weights have no zero points
    const GemmArgs* args;
};
EpilogueFunction narrow_epilogue(const Epilogue& epilogue, Store store, PanelFill fill);
EpilogueFunction general_epilogue(Store store, std::size_t vectors, bool whole_panel);
// Null when the list of operations has no instance.
EpilogueFunction fixed_epilogue(const Epilogue& epilogue,
                                Store store,
                                std::size_t vectors,
                                bool whole_panel);

inline constexpr std::size_t kFusedVectors = 2;
// For whole panels of so many vectors. Null when there are none; single entries may be null.
const FusedFunction* fused_functions(const Epilogue& epilogue, Store store);
// Those for a requantizing add without an activation.
const FusedFunction* fused_add_functions(const Epilogue& epilogue, Store store);

// The columns of the kernel that meet more than padding in one column of dst at the edge.
struct EdgeColumn {
    std::size_t x = 0;  // of dst
    Range kernel;
};

// The left or right edge of src with its padding, copied to scratch, where all other pixels read
// src directly.
struct EdgeCopy {
    std::ptrdiff_t begin = 0;            // first column of src; padding begins at -pad_left
    std::size_t pitch = 0;               // bytes of a row
    std::size_t at = 0;                  // in scratch
    std::vector<std::ptrdiff_t> taps{};  // offsets from the first
};

// The sub-pixel decomposition of a deconvolution. Which rows of the kernel contribute to a row of
// dst depends on that row modulo the stride, so that a deconvolution with strides of 2 is four
// convolutions whose results alternate along rows and columns. They run as one convolution with
// the channels of all sub-pixels. Each sub-pixel uses some taps of a common window.
struct SubPixels {
    struct Tap {
        std::size_t y = 0, x = 0;         // in the window
        std::size_t row = 0, column = 0;  // of the kernel
    };
    std::size_t rows = 1, columns = 1;  // of subpixels
    std::size_t channels = 0;           // of a sub-pixel; all_channels rounds up to vectors
    std::size_t all_channels = 0;
    std::vector<std::vector<Tap>> taps{};  // by subpixel, row by row
    std::size_t count() const { return rows * columns; }
    std::size_t of(std::size_t channel) const { return channel / all_channels; }
    std::size_t max_taps() const;
};

// The sub-pixels of a deconvolution, and the convolution that it becomes. `scale` and `bias` keep
// the lists of the result.
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
    kInPlace,  // see the table above
    kGather,
    kRows,
    kWindows,
};

struct Packed {
    GemmShape shape;
    SourceMode mode = SourceMode::kInPlace;
    bool dense = false;                    // pixel i of dst depends on pixel i of src alone
    bool pool = false;                     // dst has the maxima of 2 x 2 pixels (kRows)
    std::optional<SubPixels> subpixels{};  // of a deconvolution
    std::uint8_t flip = 0;                 // xor of src bytes: 0x80 turns i8 into u8
    std::uint8_t fill = 0;                 // byte for padding, after the flip
    GemmForm form = GemmForm::kVnni512;
    std::size_t narrow_rows = 0;  // of a tile, of all other forms
    bool src_signed = false;
    std::int32_t src_zero_point = 0;
    std::size_t columns = 1;  // of the kernel that one tap covers
    Store store = Store::kU8;
    std::size_t depth4 = 0;            // bytes of a tap, by fours
    std::vector<std::ptrdiff_t> taps;  // offsets from the first, in src or scratch
    // The taps that meet more than padding (kRows): first all of them, then those of rows of dst
    // at the upper and lower edge. Each range has its own `init`, unless padding adds nothing.
    std::vector<Range> tap_ranges;
    std::vector<std::uint32_t> range_of_row;  // by row of dst; empty: all have all taps
    std::size_t step = 0;                     // bytes of a pixel in scratch (not kRows)
    std::size_t pitch = 0;                    // bytes of a row in scratch (kRows)
    std::size_t block = 0;                    // units() worked on at once
    std::size_t scratch = 0;                  // bytes, for each part
    std::size_t sums = 0;                     // offset of the sums of windows in scratch
    std::shared_ptr<const PackedWeights> weights;
    std::span<const std::int8_t> wei;  // its values
    // Columns of dst at the left and right edge that have tiles of their own (kRows). `inner` are
    // all others.
    std::vector<EdgeColumn> edge_columns;
    Range inner;
    // Inner columns read src: `taps` are offsets in src, `pitch` is the length of its rows. Edge
    // columns read the left and the right edge copy (kRows).
    bool direct = false;
    std::array<EdgeCopy, 2> edge_copies{};
    AlignedVector<std::int32_t> init;  // init_size of each of init_count() ranges of taps
    std::size_t init_size = 0;
    bool add_searched = false;  // epilogue.add is known, also when it is null
    bool wide = false;          // panels of up to 64 channels
    std::vector<Panel> panels;
    AlignedVector<WidePanel> wide_panels;  // those of each of init_count() ranges of taps
    AlignedVector<NarrowWay> narrow_ways;  // of some panels
    Epilogue epilogue;
    std::string implementation;

    // Rows (and columns) of the convolution for each row of dst.
    std::size_t window() const { return pool ? 2 : 1; }
    // What work is divided by: rows (kRows) or pixels of dst, over the batch.
    std::size_t units() const {
        const std::size_t rows = shape.batch * (shape.dst_height / window());
        return mode == SourceMode::kRows ? rows : rows * shape.dst_width;
    }
    // Of a pixel of src, in scratch or where it is.
    std::size_t pixel_bytes() const { return shape.src_channels * (is_pairs() ? 2 : 1); }
    bool is_pairs() const { return form == GemmForm::kPairs; }
    bool is_amx() const { return form == GemmForm::kAmx; }
    bool is_narrow() const { return form != GemmForm::kVnni512 && !is_amx(); }
    // Rows of a tile, at most.
    std::size_t tile_rows(const Panel& panel) const {
        return is_amx() ? kAmxRows : is_narrow() ? narrow_rows : kMaxRows[panel.vectors];
    }
    // Pixels of dst in a tile, at most.
    std::size_t max_pixels(const Panel& panel) const {
        if (pool && is_amx()) {
            return kAmxTileRows / 2;
        }
        return pool ? kMaxPooled[panel.vectors] : tile_rows(panel);
    }
    // Rows of scratch that `count` rows of the convolution read.
    std::size_t rows_read(std::size_t count) const {
        return (count - 1) * shape.stride_height +
               (shape.kernel_height - 1) * shape.dilation_height + 1;
    }
    std::size_t init_count() const {
        return fill == 0 && form != GemmForm::kBytes ? 1 : tap_ranges.size();
    }
    bool needs_sums() const { return !epilogue.of_sum.empty(); }
    // Of a panel.
    std::size_t max_taps() const { return subpixels ? subpixels->max_taps() : taps.size(); }
    // Channels of a pixel of dst.
    std::size_t channels() const { return subpixels ? subpixels->channels : shape.dst_channels; }
};

// tap_ranges and range_of_row.
void find_tap_ranges(Packed& p);
// edge_columns, which may read tensors of numbers below kMaxBinarySources, and inner.
inline constexpr std::size_t kMaxBinarySources = 32;
void find_edge_columns(Packed& p, const GemmParams& params);
// Whether reading src directly is faster for the shape, where it is possible.
bool suits_direct(const GemmShape& s);
// Sets `direct` and edge_copies, where rows need not be copied. To be called after the others.
void find_direct(Packed& p, const GemmParams& params);
// Whether wide panels are faster for the shape, if they have the epilogue.
bool suits_wide_panels(const Packed& p);
// Panel `number` for a range of taps: the panel for all taps with another `init`.
WidePanel wide_panel_of(const Packed& p, std::size_t range, std::size_t number);

// Whether kWindows is faster: in rows of a few pixels a tile is too small to hide the latency of
// its products, and each row would read all weights again.
bool gathers_windows(const GemmShape& s);
// The same for AMX.
bool gathers_windows_for_tiles(const GemmShape& s);
// Whether at least four fifths of the products of whole windows meet no padding.
bool is_mostly_image(const GemmShape& s);

// Copies the source of pixels [at, at + count) of dst to scratch (kGather, kWindows).
void copy_pixels(
    const Packed& p, const void* src, std::size_t at, std::size_t count, std::uint8_t* scratch);
// Copies the source rows of `count` rows of the convolution, from row `y` of image `image` on,
// with their padding to scratch (kRows).
void copy_rows(const Packed& p,
               const void* src,
               std::size_t image,
               std::size_t y,
               std::size_t count,
               std::uint8_t* scratch);
// The same for the edge copies alone (direct).
void copy_edges(const Packed& p,
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
// The same for all other forms than kVnni512.
const float* narrow_sum_pixels(
    const Packed& p, const std::uint8_t* src, std::size_t step, std::size_t pixels, void* memory);
const float* narrow_sum_windows(const Packed& p,
                                const std::uint8_t* src,
                                std::size_t count,
                                void* memory);

// `laid_out`: the result of lay_out() for the same params, except the numbers of tensors; or null.
Packed pack(const GemmParams& params, const Packed* laid_out = nullptr);
// The same without weights, constants and functions. Wide panels have their requantizing add.
Packed lay_out(const GemmParams& params);

}  // namespace fuseq::kernels::gemm
