// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution (groups 1) and matrix product on integers, on any machine (GemmForm), channels-last,
// with everything that follows up to the next tensor fused into the store. For each output element:
//
//   acc = sum over taps and channels of (src - src_zero_point) * wei     32-bit, exact; padding: 0
//   x   = fma(sum over taps and channels of (src - src_zero_point), -wei_zero_point[n], float(acc))
//   v   = (x + bias[n]) * scale[n]                                      two roundings, as oneDNN
//   v   = op(v) for each op                                             in order
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// With GemmParams::rule, instead of x, v and the operations:
//
//   v   = the integer of rule_form.hpp, of acc + offset[n], scale[n], rest[n] and bias[n]
//   dst = min(max(v, low), high)
//
// A matrix product [M, K] x [K, N] is a convolution of one row of M pixels with a 1x1 kernel.
//
// The bytes do not depend on how the work is split. The object is immutable after construction;
// any number of threads may use it at once. run() does not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/conv_geometry.hpp"
#include "cpu/kernels/common/rule_form.hpp"
#include "cpu/post_ops/epilogue_program.hpp"
#include "cpu/post_ops/support.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

class GemmWeightsCache;
class SumRounding;

using GemmShape = ConvGeometry;

// Strides of the weights in elements: of an output channel, an input channel, a row and a column.
struct GemmWeights {
    std::span<const std::int8_t> values{};
    std::size_t dst_channel = 0, src_channel = 0, row = 0, column = 0;
};

// What is done to v.
using GemmOp = post_ops::EpilogueOp;

// How the products are added up. The sums are the same; nothing saturates.
enum class GemmForm : std::uint8_t {
    kBest,     // the first of the others, but for kAmx, that this machine has
    kAmx,      // tiles (gemm_amx.hpp); no zero points of weights
    kVnni512,  // vpdpbusd, 512 bits
    kVnni256,  // vpdpbusd, 256 bits: AVX-VNNI, or AVX-512 VNNI with VL
    kBytes,    // vpmaddubsw, vpmaddwd, vpaddd on bytes (gemm_bytes.cpp); any machine
    kPairs,    // vpmaddwd, vpaddd on 16-bit integers (gemm_pairs.cpp); any machine
};
// The form that kBest stands for.
GemmForm best_form();

// See above; lists of one value a channel.
struct GemmRule {
    RuleForm form = RuleForm::kFloor;
    std::span<const float> rest{};   // of floors
    std::span<const float> below{};  // of two floors
    std::span<const std::int32_t> offset{};
    float low = 0.0F;  // within the type of dst
    float high = 0.0F;
};

struct GemmParams {
    GemmShape shape;
    GemmWeights weights;
    ElementType src_type = ElementType::u8;  // u8, i8
    ElementType dst_type = ElementType::u8;  // u8, i8, f32
    std::int32_t src_zero_point = 0;         // in src_type's range
    // Lists of one value a channel; of a deconvolution also one a sub-pixel and channel, row by row.
    std::span<const float> scale{};           // one, or one a channel
    std::span<const float> bias{};            // none, one, or one a channel
    std::span<const float> wei_zero_point{};  // none, one, or one a channel
    // Shares packed weights between products of the same weights. Null: no sharing.
    GemmWeightsCache* shared = nullptr;
    std::vector<GemmOp> ops{};
    GemmForm form = GemmForm::kBest;
    // A deconvolution: pixel (y, x) of src adds its products with the weights of (i, j) to pixel
    // (y * stride_height + i - pad_top, x * stride_width + j - pad_left) of dst. The sides of dst
    // are multiples of the strides and the kernel is at least as large as the strides. No dilation,
    // no zero points of weights, no pool.
    bool transposed = false;
    std::optional<GemmRule> rule{};  // where GemmVnni::stores_rules()
    // Max pooling of 2 x 2 with stride 2 after everything else: dst has half the rows and columns
    // of the shape, which are even. Requires is_monotonic().
    bool pool = false;
};

// Whether v is an integer that never falls when acc rises, so that the maximum of values is the
// value of the maximal accumulator: no negative scale, no binary sources, no sums of windows, no
// activation other than comparisons.
bool is_monotonic(const GemmParams& params);

// How the work is cut: `rows` x `columns` parts, by pixels and by channels of dst.
struct GemmSplit {
    std::size_t rows = 1;
    std::size_t columns = 1;
    std::size_t parts() const { return rows * columns; }
};

using WeightSpan = std::span<const std::int8_t>;

// Deduplicated rows of a tensor of the size of dst.
struct GemmRows {
    const void* data = nullptr;            // null: not deduplicated
    const std::size_t* offsets = nullptr;  // of each row of dst, of all images: bytes from `data`
};

