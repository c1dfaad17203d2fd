// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/tile_groups.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cpu/machine/traits.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMinPixels = 112;   // of a part
constexpr std::size_t kMinImageRows = 8;  // of a part, where windows are read
constexpr std::size_t kMinTileRows = 4;   // where what two parts read is kept
constexpr std::size_t kMinTiled = 64;     // fewer are better cut by channels
constexpr std::size_t kCacheLine = 64;
// A tensor that is worth a band of its own: smaller ones stay in the second cache as they are.
constexpr std::size_t kMinTiledBytes = 256 << 10;

// Of all tensors of a part: they stay in the second cache.
std::size_t part_bytes() {
    return machine_traits().tile_bytes;
}

std::set<TensorId> roots_of(const Plan& plan, const std::vector<TensorId>& ids) {
    std::set<TensorId> roots;
    for (const TensorId id : ids) {
        if (id != kNoTensor) {
            roots.insert(plan.root(id));
        }
    }
    return roots;
}

bool meet(const std::set<TensorId>& a, const std::set<TensorId>& b) {
    return std::any_of(a.begin(), a.end(), [&](TensorId id) { return b.contains(id); });
}

std::size_t bytes_of(const Plan& plan, const std::set<TensorId>& roots) {
    std::size_t bytes = 0;
    for (const TensorId id : roots) {
        bytes += plan.tensors[id].storage == Storage::kDynamic ? 0 : plan.tensors[id].bytes();
    }
    return bytes;
}

// The roots that a step reads and writes.
struct Touched {
    std::set<TensorId> read;
    std::set<TensorId> written;
};

Touched touched_by(const Plan& plan, const Step& step) {
    return {roots_of(plan, step.inputs()), roots_of(plan, step.outputs())};
}

// ---- walks --------------------------------------------------------------------------------------

// A walk while it grows.
class Run {
public:
    Run(const Plan& plan, std::size_t first) : plan_(&plan) { walk_.first = walk_.last = first; }

    // Adds the next step, unless it does not fit. Windows gain nothing from a walk that does not
    // compute what they read.
    bool add(const Step& step) {
        const auto rows = step.row_tiling();
        if (!rows || rows->window || rows->rows < kMinTiled ||
            (walk_.rows != 0 && rows->rows != walk_.rows)) {
            return false;
        }
        return add(step, *rows);
    }

    // Adds the two steps that a band begins with. What the first reads no step of the walk may
    // write, because it is ahead of the others.
    bool add_tiling(const Step& source, const Step& windows) {
        const auto rows = source.row_tiling();
        const auto reader = windows.row_tiling();
        const std::set<TensorId> read = roots_of(*plan_, source.inputs());
        if (!rows || !reader || !keeps_rows(source, rows->whole)) {
            return false;
        }
        walk_.band = reader->window;
        used_ = roots_of(*plan_, source.outputs());
        used_.insert(read.begin(), read.end());
        whole_ = read;
        work_ = work_of(source);
        ++walk_.last;
        return add(windows, *reader);
    }

    std::size_t steps() const { return walk_.last - walk_.first; }

    // Whether this is a walk, and a band that costs less than it saves: eight rows of the image
    // at once stay in the cache, or the whole is far too large for it. Else moving the rows that
    // two parts read takes as long as fetching them.
    bool pays() const {
        if (!walk_.band) {
            return steps() > 1;
        }
        constexpr std::size_t kLargeBytes = 4 << 20;  // of all tensors
        return part_rows() >= kMinImageRows * walk_.band->dst_row ||
               bytes_of(*plan_, used_) >= kLargeBytes;
    }

    TileGroup finished(std::size_t threads) const {
        TileGroup walk = walk_;
        walk.part = std::max(part_rows(), least_);
        walk.share_grain = walk.grain;  // of 7 tiles of pixels a thread would have 4
        walk.grain = walk.grain == 1 ? kTileRows : walk.grain;
        if (fast_ <= walk.part && fast_ % walk.grain == 0) {
            walk.grain = fast_;
        }
        walk.part = std::max<std::size_t>(walk.part / walk.grain, 1) * walk.grain;
        const auto useful = static_cast<std::size_t>(1 + work_ / kBytesForAThread);
        walk.threads = std::clamp<std::size_t>(useful, 1, threads);
        return walk;
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
        const std::size_t grain = std::lcm(walk_.grain, rows.grain);
        if (meet(whole, written_) || meet(touched.written, whole_) ||
            grain != std::max(walk_.grain, rows.grain) || !keeps_rows(step, rows.whole)) {
            return false;
        }
        walk_.rows = rows.rows;
        walk_.grain = grain;
        least_ = std::max(least_, least_part(rows));
        fast_ = std::max(fast_, rows.fast);
        written_.insert(touched.written.begin(), touched.written.end());
        whole_.insert(whole.begin(), whole.end());
        used_.insert(touched.read.begin(), touched.read.end());
        used_.insert(touched.written.begin(), touched.written.end());
        work_ += work_of(step);
        ++walk_.last;
        return true;
    }

