// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/run_steps.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <vector>

#include "cpu/steps/named_failure.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Times nothing.
struct Untimed {
    void begin() {}
    void end(std::size_t) {}
};

class Timed {
public:
    explicit Timed(std::vector<double>& times_us) : times_us_(times_us) {}
    void begin() { begin_ = Clock::now(); }
    // Those of the thread that leads.
    void end(std::size_t step) {
        const std::chrono::duration<double, std::micro> time = Clock::now() - begin_;
        if (omp_get_thread_num() == 0) {
            times_us_[step] += time.count();
        }
    }

private:
    std::vector<double>& times_us_;
    Clock::time_point begin_;
};

// What is thrown again as an error that names the step.
[[noreturn]] void throw_of_step(const Plan& plan, std::size_t step) {
    const StepInfo& info = plan.steps[step]->info();
    throw_named("infer", info.name, info.kind);
}

// The rows of one thread: parts of about equal size. `running` is the step that is being run.
template <class Times>
void tile_share(
    const TileGroup& group, Runners runners, RowPart share, Times times, std::size_t& running) {
    const std::size_t grains = (share.end - share.begin + group.grain - 1) / group.grain;
    const std::size_t max_rows = std::max<std::size_t>(1, group.part / group.grain);
    const std::size_t parts = (grains + max_rows - 1) / max_rows;
    const auto run = [&](std::size_t step, const RowPart& part) {
        running = step;
        times.begin();
        runners[step]->run_rows(part);
        times.end(step);
    };
    std::size_t ahead = 0;  // of the producer: where its rows that are there end
    for (std::size_t i = 0; i < parts; ++i) {
        RowPart part{share.begin + grains * i / parts * group.grain,
                     std::min(share.begin + grains * (i + 1) / parts * group.grain, share.end),
                     share.thread};
        std::size_t first = group.first;
        if (group.window) {
            RowPart source = group.window->source(part);
            source.begin = std::max(source.begin, ahead);  // rows between windows are left out
            source.end = std::max(source.begin, source.end);
            if (source.begin != source.end) {
                run(first, source);
            }
            part.source_begin = source.begin;
            part.source_end = source.end;
            ahead = source.end;
            ++first;
        }
        for (std::size_t s = first; s < group.last; ++s) {
            run(s, part);
        }
    }
}

// No exception may leave a thread of the team: the first one, with the name of its step, is thrown
// here when all have ended. A thread that fails leaves the rest of its rows as they are.
template <class Times>
void run_tile_group(const Plan& plan, const TileGroup& group, Runners runners, Times times) {
    const std::size_t shares = std::min(group.threads, work_shares());
    const std::size_t grain = group.share_grain;
    const std::size_t grains = (group.rows + grain - 1) / grain;
    std::exception_ptr failure;
    std::size_t failed = group.first;
    std::mutex mutex;
    parallel_for(shares, 1, [&](std::size_t begin, std::size_t end) {
        std::size_t running = group.first;
        try {
            for (std::size_t t = begin; t < end; ++t) {
                const RowPart share{grains * t / shares * grain,
                                    std::min(grains * (t + 1) / shares * grain, group.rows), t};
                tile_share(group, runners, share, times, running);
            }
        } catch (...) {
            const std::scoped_lock lock(mutex);
            if (!failure) {
                failure = std::current_exception();
                failed = running;
            }
        }
    });
    if (failure) {
        try {
            std::rethrow_exception(failure);
        } catch (...) {
            throw_of_step(plan, failed);
        }
    }
}

// Runs steps one after the other.
template <class Times>
class Progress {
public:
    Progress(const Plan& plan, Runners runners, Times times)
        : plan_(plan), runners_(runners), times_(times), group_(plan.tile_groups.begin()) {}

    std::size_t step() const { return step_; }

    void run_to(std::size_t end) {
        try {
            while (step_ < end) {
                run_next();
            }
        } catch (...) {
            throw_of_step(plan_, step_);
        }
    }

private:
    void run_next() {
        if (group_ != plan_.tile_groups.end() && group_->first == step_) {
            run_tile_group(plan_, *group_, runners_, times_);
            step_ = group_->last;
            ++group_;
            return;
        }
        times_.begin();
        runners_[step_]->run();
        times_.end(step_);
        ++step_;
    }

    const Plan& plan_;
    Runners runners_;
    Times times_;
    std::vector<TileGroup>::const_iterator group_;
    std::size_t step_ = 0;
};

// The first step from `begin` on that starts regions of its own.
std::size_t end_of_team(const Plan& plan, std::size_t begin) {
    const auto first = plan.steps.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = std::find_if(first, plan.steps.end(),
                                  [](const auto& step) { return step->starts_regions(); });
    return static_cast<std::size_t>(end - plan.steps.begin());
}

template <class Times>
void run_all(const Plan& plan, Runners runners, Times times) {
    Progress progress(plan, runners, times);
    while (progress.step() < runners.size()) {
        const std::size_t end = end_of_team(plan, progress.step());
        if (end > progress.step() + 1 && Team::may_open()) {
            Team::open([&] { progress.run_to(end); });
        } else {
            progress.run_to(std::max(end, progress.step() + 1));
        }
    }
}

}  // namespace

void run_steps(const Plan& plan, Runners runners) {
    run_all(plan, runners, Untimed());
}

void run_timed(const Plan& plan, Runners runners, std::vector<double>& times_us) {
    times_us.assign(runners.size(), 0.0);
    run_all(plan, runners, Timed(times_us));
}

}  // namespace fuseq::cpu
