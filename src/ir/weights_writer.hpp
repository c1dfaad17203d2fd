// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects the constants of a model for its .bin; equal bytes are stored once.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <unordered_map>
#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq {

class WeightsWriter {
public:
    // Appends to `out`, which must outlive the writer.
    explicit WeightsWriter(std::ostream& out) : out_(out) {}
    // Position of the tensor's bytes in the file, a multiple of 64.
    std::size_t add(const Tensor& tensor);

private:
    struct Stored {
        std::size_t offset;
        Tensor tensor;  // shares the memory of the model's constant
    };
    std::ostream& out_;
    std::size_t size_ = 0;
    std::unordered_map<std::uint64_t, std::vector<Stored>> stored_;  // by hash of the bytes
};

}  // namespace fuseq
