// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of the plan: immutable once compiled, shared by all requests. bind() makes the part that
// belongs to one request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu/steps/packed_table.hpp"
#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::kernels {
class SumRounding;
}
namespace fuseq::post_ops {
struct Chain;
}

namespace fuseq::cpu {

struct ComputedProduct;
class RequantizedResults;
class RoundedSums;
class SliceCopy;
class SliceWriter;
struct SoftmaxRows;
class WeightPrefetch;
struct MovementMap;

// Some rows of the tensors of a step, for one thread.
struct RowPart {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t thread = 0;
    // Of the consumer in producer-consumer tiling: the source's rows that were computed for this
    // part.
    std::size_t source_begin = 0;
    std::size_t source_end = 0;
};

// Rows (pixels) of an image as windows of rows of the image that `whole` holds.
struct RowWindow {
    std::size_t src_row = 0;  // pixels of a row of the source's image
    std::size_t dst_row = 0;
    std::size_t src_height = 0;
    std::size_t extent = 1;  // rows of the image from the first to the last tap
    std::size_t stride = 1;
    std::ptrdiff_t pad_top = 0;

    // Pixels of the source that a part reads. Parts begin and end at multiples of dst_row.
    RowPart source(const RowPart& part) const {
        const auto pixels = [&](std::size_t row) {
            const auto at = static_cast<std::ptrdiff_t>(row) - pad_top;
            const auto height = static_cast<std::ptrdiff_t>(src_height);
            return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, height)) * src_row;
        };
        const std::size_t last = part.end / dst_row - 1;
        return {pixels(part.begin / dst_row * stride), pixels(last * stride + extent), part.thread};
    }
    // Pixels of the source that one part and the next read: at most so many.
    std::size_t shared() const { return extent > stride ? (extent - stride) * src_row : 0; }
};

// Of a step that computes each row (pixel) of its results from the same row of its inputs. Such
// steps may share a depth-first tile group (plan/passes/tile_groups.hpp).
struct RowTiling {
    std::size_t rows = 0;               // of every tensor but those in `whole`
    std::size_t grain = 1;              // parts begin at its multiples
    std::vector<TensorId> whole{};      // inputs of which any row may be read
    std::optional<RowWindow> window{};  // which rows of the only tensor in `whole` are read
    std::size_t fast =
        1;  // parts of so many rows, or a multiple, leave no unit of the machine idle
};

// Of a step that applies a chain, and nothing else, to its only input, pixel by pixel.
struct RowChain {
    const post_ops::Chain* chain = nullptr;  // null: the step is none
    std::size_t channels = 0;                // of a pixel
};

// Memory of one request: where each tensor of the plan is now.
class RequestMemory {
public:
    virtual ~RequestMemory() = default;
    // Address of a tensor that has static shape. Fixed for the life of the request, except for
    // tensors in the user's memory.
    virtual void* data(TensorId id) const = 0;
    // Whether data(id) may change between runs.
    virtual bool in_user_memory(TensorId id) const = 0;
    virtual const PlanTensor& tensor(TensorId id) const = 0;
    // Where the tensor would begin for rows of this part to be at their place: it may exist for
    // this part alone.
    virtual void* rows(TensorId id, const RowPart& part) const {
        (void)part;
        return data(id);
    }
    // Of a tensor that windows of rows are read from and that exists for a part alone: the rows of
    // [part.begin, part.end) that the next part reads too stay at hand.
    virtual void keep_rows(TensorId id, const RowPart& part) const {
        (void)id;
        (void)part;
    }
    // Any tensor as a dense Tensor in plain layout; constants and dynamic ones included.
    virtual Tensor as_tensor(TensorId id) const = 0;
    // Result of a step whose output shape is known only now.
    virtual void set_dynamic(TensorId id, Tensor value) = 0;
};

class Runner {
public:
    virtual ~Runner() = default;
    virtual void run() = 0;
    // Some rows; of steps with a row_tiling(). Several threads at once, each with other rows.
    virtual void run_rows(const RowPart& part) { (void)part; }
};

