// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_weights_cache.hpp"

namespace fuseq::kernels {

GemmWeightsCache::Any GemmWeightsCache::get_any(const std::string& key,
                                                const std::function<Any()>& pack) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = weights_.find(key); found != weights_.end()) {
            if (Any known = found->second.lock()) {
                return known;
            }
        }
    }
    Any packed = pack();
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const void>& kept = weights_[key];
    if (Any other = kept.lock()) {  // another thread was faster
        return other;
    }
    kept = packed;
    return packed;
}

}  // namespace fuseq::kernels
