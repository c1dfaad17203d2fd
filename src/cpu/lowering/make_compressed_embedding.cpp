// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table of bytes, and sums of them: the table is packed row by row with its scales, what
// the indices mean is found first, and the kernel sums what that gives.
#include "cpu/lowering/make_compressed_embedding.hpp"

#include <atomic>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/gemm/gemm_weights_cache.hpp"
#include "cpu/kernels/reduce/row_table.hpp"
#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "model/mapped_memory.hpp"
#include "model/typed.hpp"
#include "ops/embedding/compressed_embedding.hpp"

namespace fuseq::cpu {
namespace {

// Fewer bytes are not worth a second thread.
constexpr std::size_t kBytesForAThread = std::size_t{1} << 15;

// i32 or i64.
struct Integers {
    const void* data;
    bool wide;

    std::int64_t operator[](std::size_t i) const {
        return wide ? static_cast<const std::int64_t*>(data)[i]
                    : static_cast<const std::int32_t*>(data)[i];
    }
};

struct EmbeddingTask {
    RowsForm form;
    bool mean;
    std::size_t count = 0;  // indices
    std::size_t bags = 0;
    bool wide_indices = false;
    bool wide_bags = false;  // offsets or segment_ids
    bool weighted = false;
    std::optional<std::int64_t> fallback;
};

// Where tensors of the step are among its inputs and scratch.
constexpr std::size_t kIndices = 0;
constexpr std::size_t kBagInput = 1;  // offsets or segment_ids
constexpr std::size_t kRows = 0;
constexpr std::size_t kBegins = 1;
constexpr std::size_t kWeights = 2;
constexpr std::size_t kOrder = 3;

[[noreturn]] void fail(std::string rule) {
    throw Error("infer", std::move(rule));
}

// What a run has found of the bags.
class BagFinder {
public:
    BagFinder(const EmbeddingTask& task, const kernels::RowTable& table, const CallMemory& memory)
        : task_(task),
          table_(table),
          indices_{memory.inputs[kIndices], task.wide_indices},
          rows_(memory.work<const std::uint8_t*>(kRows)),
          begins_(memory.work<std::size_t>(kBegins)) {
        bags_.mean = task.mean;
        bags_.rows = rows_;
        bags_.begins = task.form == RowsForm::kGather ? nullptr : begins_;
        if (task.weighted) {
            bags_.weights = memory.input<float>(memory.inputs.size() - 1);
        }
        if (task.fallback) {
            bags_.fallback = row_of(*task.fallback);
        }
    }

    const kernels::RowBags& find(const CallMemory& memory) {
        switch (task_.form) {
            case RowsForm::kGather: find_gathered(); break;
            case RowsForm::kPacked: find_packed(); break;
            case RowsForm::kOffsets:
                find_offsets({memory.inputs[kBagInput], task_.wide_bags});
                break;
            case RowsForm::kSegments:
                find_segments({memory.inputs[kBagInput], task_.wide_bags}, memory);
                break;
        }
        return bags_;
    }

private:
    const std::uint8_t* row_of(std::int64_t index) const {
        if (index < 0 || index >= static_cast<std::int64_t>(table_.rows())) {
            fail(fmt::format("an index is {}, but the table has {} rows", index, table_.rows()));
        }
        return table_.row(static_cast<std::size_t>(index));
    }

    template <class Function>
    void for_each_index(const Function& function) const {
        constexpr std::size_t kGrain = 4096;
        parallel_for(task_.count, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                function(i);
            }
        });
    }

    void find_gathered() {
        const auto size = static_cast<std::int64_t>(table_.rows());
        for_each_index([&](std::size_t i) {
            const std::int64_t index = indices_[i] < 0 ? indices_[i] + size : indices_[i];
            const bool exists = index >= 0 && index < size;
            rows_[i] = exists ? table_.row(static_cast<std::size_t>(index)) : nullptr;
        });
    }

    // Row i of the bags is that of index order(i).
    template <class Order>
    void find_rows(const Order& order) {
        const auto size = static_cast<std::int64_t>(table_.rows());
        // A thread must not throw.
        std::atomic<std::size_t> bad{SIZE_MAX};
        for_each_index([&](std::size_t i) {
            const std::int64_t index = indices_[order(i)];
            if (index < 0 || index >= size) {
                bad = i;
            } else {
                rows_[i] = table_.row(static_cast<std::size_t>(index));
            }
        });
        if (bad != SIZE_MAX) {
            row_of(indices_[order(bad)]);
        }
    }
    void find_rows() {
        find_rows([](std::size_t i) { return i; });
    }

