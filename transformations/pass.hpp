// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A pass rewrites a Model or says why not. Every pass is one file with the block
//   Law / Before / After / Refuses / Source
// at its head, and is run from one list, transformations/pipeline.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

class ConstantCache;

// What a pass did, or did not do, at one layer. `code` is a stable word for tools
// ("per_channel_scale"), `text` a sentence for people.
struct Remark {
    enum class Kind { kRewritten, kRefused };
    Kind kind = Kind::kRewritten;
    std::string pass;
    std::string layer;
    std::string code;
    std::string text;
};

// What passes ask of the device that will run the model, which they do not know.
struct DeviceFacts {
    // Whether one of its kernels takes the zero points that the weights of this anchor have. No
    // function: none does. Called in the thread that runs the passes.
    std::function<bool(const Node& anchor)> takes_weight_zero_points{};
};

struct PassOptions {
    bool low_precision = true;            // false: leave every FQ in float
    std::vector<std::string> disabled;    // passes to skip, by name
    std::vector<std::string> keep_float;  // FQ layers to leave in float, by name
    // Correct the fraction of a zero point at padded borders too, by a constant of the size of the
    // result, where it would change more than ties. false: one number a channel.
    bool exact_borders = true;
    // A convolution whose source has channels of several scales runs as that many integer
    // convolutions, one a scale; beyond this number it stays in float.
    std::size_t most_scales = 16;
    std::size_t threads = 1;  // for work on weights; results do not depend on it
    bool validate = false;    // infer all nodes after each pass; on in tests and debug
    std::string dump_dir;     // write 003_<pass>.txt after each pass
    DeviceFacts device;
    // Of a model that is transformed for several sets of input shapes; null: for one.
    ConstantCache* constants = nullptr;
};

class PassContext {
public:
    explicit PassContext(PassOptions options = {}) : options_(std::move(options)) {}
    const PassOptions& options() const { return options_; }

    void rewritten(std::string_view pass, const Node& node, std::string text = {});
    void refused(std::string_view pass, const Node& node, std::string code, std::string text);
    // Results of a computation on constants, from the cache where there is one; its rules are those
    // of ConstantCache::get().
    std::vector<Tensor> computed(const std::string& what,
                                 std::span<const Tensor> inputs,
                                 const std::function<std::vector<Tensor>()>& compute) const;
    const std::vector<Remark>& remarks() const { return remarks_; }
    // Passes that were run or skipped with this context, for the numbers of dumps.
    std::size_t next_number() { return ++number_; }

private:
    PassOptions options_;
    std::vector<Remark> remarks_;
    std::size_t number_ = 0;
};

struct Pass {
    std::string_view name;              // verb and object, as the file: "split_fake_quantize"
    bool (*run)(Model&, PassContext&);  // true when something was changed
    // What is wrong with a model that went without it; empty: it may be disabled.
    std::string_view needed{};
};

// Runs passes in order; after each one dead nodes are removed, the model is validated and dumped
// as the options ask. An Error names the pass: one that failed, or one that is disabled and needed.
void run_passes(Model& model, PassContext& context, const std::vector<Pass>& passes);

// The lists of pipeline.cpp.
const std::vector<Pass>& common_passes();
const std::vector<Pass>& low_precision_passes();
const std::vector<Pass>& cpu_passes();
// All of them, as the options say: what the CPU plugin runs before it plans.
void transform(Model& model, PassContext& context);

}  // namespace fuseq
