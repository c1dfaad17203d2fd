// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A Model as bytes, whatever passes made of it: for the model cache. Everything that clone() keeps
// is kept. Constants go to a pool beside the graph, where several models share them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fuseq/model.hpp"
#include "model/byte_stream.hpp"

namespace fuseq {

// Constants in the order in which they were met; the same memory is kept once.
class ConstantWriter {
public:
    // Every tensor begins at a multiple of this.
    static constexpr std::size_t kAlignment = 64;

    // Writes what ConstantReader::read needs to find the tensor.
    void write(ByteWriter& out, const Tensor& tensor);
    // The same; what lies in `file`, which the reader has too, is not taken into the pool.
    void write(ByteWriter& out, const Tensor& tensor, const Tensor& file);
    // Bytes that the constants take when they are laid out one after the other, padded.
    std::uint64_t size() const { return size_; }
    // The pieces in that order; each is padded to kAlignment.
    const std::vector<Tensor>& tensors() const { return tensors_; }

private:
    struct Piece {
        const void* data;
        std::size_t bytes;
        std::uint64_t offset;
    };
    std::vector<Piece> pieces_;
    std::vector<Tensor> tensors_;      // keeps the memory alive
    std::vector<std::size_t> sorted_;  // numbers of pieces by address
    std::uint64_t size_ = 0;
};

// Tensors over the bytes of such a pool, which `owner` keeps alive.
class ConstantReader {
public:
    // `file`: what write() was given; empty for none.
    ConstantReader(std::span<const char> bytes,
                   std::shared_ptr<const void> owner,
                   const Tensor& file = {});
    Tensor read(ByteReader& in) const;

private:
    std::span<const char> bytes_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<const Tensor> file_;
};

// Where the constants of a model go.
using WriteConstant = std::function<void(ByteWriter&, const Tensor&)>;

void write_model(ByteWriter& out, const Model& model, const WriteConstant& write_constant);
// The inputs, outputs and variables of a model: its Parameters, its Results, ReadValue and Assign,
// and the nodes that feed them, which have no inputs and no attributes here.
std::shared_ptr<Model> ports_only(const Model& model);
// Throws Error("blob", ...) where the bytes are not those of a model of this build.
std::shared_ptr<Model> read_model(ByteReader& in, const ConstantReader& constants);

// Two numbers that change with anything in the model but how its nodes are numbered. Worked out by
// up to `threads` threads; they are the same for any number.
struct ModelKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const ModelKey&) const = default;
};
ModelKey key_of_model(const Model& model, std::size_t threads);

}  // namespace fuseq