    void find_packed() {
        const std::size_t length = task_.count / task_.bags;
        for (std::size_t b = 0; b <= task_.bags; ++b) {
            begins_[b] = b * length;
        }
        find_rows();
    }

    void find_offsets(const Integers& offsets) {
        const auto count = static_cast<std::int64_t>(task_.count);
        for (std::size_t b = 0; b < task_.bags; ++b) {
            const std::int64_t min_offset = b == 0 ? 0 : offsets[b - 1];
            if (offsets[b] < min_offset || offsets[b] > count || (b == 0 && offsets[b] != 0)) {
                fail(fmt::format("offsets has the value {}, expected rising values from 0 to {}",
                                 offsets[b], count));
            }
            begins_[b] = static_cast<std::size_t>(offsets[b]);
        }
        begins_[task_.bags] = task_.count;
        find_rows();
    }

    // Sorted by bag; the indices of a bag keep their order.
    void find_segments(const Integers& segments, const CallMemory& memory) {
        std::fill_n(begins_, task_.bags + 1, std::size_t{0});
        for (std::size_t i = 0; i < task_.count; ++i) {
            if (segments[i] < 0 || segments[i] >= static_cast<std::int64_t>(task_.bags)) {
                fail(fmt::format("segment_ids has the value {}, expected one in [0, {})",
                                 segments[i], task_.bags));
            }
            ++begins_[segments[i]];
        }
        std::exclusive_scan(begins_, begins_ + task_.bags + 1, begins_, std::size_t{0});
        auto* order = memory.work<std::size_t>(kOrder);
        auto* weights = memory.work<float>(kWeights);
        for (std::size_t i = 0; i < task_.count; ++i) {
            const std::size_t place = begins_[segments[i]]++;
            order[place] = i;
            if (bags_.weights != nullptr) {
                weights[place] = bags_.weights[i];
            }
        }
        // Every begin has become its end.
        std::copy_backward(begins_, begins_ + task_.bags, begins_ + task_.bags + 1);
        begins_[0] = 0;
        bags_.weights = bags_.weights == nullptr ? nullptr : weights;
        find_rows([&](std::size_t i) { return order[i]; });
    }

    const EmbeddingTask& task_;
    const kernels::RowTable& table_;
    Integers indices_;
    const std::uint8_t** rows_;
    std::size_t* begins_;
    kernels::RowBags bags_;
};

void run(const EmbeddingTask& task, const kernels::RowTable& table, const CallMemory& memory) {
    BagFinder finder(task, table, memory);
    const kernels::RowBags& bags = finder.find(memory);
    const std::size_t bytes_of_bag = table.row_bytes() * (1 + task.count / task.bags);
    parallel_for(task.bags, 1 + kBytesForAThread / bytes_of_bag,
                 [&](std::size_t begin, std::size_t end) {
                     kernels::sum_rows(table, bags, memory.output<float>(0), {begin, end});
                 });
}

StepInfo describe(const Node& node, const EmbeddingTask& task) {
    StepInfo info;
    info.kind = "embedding";
    info.implementation = "fuseq:row_table";
    info.src_type = to_string(node.input(0).type());
    info.dst_type = to_string(ElementType::f32);
    info.layout = "plain";
    const Shape codes = node.input(0).shape();
    constexpr std::size_t kGridBytes = 8;
    info.bytes = static_cast<std::int64_t>(
        task.count * (byte_size_of(node.input(0).type(), codes[1]) + kGridBytes) +
        task.bags * codes[1] * sizeof(float));
    return info;
}

bool is_index(const Output& output) {
    return output.type() == ElementType::i32 || output.type() == ElementType::i64;
}

Verdict task_of(const Node& node, EmbeddingTask& task) {
    const auto& attrs = node.attrs<CompressedEmbeddingAttrs>();
    for (std::size_t i = 0; i < kRowIndices; ++i) {
        if (!node.input_node(i)->is_constant()) {
            return Verdict::no("a computed table");
        }
    }
    task.form = attrs.form;
    task.mean = attrs.reduction == BagReduction::kMean;
    task.count = shape_size(node.input(kRowIndices).shape());
    task.bags = shape_size(node.port(0).shape.to_shape()) / node.input(0).shape()[1];
    task.wide_indices = node.input(kRowIndices).type() == ElementType::i64;
    const bool has_bags = task.form == RowsForm::kOffsets || task.form == RowsForm::kSegments;
    if (!is_index(node.input(kRowIndices)) ||
        (has_bags && !is_index(node.input(kRowIndices + 1)))) {
        return Verdict::no("indices of another type than i32 and i64");
    }
    if (task.form == RowsForm::kGather) {
        return Verdict::yes();
    }
    const BagInputs inputs = attrs.bag_inputs();
    task.weighted = node.has_input(inputs.weights());
    if (has_bags) {
        task.wide_bags = node.input(kRowIndices + 1).type() == ElementType::i64;
        if (node.has_input(inputs.default_index())) {
            const Node* index = node.input_node(inputs.default_index());
            if (!index->is_constant()) {
                return Verdict::no("a computed default_index");
            }
            const std::int64_t fallback = to_ints(index->constant())[0];
            task.fallback = fallback == -1 ? std::nullopt : std::optional(fallback);
        }
    }
    return Verdict::yes();
}

