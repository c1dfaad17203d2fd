// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/tile_groups.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "cpu/machine/traits.hpp"
#include "cpu/plan/passes/plan_uses.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "tile_groups";
constexpr std::size_t kMinPixels = 112;   // of a part
constexpr std::size_t kMinImageRows = 8;  // of a part, where windows are read
constexpr std::size_t kMinTileRows = 4;   // where what two parts read is kept
constexpr std::size_t kMinTiled = 64;     // fewer are better cut by channels
constexpr std::size_t kCacheLine = 64;
// A tensor that is worth producer-consumer tiling: smaller ones stay in L2 as they are.
constexpr std::size_t kMinTiledBytes = 256 << 10;

// Of all tensors of a part: they stay in L2.
std::size_t part_bytes() {
    return machine_traits().tile_bytes;
}

// A tile group while it grows.
class GrowingGroup {
public:
    GrowingGroup(const Plan& plan, std::size_t first) : plan_(&plan) {
        group_.first = group_.last = first;
    }

    // Adds the next step, unless it does not fit. Windows gain nothing from a group that does not
    // compute what they read.
    bool add(const Step& step) {
        const auto rows = step.row_tiling();
        if (!rows || rows->window || rows->rows < kMinTiled ||
            (group_.rows != 0 && rows->rows != group_.rows)) {
            return false;
        }
        return add(step, *rows);
    }

    // Adds the two steps that producer-consumer tiling begins with. What the first reads no step of
    // the group may write, because it is ahead of the others.
    bool add_windows(const Step& source, const Step& windows) {
        const auto rows = source.row_tiling();
        const auto reader = windows.row_tiling();
        const std::set<TensorId> read = roots_of(*plan_, source.inputs());
        if (!rows || !reader || !keeps_rows(source, rows->whole)) {
            return false;
        }
        group_.window = reader->window;
        used_ = roots_of(*plan_, source.outputs());
        used_.insert(read.begin(), read.end());
        whole_ = read;
        work_ = work_of(source);
        ++group_.last;
        return add(windows, *reader);
    }

    std::size_t steps() const { return group_.last - group_.first; }

    // Whether there is more than one step. With producer-consumer tiling: whether it saves more
    // than it costs, as eight rows of the image at once stay in the cache, or the whole is far too
    // large for it. Else moving the rows that two parts read takes as long as fetching them.
    bool pays() const {
        if (!group_.window) {
            return steps() > 1;
        }
        constexpr std::size_t kLargeBytes = 4 << 20;  // of all tensors
        return part_rows() >= kMinImageRows * group_.window->dst_row ||
               bytes_of(*plan_, used_) >= kLargeBytes;
    }

    TileGroup finished(std::size_t threads) const {
        TileGroup group = group_;
        group.part = std::max(part_rows(), min_part_);
        group.share_grain = group.grain;  // of 7 tiles of pixels a thread would have 4
        group.grain = group.grain == 1 ? kTileRows : group.grain;
        if (fast_ <= group.part && fast_ % group.grain == 0) {
            group.grain = fast_;
        }
        group.part = std::max<std::size_t>(group.part / group.grain, 1) * group.grain;
        const auto useful = static_cast<std::size_t>(1 + work_ / kBytesForAThread);
        group.threads = std::clamp<std::size_t>(useful, 1, threads);
        return group;
    }

private:
    static constexpr std::size_t kTileRows = 28;  // of a matrix product
    static constexpr std::int64_t kMacsPerByte = 10;
    static constexpr std::int64_t kBytesForAThread = 32768;  // about a microsecond

    static std::int64_t work_of(const Step& step) {
        return step.info().macs / kMacsPerByte + step.info().bytes;
    }

