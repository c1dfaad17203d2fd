// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What passes computed from constants, kept for the next plan of the same model.
//
// A model with open shapes is transformed anew for each set of input shapes, and most of that time
// goes into its weights, which do not depend on the shapes. A pass hands such a computation to the
// cache; the second plan gets the tensors of the first.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// Thread-safe. Tensors that it returns are shared: nobody writes into them.
class ConstantCache {
public:
    using Compute = std::function<std::vector<Tensor>()>;

    // `original`: the model that all plans are made of. Its constants are known.
    explicit ConstantCache(const Model& original);

    // The results of `compute`, which runs once for each key: `what` and the inputs. Small inputs
    // are compared by their bytes, large ones by their address. `what` must name everything else on
    // which the results depend. Results are kept when there is a large input and all of them are
    // known: constants of the original, or results that the cache keeps. Others are made anew for
    // each plan, and to keep what follows from them would fill the memory.
    std::vector<Tensor> get(const std::string& what,
                            std::span<const Tensor> inputs,
                            const Compute& compute);

    // The constants of a model that plans are made of in the place of the original; they stay too.
    void keep(const Model& model);
    // Whether a large tensor with its values there stays for as long as the cache lives.
    bool keeps(const void* values) const;
    // Of all results and other constants that are kept.
    std::size_t bytes() const;

    // While one lives, current() of its thread is this cache; for computations deep below a pass.
    class Scope {
    public:
        explicit Scope(ConstantCache* cache);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        ConstantCache* before_;
    };
    static ConstantCache* current();  // null: there is none

private:
    mutable std::mutex mutex_;
    std::vector<Tensor> constants_;  // of the original: no other tensor gets their addresses
    std::vector<Tensor> kept_;       // by keep(); none of the original and no result
    std::unordered_set<const void*> known_;
    std::unordered_map<std::string, std::vector<Tensor>> results_;
};

// Operation, name (it stands for bodies, which plans do not change), attributes and types of the
// results of a node: with the values of its inputs, all that the reference kernel's results depend
// on.
std::string computation_of(const Node& node);

}  // namespace fuseq
