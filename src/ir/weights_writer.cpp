// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/weights_writer.hpp"

#include <cstring>
#include <ostream>

#include "model/hash.hpp"

namespace fuseq {

std::size_t WeightsWriter::add(const Tensor& tensor) {
    constexpr std::size_t kAlignment = 64;
    const std::size_t bytes = tensor.get_byte_size();
    if (bytes == 0) {
        return 0;
    }
    std::vector<Stored>& same_hash = stored_[hash_bytes(tensor.data(), bytes)];
    for (const Stored& candidate : same_hash) {
        if (candidate.tensor.get_byte_size() == bytes &&
            std::memcmp(candidate.tensor.data(), tensor.data(), bytes) == 0) {
            return candidate.offset;
        }
    }
    const std::size_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    static constexpr char kZeros[kAlignment] = {};
    out_.write(kZeros, static_cast<std::streamsize>(offset - size_));
    out_.write(static_cast<const char*>(tensor.data()), static_cast<std::streamsize>(bytes));
    size_ = offset + bytes;
    same_hash.push_back({offset, tensor});
    return offset;
}

}  // namespace fuseq
