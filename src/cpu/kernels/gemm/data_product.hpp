// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of two computed matrices of integers, [rows, depth] by [depth, columns]: what GemmVnni
// is for constant weights, with the same micro-kernels and epilogues. The second operand is packed
// while the model runs.
//
//   acc = sum over depth of (a - a_zero_point) * (b - b_zero_point)     32-bit, exact
//   v   = (float(acc) + bias[n]) * scale[n]                             two roundings
//   v   = op(v) for each op                                             in order
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// The object is immutable after construction; any number of threads may use it at once. run() does
// not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"

namespace fuseq::kernels {

// Element (i, j) of a matrix is at i * row + j * column elements.
struct MatrixOperand {
    ElementType type = ElementType::u8;  // u8, i8
    std::int32_t zero_point = 0;         // in the range of the type
    std::size_t row = 0, column = 1;
};

struct DataProductParams {
    std::size_t rows = 0, depth = 0, columns = 0;
    MatrixOperand a, b;                      // a.column is 1
    std::size_t dst_row = 0;                 // elements from a row of dst to the next
    ElementType dst_type = ElementType::u8;  // u8, i8, f32
    std::span<const float> scale{};          // one, or one a column
    std::span<const float> bias{};           // none, one, or one a column
    std::vector<GemmOp> ops{};
    // Bytes after the last row of a that may be read, whatever they are.
    std::size_t a_slack = 0;
    // kAmx, kVnni512 and kVnni256 where they take b, i8 without a zero point; kPairs takes all, and
    // stands for them elsewhere.
    GemmForm form = GemmForm::kPairs;
};

// All begin at the first element of the matrices. dst may be one of the binary_sources, which have
// the rows of dst.
struct DataProductArgs {
    const void* a = nullptr;
    const void* b = nullptr;
    void* dst = nullptr;
    std::span<const void* const> binary_sources{};
    void* scratch = nullptr;  // scratch_bytes(), on a cache line
};

namespace gemm {
struct PackedDataProduct;
}

class DataProduct {
public:
    // Products of 8-bit integers that 32 bits hold.
    static constexpr std::size_t kMaxDepth = 32768;

    // Throws fuseq::Error for sizes, types and lists that do not fit together.
    explicit DataProduct(const DataProductParams& params);
    ~DataProduct();
    DataProduct(DataProduct&&) noexcept;
    DataProduct& operator=(DataProduct&&) noexcept;

    std::size_t scratch_bytes() const;  // a multiple of 64
    // Packs b into the scratch memory, for any number of multiply().
    void pack(const void* b, void* scratch) const;
    // The rows of a range, which read all of b: packed in args.scratch.
    void multiply(const DataProductArgs& args, Range rows) const;
    // Both.
    void run(const DataProductArgs& args, Range rows) const;
    // For explain: "data_product_pairs".
    const std::string& implementation() const;

private:
    std::unique_ptr<const gemm::PackedDataProduct> packed_;
};

}  // namespace fuseq::kernels
