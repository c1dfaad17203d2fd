// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The one kernel for everything that is not fused into a primitive: any chain of basic operations
// over a tensor, in one read and one write of memory. Standalone FQ, PReLU and quantize, Swish and
// quantize, sums of two quantized inputs and chains on inputs and results are this kernel with
// another list.
//
//   const EltwiseKernel kernel({ops, ElementType::u8}, ElementType::f32, channels,
//   EltwiseLayout::kRows); parallel_for(rows, kernel.grain(channels), [&](std::size_t begin,
//   std::size_t end) {
//       kernel.run({.src = {src, channels}, .dst = dst, .dst_stride = channels}, begin, end);
//   });
//
// Every operation is done in float, in the order of the chain and without fused multiply-adds, so
// that the same bytes come out on every instruction set, for any split into ranges, whatever the
// position of a value in a vector. What is stored differs from evaluate() by the rounding of floats
// only; activations are good to 1e-6 relative.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::kernels {

enum class EltwiseLayout {
    kRows,  // [rows, channels]: channels last, or a matrix with the channels in its last dimension
    kPlanes,  // [planes, inner]: plane p belongs to channel p % channels
};

// Rows or planes of a tensor. Strides are counted in elements, from one row or plane to the next:
// more than its length for a slice of a wider tensor; 0 for one that is the same for all.
struct EltwiseTensor {
    const void* data = nullptr;
    std::size_t stride = 0;
};

struct EltwiseKernelArgs {
    EltwiseTensor src;
    void* dst = nullptr;  // may be src.data when the element sizes and strides are equal
    std::size_t dst_stride = 0;
    // By Binary::input. Of one with an element a plane, `stride` is that from image to image; so it
    // is of one with an element a pixel for kPlanes, whose rows lie side by side for kRows.
    std::span<const EltwiseTensor> binary_sources{};
    std::size_t inner = 1;           // elements of a plane (kPlanes)
    std::size_t rows_per_image = 1;  // kRows, for binary_sources with an element a plane
    // Floats of dst may go past the caches: nobody reads them soon. Then end_stream() on the same
    // thread before another one may.
    bool stream = false;
};

struct EltwiseProgram;

class EltwiseKernel {
public:
    // src and binary sources u8, i8, i32, f32; dst u8, i8, i32, f32. Throws Error for other types
    // and for per-channel values whose number is not `channels`.
    EltwiseKernel(const post_ops::Chain& chain,
                  ElementType src_type,
                  std::size_t channels,
                  EltwiseLayout layout);
    ~EltwiseKernel();
    EltwiseKernel(EltwiseKernel&&) noexcept;
    EltwiseKernel& operator=(EltwiseKernel&&) noexcept;

    // Rows or planes [begin, end). Allocates nothing; any number of threads at once. Throws Error
    // when a binary source of the chain is missing.
    void run(const EltwiseKernelArgs& args, std::size_t begin, std::size_t end) const;

    static void end_stream();

    // Rows or planes of `length` elements that are worth a task of their own.
    std::size_t grain(std::size_t length) const;

private:
    std::unique_ptr<const EltwiseProgram> program_;
};

}  // namespace fuseq::kernels
