// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a plan: type, shape, memory order and where they live.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::cpu {

// kPlain is row-major in the dimension order of the IR. kChannelsLast moves dimension 1 to the end:
// NCHW in memory order NHWC.
enum class Layout { kPlain, kChannelsLast };

std::string to_string(Layout layout);

using TensorId = std::size_t;
inline constexpr TensorId kNoTensor = static_cast<TensorId>(-1);

// Memory order makes no difference: one channel, or one spatial position.
bool layouts_agree(const Shape& shape);

// What an integer tensor stands for: real = output_low + (q - first_level) * step, per tensor or
// per channel of dimension 1 (or of `axis`).
struct FakeQuantizeResult {
    std::string layer;               // name of the FakeQuantize layer in the IR
    std::vector<std::string> twins;  // layers that quantize the same tensor in the same way
    PartialShape shape;              // of its result in the IR
    std::vector<double> output_low;  // one value, or one a position along `axis`
    std::vector<double> step;
    std::size_t axis = 1;
    std::string pool;        // the MaxPool before it in the IR
    double first_level = 0;  // integer stored for output_low
};

enum class Storage {
    kArena,     // in the request's arena at `offset`
    kConstant,  // `constant`, shared by all requests
    kInput,     // memory of the user's input tensor `port`
    kOutput,    // memory of the user's output tensor `port`
    kDynamic,   // a Tensor of the request, made by the step that writes it
};

struct PlanTensor {
    ElementType type = ElementType::undefined;
    PartialShape shape;  // in the dimension order of the IR
    Layout layout = Layout::kPlain;
    Storage storage = Storage::kArena;
    Tensor constant;
    std::size_t port = 0;
    TensorId alias = kNoTensor;  // shares the memory of that tensor (a view, or in place)
    std::size_t offset = 0;      // in the arena, bytes
    // Of a tensor that exists for one part of a tile group at a time (tile_groups.hpp): bytes of a
    // row, of a part, and how many parts there are at once. 0: the whole tensor exists. A part
    // begins with `part_kept` bytes for rows of the part before it.
    std::size_t part_row = 0;
    std::size_t part_bytes = 0;
    std::size_t part_kept = 0;
    std::size_t parts = 0;
    std::optional<FakeQuantizeResult> quantized;

    Shape dims() const { return shape.to_shape(); }
    std::size_t bytes() const { return byte_size_of(type, shape_size(dims())); }
    // What it takes of the arena.
    std::size_t memory_bytes() const { return part_row != 0 ? part_bytes * parts : bytes(); }
};

}  // namespace fuseq::cpu