    bool add(const Step& step, const RowTiling& rows) {
        const Touched touched = touched_by(*plan_, step);
        const std::set<TensorId> whole = roots_of(*plan_, rows.whole);
        const std::size_t grain = std::lcm(group_.grain, rows.grain);
        if (meet(whole, written_) || meet(touched.written, whole_) ||
            grain != std::max(group_.grain, rows.grain) || !keeps_rows(step, rows.whole)) {
            return false;
        }
        group_.rows = rows.rows;
        group_.grain = grain;
        min_part_ = std::max(min_part_, min_part(rows));
        fast_ = std::max(fast_, rows.fast);
        written_.insert(touched.written.begin(), touched.written.end());
        whole_.insert(whole.begin(), whole.end());
        used_.insert(touched.read.begin(), touched.read.end());
        used_.insert(touched.written.begin(), touched.written.end());
        work_ += work_of(step);
        ++group_.last;
        return true;
    }

    // As many rows of all tensors as stay in the cache.
    std::size_t part_rows() const {
        return part_bytes() / (bytes_of(*plan_, used_) / group_.rows + 1);
    }

    // Windows read some rows of the image twice where a part begins.
    static std::size_t min_part(const RowTiling& rows) {
        if (rows.window) {
            return kMinTileRows * rows.window->dst_row;
        }
        return rows.grain == 1 ? kMinPixels : kMinImageRows * rows.grain;
    }

    // What is written in the group has as many bytes a row for everybody.
    bool keeps_rows(const Step& step, const std::vector<TensorId>& whole) const {
        const auto keeps = [&](TensorId id) {
            const TensorId root = plan_->root(id);
            return plan_->tensors[id].bytes() == plan_->tensors[root].bytes();
        };
        return std::all_of(step.outputs().begin(), step.outputs().end(), keeps) &&
               std::all_of(step.inputs().begin(), step.inputs().end(), [&](TensorId id) {
                   return !written_.contains(plan_->root(id)) || keeps(id) ||
                          std::find(whole.begin(), whole.end(), id) != whole.end();
               });
    }

    const Plan* plan_;
    TileGroup group_;
    std::set<TensorId> written_;
    std::set<TensorId> whole_;  // read anywhere
    std::set<TensorId> used_;
    std::size_t min_part_ = 0;  // rows of a part
    std::size_t fast_ = 1;
    std::int64_t work_ = 0;
};

// Which steps use each root, as the first and the one after the last.
struct Uses {
    std::size_t first = 0;
    std::size_t last = 0;
};

std::vector<Uses> uses_of(const Plan& plan) {
    std::vector<Uses> uses(plan.tensors.size());
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const Touched touched = touched_by(plan, *plan.steps[s]);
        for (const auto* roots : {&touched.read, &touched.written}) {
            for (const TensorId id : *roots) {
                uses[id] = {uses[id].last == 0 ? s : uses[id].first, s + 1};
            }
        }
    }
    return uses;
}

// Whether producer-consumer tiling begins at steps s and s + 1: an image so large that it is better
// computed as it is read, and that nobody else uses.
bool begins_windows(const Plan& plan, std::size_t s, const std::vector<Uses>& uses) {
    if (s + 1 >= plan.steps.size()) {
        return false;
    }
    const auto source = plan.steps[s]->row_tiling();
    const auto windows = plan.steps[s + 1]->row_tiling();
    if (!source || source->window || !windows || !windows->window || windows->whole.size() != 1 ||
        plan.steps[s]->outputs() != windows->whole || windows->rows < kMinTiled) {
        return false;
    }
    const TensorId id = windows->whole[0];
    const PlanTensor& tensor = plan.tensors[id];
    const RowWindow& window = *windows->window;
    const auto& outputs = plan.outputs;
    return plan.root(id) == id && tensor.storage == Storage::kArena &&
           tensor.bytes() >= kMinTiledBytes && uses[id].first == s && uses[id].last == s + 2 &&
           std::none_of(outputs.begin(), outputs.end(),
                        [&](TensorId output) { return plan.root(output) == id; }) &&
           source->rows == window.src_row * window.src_height &&
           window.src_row % source->grain == 0;
}