// dst may be one of the binary_sources: elements are read before they are written. src must not
// overlap it.
struct GemmArgs {
    const void* src = nullptr;
    void* dst = nullptr;
    std::span<const void* const> binary_sources{};  // by Binary::input
    // The same tensors as deduplicated rows; empty: none.
    std::span<const GemmRows> rows{};
    void* scratch = nullptr;  // scratch_bytes() for each part, on a cache line
    // Elements from a pixel of dst to the next; 0: its channels. Larger where dst is a slice of the
    // channels of another tensor, which excludes binary_sources.
    std::size_t dst_pitch = 0;
    // Memory that is read after this run: prefetched into L2, in this order, during the last block
    // of pixels.
    std::span<const WeightSpan> next{};
    // Earlier steps have prefetched weights of this run. What they have not is the first of `next`.
    bool next_has_own = false;
    // Of set_results(): where they go, instead of dst.
    std::span<void* const> results{};
    // Where stores_sums() and v is acc: dst has the bytes of this rounding instead. Null: floats.
    const SumRounding* rounding = nullptr;
};

namespace gemm {
struct Packed;
struct NarrowResults;
}  // namespace gemm

class GemmVnni {
public:
    // Whether this machine has AVX-512 VNNI and Highway's targets are not restricted below AVX-512.
    static bool available();
    // Whether it has all operations of the program and stores its type.
    static post_ops::Support supports(const post_ops::EpilogueProgram& program);

    // Whether the shape has so few pixels, in short rows, that reading the weights once, and ahead,
    // gains more than leaving out products with padding.
    static bool suits_few_pixels(const GemmShape& shape);
    // Whether a kernel larger than 1x1 reads src directly, without copying its rows, for u8 without
    // a pool and without zero points of weights.
    static bool is_direct(const GemmShape& shape);

    // Whether params.rule is possible: AVX-512 or AMX with wide panels, or AVX2 without a pool.
    static bool stores_rules(const GemmParams& params);

    // Packs weights and constants; keeps nothing of params. Throws fuseq::Error for shapes, types
    // or sizes of lists that do not fit together.
    explicit GemmVnni(const GemmParams& params);
    // Before pack() has been called with the same params, by any thread, only implementation() and
    // scratch_bytes() may be called. Throws for shapes and types; pack() throws for the rest.
    static GemmVnni to_be_packed(const GemmParams& params);
    void pack(const GemmParams& params);
    ~GemmVnni();
    GemmVnni(GemmVnni&&) noexcept;
    GemmVnni& operator=(GemmVnni&&) noexcept;

    // Several results of the value that would be stored, each with a program of its own after it,
    // without other tensors or activations. All forms but kVnni512 and kAmx, no pool, no
    // deconvolution.
    bool takes_results() const;
    // `rows`: each 16 channels of a pixel are stored in a row of an image of their own, which
    // requires can_write_rows().
    void set_results(std::span<const post_ops::EpilogueProgram> results, bool rows);
    bool can_write_rows() const;

    // Whether GemmArgs::rounding is possible where nothing follows acc: floats, as they come.
    bool stores_sums() const;

    std::size_t dst_channels() const;
    std::size_t dst_width() const;
    ElementType dst_type() const;
    std::size_t element_bytes() const;  // of dst
    // Bytes of scratch memory that each part needs; a multiple of 64, maybe 0.
    std::size_t scratch_bytes() const;
    // The best split into so many parts. Ask once, not for every run.
    GemmSplit split(std::size_t parts) const;
    // The same where lines of other cores are slow (instructions.hpp), or are not.
    GemmSplit split(std::size_t parts, bool remote_is_slow) const;
    // Part `part` of the work. Parts may run at the same time, each with a scratch memory of its
    // own: args.scratch + part * scratch_bytes().
    void run(const GemmArgs& args, std::size_t part, const GemmSplit& split) const;
    // The packed weights that a part reads, in the order in which it reads them.
    std::span<const std::int8_t> weights(std::size_t part, const GemmSplit& split) const;

    // The part of them that the step before should prefetch: GemmArgs::next.
    std::span<const std::int8_t> weights_ahead(std::size_t part, const GemmSplit& split) const;

    // Bytes that a run in one part can prefetch in its last block, of its own weights and of
    // others.
    std::size_t fetchable() const;

    // Whether pixel i of dst depends on pixel i of src alone.
    bool is_by_pixel() const;
    // What the pixels of a range given to run_pixels() must be multiples of.
    std::size_t pixel_grain() const;
    // Pixels [begin, end) of dst, counted over the batch. Ranges may run at the same time, each
    // with another `part` of the scratch memory. When is_by_pixel(), no other pixel of src is used.
    void run_pixels(const GemmArgs& args,
                    std::size_t begin,
                    std::size_t end,
                    std::size_t part) const;

    // Name of the implementation, for explain: "gemm_vnni512:14x2".
    const std::string& implementation() const;
    std::size_t packed_bytes() const;

private:
    explicit GemmVnni(gemm::Packed&& packed);
    std::unique_ptr<const gemm::Packed> packed_;
    std::unique_ptr<const gemm::NarrowResults> results_;
};

}  // namespace fuseq::kernels
