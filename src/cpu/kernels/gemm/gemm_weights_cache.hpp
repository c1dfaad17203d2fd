// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Packed weights that several matrix products share: those of plans of one model for several sets
// of input shapes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace fuseq::kernels {

namespace gemm {
struct PackedWeights;
}

// Thread-safe. Holds no memory itself: weights live as long as a product has them.
class GemmWeightsCache {
public:
    using Weights = std::shared_ptr<const gemm::PackedWeights>;

    // The weights with this key. `pack` runs where no product has them.
    Weights get(const std::string& key, const std::function<Weights()>& pack);

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<const gemm::PackedWeights>> weights_;
};

}  // namespace fuseq::kernels