void cut_to_parts(PlanTensor& tensor, const TileGroup& group) {
    tensor.part_row = tensor.bytes() / group.rows;
    tensor.part_bytes =
        (tensor.part_row * group.part + kCacheLine - 1) / kCacheLine * kCacheLine + kCacheLine;
    tensor.parts = group.threads;
}

// What the producer writes: the rows of a part and those that the next part reads too.
void cut_to_tiles(PlanTensor& tensor, const TileGroup& group) {
    const RowWindow& window = *group.window;
    const std::size_t images_rows = group.part / window.dst_row;
    const std::size_t max_rows =
        std::min(((images_rows - 1) * window.stride + window.extent), window.src_height);
    tensor.part_row = tensor.bytes() / (window.src_row * window.src_height);
    tensor.part_kept = window.shared() * tensor.part_row;
    const std::size_t bytes = tensor.part_kept + max_rows * window.src_row * tensor.part_row;
    tensor.part_bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine + kCacheLine;
    tensor.parts = group.threads;
}

void cut_down(Plan& plan, const TileGroup& group, const std::vector<Uses>& uses) {
    std::size_t first = group.first;
    if (group.window) {
        cut_to_tiles(plan.tensors[plan.steps[first]->outputs()[0]], group);
        ++first;
    }
    if (group.part * group.threads >= group.rows) {
        return;
    }
    std::set<TensorId> kept = roots_of(plan, plan.outputs);
    std::set<TensorId> candidates;
    for (std::size_t s = first; s < group.last; ++s) {
        const Step& step = *plan.steps[s];
        for (const TensorId id : roots_of(plan, step.row_tiling()->whole)) {
            kept.insert(id);
        }
        for (const TensorId id : roots_of(plan, step.outputs())) {
            candidates.insert(id);
        }
    }
    for (const TensorId id : candidates) {
        PlanTensor& tensor = plan.tensors[id];
        const bool mine = uses[id].first >= group.first && uses[id].last <= group.last;
        if (mine && !kept.contains(id) && tensor.storage == Storage::kArena) {
            cut_to_parts(tensor, group);
        }
    }
}

std::string to_sentence(const Plan& plan, const TileGroup& group) {
    return fmt::format("begins a group that ends with '{}': {} of {} rows at a time, {}{}{}",
                       plan.steps[group.last - 1]->info().name, std::min(group.part, group.rows),
                       group.rows, group.threads, group.threads == 1 ? " thread" : " threads",
                       group.window ? ", producer-consumer tiling" : "");
}

}  // namespace

bool tile_groups(Plan& plan, PlanPassContext& context) {
    const PlanPassOptions& options = context.options();
    const bool cut = !options.keep_intermediates;
    plan.tile_groups.clear();
    const std::vector<Uses> uses = uses_of(plan);
    const auto begins = [&](std::size_t s) { return cut && begins_windows(plan, s, uses); };
    for (std::size_t first = 0; first < plan.steps.size();) {
        GrowingGroup group(plan, first);
        GrowingGroup windows(plan, first);
        if (begins(first) && windows.add_windows(*plan.steps[first], *plan.steps[first + 1])) {
            group = windows;
        }
        while (first + group.steps() < plan.steps.size() &&
               (group.steps() == 0 || !begins(first + group.steps())) &&
               group.add(*plan.steps[first + group.steps()])) {
        }
        if (group.pays()) {
            plan.tile_groups.push_back(group.finished(options.threads));
            context.did(kName, *plan.steps[first], to_sentence(plan, plan.tile_groups.back()));
        }
        first += group.pays() ? group.steps() : 1;
    }
    if (cut) {
        for (const TileGroup& group : plan.tile_groups) {
            cut_down(plan, group, uses);
        }
    }
    return !plan.tile_groups.empty();
}

}  // namespace fuseq::cpu
