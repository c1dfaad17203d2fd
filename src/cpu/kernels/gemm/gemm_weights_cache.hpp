// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Packed weights that several matrix products share, those of plans of one model for several sets
// of input shapes; and the tables of rows of embeddings.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace fuseq::kernels {

// Thread-safe. Holds no memory itself: weights live as long as a step has them.
class GemmWeightsCache {
public:
    template <class T>
    using Pack = std::function<std::shared_ptr<const T>()>;

    // The weights with this key, which says what type they are of. `pack` runs where no step has
    // them.
    template <class T>
    std::shared_ptr<const T> get(const std::string& key, const Pack<T>& pack) {
        return std::static_pointer_cast<const T>(get_any(key, [&] { return Any(pack()); }));
    }

private:
    using Any = std::shared_ptr<const void>;

    Any get_any(const std::string& key, const std::function<Any()>& pack);

    std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<const void>> weights_;
};

}  // namespace fuseq::kernels