// What one implementation said of a layer (lowering/registry.hpp).
struct CandidateVerdict {
    std::string name;     // "small_conv", "gemm", "onednn", ...
    std::string verdict;  // "taken" or "refused"
    std::string reason;   // why it was refused
    double cost = 0.0;    // time expected of it, in parts of oneDNN's; 0: not known
};

// What explain and profiling show of a step.
struct StepInfo {
    std::string name;                 // layer that gave the step its name
    std::string kind;                 // "convolution", "eltwise", "reorder", ...
    std::string implementation;       // "brgconv:avx512_core_vnni", "fuseq:eltwise", "reference"
    std::vector<std::string> layers;  // IR layers that it executes
    std::string group;                // the anchor's layer, of all steps made for it
    std::string src_type;
    std::string wei_type;
    std::string dst_type;
    std::string layout;
    std::string post_ops;
    std::int64_t macs = 0;
    std::int64_t bytes = 0;  // read and written
    bool quantized = false;  // computes on integers
    std::vector<std::string> notes;
    // Those that were asked for the layer, in order, up to the one that took it.
    std::vector<CandidateVerdict> candidates;
};

// Kinds of steps that stand for an anchor.
inline bool is_anchor_kind(const std::string& kind) {
    return kind == "convolution" || kind == "deconvolution" || kind == "matmul";
}

class Step {
public:
    virtual ~Step() = default;
    virtual std::unique_ptr<Runner> bind(RequestMemory& memory) const = 0;

    // Nothing: the step can only be run as a whole.
    virtual std::optional<RowTiling> row_tiling() const { return std::nullopt; }

    // Whether it starts OpenMP regions of its own, other than by runtime/parallel.hpp.
    virtual bool starts_regions() const { return false; }

    // Memory that the step owns for all requests: packed weights, constants of post-ops.
    virtual std::size_t packed_bytes() const { return 0; }
    // The packed weights that each run reads, in about the order in which it reads them; none: few.
    virtual std::span<const std::int8_t> packed_weights() const { return {}; }

    // Capabilities (capabilities.hpp): what passes over the plan may use; null: the step has none.
    virtual WeightPrefetch* weight_prefetch() { return nullptr; }
    virtual SliceWriter* slice_writer() { return nullptr; }
    virtual SliceCopy* slice_copy() { return nullptr; }
    virtual RequantizedResults* requantized_results() { return nullptr; }
    virtual RoundedSums* rounded_sums() { return nullptr; }
    virtual RowChain row_chain() const { return {}; }
    // Of a step that rounds sums of a product by a rule, row by row, and does nothing else; null.
    virtual std::shared_ptr<const kernels::SumRounding> sum_rounding() const { return nullptr; }
    // Of a step that is such a product, or such rows, and nothing else; null.
    const ComputedProduct* computed_product() const { return computed_product_.get(); }
    void set_computed_product(std::shared_ptr<const ComputedProduct> product) {
        computed_product_ = std::move(product);
    }
    const SoftmaxRows* softmax_rows() const { return softmax_rows_.get(); }
    void set_softmax_rows(std::shared_ptr<const SoftmaxRows> rows) {
        softmax_rows_ = std::move(rows);
    }
    // The map of a step that moves elements of one tensor to its only result.
    virtual const MovementMap* movement_map() const { return nullptr; }
    // Puts its packed weights into the table, at the number under which another plan looks for
    // them.
    virtual void add_packed_to(PackedTable& table) const { (void)table; }

    const StepInfo& info() const { return info_; }
    StepInfo& info() { return info_; }
    // Tensors read and written, for liveness. Scratch tensors live during this step only.
    const std::vector<TensorId>& inputs() const { return inputs_; }
    const std::vector<TensorId>& outputs() const { return outputs_; }
    const std::vector<TensorId>& scratch() const { return scratch_; }

protected:
    StepInfo info_;
    std::vector<TensorId> inputs_;
    std::vector<TensorId> outputs_;
    std::vector<TensorId> scratch_;

private:
    std::shared_ptr<const ComputedProduct> computed_product_;
    std::shared_ptr<const SoftmaxRows> softmax_rows_;
};

}  // namespace fuseq::cpu