    // As many rows of all tensors as stay in the cache.
    std::size_t part_rows() const {
        return part_bytes() / (bytes_of(*plan_, used_) / walk_.rows + 1);
    }

    // Windows read some rows of the image twice where a part begins.
    static std::size_t least_part(const RowTiling& rows) {
        if (rows.window) {
            return kMinTileRows * rows.window->dst_row;
        }
        return rows.grain == 1 ? kMinPixels : kMinImageRows * rows.grain;
    }

    // What is written in the walk has as many bytes a row for everybody.
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
    TileGroup walk_;
    std::set<TensorId> written_;
    std::set<TensorId> whole_;  // read anywhere
    std::set<TensorId> used_;
    std::size_t least_ = 0;  // rows of a part
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

// Whether steps s and s + 1 begin a band: an image so large that it is better computed as it is
// read, and that nobody else uses.
bool begins_tiling(const Plan& plan, std::size_t s, const std::vector<Uses>& uses) {
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

void cut_to_parts(PlanTensor& tensor, const TileGroup& walk) {
    tensor.part_row = tensor.bytes() / walk.rows;
    tensor.part_bytes =
        (tensor.part_row * walk.part + kCacheLine - 1) / kCacheLine * kCacheLine + kCacheLine;
    tensor.parts = walk.threads;
}

// What the first step of a band writes: the rows of a part and those that the next reads too.
void cut_to_tiles(PlanTensor& tensor, const TileGroup& walk) {
    const RowWindow& window = *walk.band;
    const std::size_t images_rows = walk.part / window.dst_row;
    const std::size_t most =
        std::min(((images_rows - 1) * window.stride + window.extent), window.src_height);
    tensor.part_row = tensor.bytes() / (window.src_row * window.src_height);
    tensor.part_kept = window.shared() * tensor.part_row;
    const std::size_t bytes = tensor.part_kept + most * window.src_row * tensor.part_row;
    tensor.part_bytes = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine + kCacheLine;
    tensor.parts = walk.threads;
}

void cut_down(Plan& plan, const TileGroup& walk, const std::vector<Uses>& uses) {
    std::size_t first = walk.first;
    if (walk.band) {
        cut_to_tiles(plan.tensors[plan.steps[first]->outputs()[0]], walk);
        ++first;
    }
    if (walk.part * walk.threads >= walk.rows) {
        return;
    }
    std::set<TensorId> kept = roots_of(plan, plan.outputs);
    std::set<TensorId> candidates;
    for (std::size_t s = first; s < walk.last; ++s) {
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
        const bool mine = uses[id].first >= walk.first && uses[id].last <= walk.last;
        if (mine && !kept.contains(id) && tensor.storage == Storage::kArena) {
            cut_to_parts(tensor, walk);
        }
    }
}

}  // namespace

void move_to_readers(Plan& plan) {
    std::vector<Touched> touched;
    for (const auto& step : plan.steps) {
        touched.push_back(touched_by(plan, *step));
    }
    for (std::size_t s = plan.steps.size(); s-- > 0;) {
        const Touched mine = touched[s];
        if (bytes_of(plan, mine.written) < 2 * bytes_of(plan, mine.read)) {
            continue;
        }
        std::size_t to = s + 1;
        while (to < plan.steps.size() && !meet(mine.written, touched[to].read) &&
               !meet(mine.written, touched[to].written) && !meet(mine.read, touched[to].written)) {
            ++to;
        }
        if (to == plan.steps.size()) {
            continue;  // nobody reads it
        }
        const auto at = [](auto& list, std::size_t i) {
            return list.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::rotate(at(plan.steps, s), at(plan.steps, s + 1), at(plan.steps, to));
        std::rotate(at(touched, s), at(touched, s + 1), at(touched, to));
    }
}

void find_tile_groups(Plan& plan, std::size_t threads, bool small_tensors) {
    plan.walks.clear();
    const std::vector<Uses> uses = uses_of(plan);
    const auto begins = [&](std::size_t s) {
        return small_tensors && begins_tiling(plan, s, uses);
    };
    for (std::size_t first = 0; first < plan.steps.size();) {
        Run run(plan, first);
        Run band(plan, first);
        if (begins(first) && band.add_tiling(*plan.steps[first], *plan.steps[first + 1])) {
            run = band;
        }
        while (first + run.steps() < plan.steps.size() &&
               (run.steps() == 0 || !begins(first + run.steps())) &&
               run.add(*plan.steps[first + run.steps()])) {
        }
        if (run.pays()) {
            plan.walks.push_back(run.finished(threads));
        }
        first += run.pays() ? run.steps() : 1;
    }
    if (!small_tensors) {
        return;
    }
    for (const TileGroup& walk : plan.walks) {
        cut_down(plan, walk, uses);
    }
}

}  // namespace fuseq::cpu
