// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/row_walks.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace fuseq::cpu {
namespace {

constexpr std::size_t kPartBytes = 384 << 10;  // of all tensors; they stay in the second cache
constexpr std::size_t kLeastPixels = 112;      // of a part
constexpr std::size_t kLeastImageRows = 8;     // of a part, where windows are read
constexpr std::size_t kLeastWalked = 64;       // fewer are better cut by channels
constexpr std::size_t kCacheLine = 64;

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
    Run(const Plan& plan, std::size_t first) : plan_(plan) { walk_.first = walk_.last = first; }

    // Adds the next step, unless it does not fit.
    bool add(const Step& step) {
        const auto rows = step.row_walk();
        if (!rows || rows->rows < kLeastWalked || (walk_.rows != 0 && rows->rows != walk_.rows)) {
            return false;
        }
        const Touched touched = touched_by(plan_, step);
        const std::set<TensorId> whole = roots_of(plan_, rows->whole);
        const std::size_t grain = std::lcm(walk_.grain, rows->grain);
        if (meet(whole, written_) || meet(touched.written, whole_) ||
            grain != std::max(walk_.grain, rows->grain) || !keeps_rows(step, rows->whole)) {
            return false;
        }
        walk_.rows = rows->rows;
        walk_.grain = grain;
        written_.insert(touched.written.begin(), touched.written.end());
        whole_.insert(whole.begin(), whole.end());
        used_.insert(touched.read.begin(), touched.read.end());
        used_.insert(touched.written.begin(), touched.written.end());
        work_ += step.info().macs / kMacsPerByte + step.info().bytes;
        ++walk_.last;
        return true;
    }

    std::size_t steps() const { return walk_.last - walk_.first; }
    const std::set<TensorId>& whole() const { return whole_; }

    RowWalkPlan finished(std::size_t threads) const {
        RowWalkPlan walk = walk_;
        const std::size_t row = bytes_of(plan_, used_) / walk.rows + 1;
        // Windows read some rows of the image twice where a part begins.
        const std::size_t least = walk.grain == 1 ? kLeastPixels : kLeastImageRows * walk.grain;
        walk.grain = walk.grain == 1 ? kTileRows : walk.grain;
        walk.part = std::max(kPartBytes / row, least) / walk.grain * walk.grain;
        const auto useful = static_cast<std::size_t>(1 + work_ / kBytesForAThread);
        walk.threads = std::clamp<std::size_t>(useful, 1, threads);
        return walk;
    }

private:
    static constexpr std::size_t kTileRows = 28;  // of a matrix product
    static constexpr std::int64_t kMacsPerByte = 10;
    static constexpr std::int64_t kBytesForAThread = 32768;  // about a microsecond

    // What is written in the walk has as many bytes a row for everybody.
    bool keeps_rows(const Step& step, const std::vector<TensorId>& whole) const {
        const auto keeps = [&](TensorId id) {
            const TensorId root = plan_.root(id);
            return plan_.tensors[id].bytes() == plan_.tensors[root].bytes();
        };
        return std::all_of(step.outputs().begin(), step.outputs().end(), keeps) &&
               std::all_of(step.inputs().begin(), step.inputs().end(), [&](TensorId id) {
                   return !written_.contains(plan_.root(id)) || keeps(id) ||
                          std::find(whole.begin(), whole.end(), id) != whole.end();
               });
    }

    const Plan& plan_;
    RowWalkPlan walk_;
    std::set<TensorId> written_;
    std::set<TensorId> whole_;  // read anywhere
    std::set<TensorId> used_;
    std::int64_t work_ = 0;
};

// Which steps use each root, as the first and the one behind the last.
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

void cut_down(Plan& plan, const RowWalkPlan& walk, const std::vector<Uses>& uses) {
    if (walk.part * walk.threads >= walk.rows) {
        return;
    }
    std::set<TensorId> kept = roots_of(plan, plan.outputs);
    std::set<TensorId> candidates;
    for (std::size_t s = walk.first; s < walk.last; ++s) {
        const Step& step = *plan.steps[s];
        for (const TensorId id : roots_of(plan, step.row_walk()->whole)) {
            kept.insert(id);
        }
        for (const TensorId id : roots_of(plan, step.outputs())) {
            candidates.insert(id);
        }
    }
    for (const TensorId id : candidates) {
        PlanTensor& tensor = plan.tensors[id];
        const bool mine = uses[id].first >= walk.first && uses[id].last <= walk.last;
        if (!mine || kept.contains(id) || tensor.storage != Storage::kArena) {
            continue;
        }
        tensor.part_row = tensor.bytes() / walk.rows;
        tensor.part_bytes =
            (tensor.part_row * walk.part + kCacheLine - 1) / kCacheLine * kCacheLine + kCacheLine;
        tensor.parts = walk.threads;
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

void find_walks(Plan& plan, std::size_t threads, bool small_tensors) {
    plan.walks.clear();
    for (std::size_t first = 0; first < plan.steps.size();) {
        Run run(plan, first);
        while (first + run.steps() < plan.steps.size() &&
               run.add(*plan.steps[first + run.steps()])) {
        }
        if (run.steps() > 1) {
            plan.walks.push_back(run.finished(threads));
        }
        first += std::max<std::size_t>(1, run.steps());
    }
    if (!small_tensors) {
        return;
    }
    const std::vector<Uses> uses = uses_of(plan);
    for (const RowWalkPlan& walk : plan.walks) {
        cut_down(plan, walk, uses);
    }
}

}  // namespace fuseq::cpu