CallStep::Tensors tensors_of(StepBuilder& builder, const Node& node, const EmbeddingTask& task) {
    CallStep::Tensors tensors;
    tensors.inputs = {builder.tensor_of(node.input(kRowIndices), Layout::kPlain)};
    if (task.form == RowsForm::kOffsets || task.form == RowsForm::kSegments) {
        tensors.inputs.push_back(builder.tensor_of(node.input(kRowIndices + 1), Layout::kPlain));
    }
    if (task.weighted) {
        const std::size_t place = node.attrs<CompressedEmbeddingAttrs>().bag_inputs().weights();
        tensors.inputs.push_back(builder.tensor_of(node.input(place), Layout::kPlain));
    }
    tensors.outputs = {builder.new_tensor(ElementType::f32, node.port(0).shape, Layout::kPlain)};
    const std::size_t count = task.count + 1;
    tensors.scratch = {builder.new_scratch(count * sizeof(void*)),
                       builder.new_scratch((task.bags + 1) * sizeof(std::size_t))};
    if (task.form == RowsForm::kSegments) {
        tensors.scratch.push_back(builder.new_scratch(count * sizeof(float)));
        tensors.scratch.push_back(builder.new_scratch(count * sizeof(std::size_t)));
    }
    return tensors;
}

// The table of a step, once it is packed; plans of one model share it.
struct Table {
    std::shared_ptr<const kernels::RowTable> rows;
};

// The constants by their addresses.
std::string key_of(const Node& node) {
    std::string key = "rows of";
    for (std::size_t i = 0; i < kRowIndices; ++i) {
        key += fmt::format(" {}", std::as_const(node.input_node(i)->constant()).data());
    }
    return key;
}

// Null: some constant lives no longer than this plan.
kernels::GemmWeightsCache* shared_tables(const StepBuilder& builder, const Node& node) {
    kernels::GemmWeightsCache* shared = nullptr;
    for (std::size_t i = 0; i < kRowIndices; ++i) {
        shared = builder.shared_weights(node.input_node(i)->constant());
        if (shared == nullptr) {
            break;
        }
    }
    return shared;
}

// Packs when the step has its place in the plan.
void pack_later(StepBuilder& builder, const Node& node, const std::shared_ptr<Table>& table) {
    Tensor codes = node.input_node(0)->constant();
    const Tensor scales = node.input_node(1)->constant();
    const Tensor offsets = node.input_node(2)->constant();
    kernels::GemmWeightsCache* const shared = shared_tables(builder, node);
    const std::string key = key_of(node);
    Node* stored = node.input_node(0);
    if (builder.releases_weights() && stored->port().uses.size() == 1) {
        release(stored);
    }
    builder.defer([table, shared, key, codes = std::move(codes), scales, offsets]() mutable {
        const auto pack = [&]() -> std::shared_ptr<const kernels::RowTable> {
            const Shape& shape = codes.get_shape();
            auto rows = std::make_shared<kernels::RowTable>(shape[0], shape[1]);
            rows->pack({std::as_const(codes).data(), codes.get_element_type(),
                        scales.values<float>(), offsets.values<float>()});
            let_go_of_pages(codes);
            return rows;
        };
        table->rows = shared == nullptr ? pack() : shared->get<kernels::RowTable>(key, pack);
        codes = Tensor();
    });
}

}  // namespace

Verdict make_compressed_embedding(StepBuilder& builder, Node& node) {
    if (!node.is("CompressedEmbedding")) {
        return Verdict::other_kind();
    }
    EmbeddingTask task{};
    if (Verdict verdict = task_of(node, task); !verdict) {
        return verdict;
    }
    const Shape codes = node.input(0).shape();
    auto table = std::make_shared<Table>();
    CallStep::Tensors tensors = tensors_of(builder, node, task);
    const TensorId dst = tensors.outputs[0];
    auto call = [task, table](const CallMemory& memory) { run(task, *table->rows, memory); };
    auto step =
        std::make_unique<CallStep>(std::move(call), std::move(tensors), describe(node, task));
    step->set_packed_bytes(codes[0] * (byte_size_of(node.input(0).type(), codes[1]) + 8));
    pack_later(builder, node, table);
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
