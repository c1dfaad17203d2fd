// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// NonMaxSuppression: scores are filtered first, only the best candidates are sorted, only their
// boxes are looked at, and a box is compared with many kept ones at a time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/kernels/detection/box_overlap.hpp"
#include "cpu/steps/own_kernels.hpp"
#include "cpu/threading/parallel_tasks.hpp"
#include "ops/detection/non_max_suppression.hpp"

namespace fuseq::cpu {
namespace {

namespace kernels = fuseq::kernels;

// Of one class of one image.
struct ClassBoxes {
    const float* boxes;
    const float* scores;
    std::size_t count;
    BoxEncoding encoding;
};

kernels::BoxColumns<double>::Box sized_box(const ClassBoxes& own, std::size_t index) {
    const CornerBox box = nms_box(own.boxes + index * 4, own.encoding);
    return {box.x1, box.y1, box.x2, box.y2, box.area()};
}

// The largest float that is not above: a float is above the one if it is above the other.
float rounded_down(double value) {
    const auto rounded = static_cast<float>(value);
    return static_cast<double>(rounded) > value
               ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
               : rounded;
}

// The memory of a thread.
class Suppression {
public:
    void run(const ClassBoxes& own, const NmsLimits& limits, const NmsKept& name) {
        kept_.clear();
        taken_ = 0;
        if (own.count > places_.size()) {
            places_.resize(own.count);
            ranks_.resize(own.count);
        }
        size_ = kernels::places_above(own.scores, own.count, rounded_down(limits.score),
                                      places_.data());
        limits.sigma > 0 ? suppress_softly(own, limits, name) : suppress(own, limits, name);
    }

    std::vector<NmsKept>& found() { return found_; }

private:
    struct Candidate {
        double score;
        std::size_t index;
        std::size_t compared;  // kept boxes that it was compared with
        // Best first; of equal scores the first box.
        bool operator<(const Candidate& other) const {
            return score != other.score ? score < other.score : index > other.index;
        }
    };

    void keep(const kernels::BoxColumns<double>::Box& box, double score, NmsKept name) {
        kept_.push_back(box);
        ++taken_;
        name.score = score;
        found_.push_back(name);
    }

    void make_room(std::size_t entries) {
        if (entries > entries_.size()) {
            entries_.resize(entries);
            work_.resize(entries);
        }
    }

    // Sorted by scores: some of the best, and where they do not do all others.
    void suppress(const ClassBoxes& own, const NmsLimits& limits, const NmsKept& name) {
        for (std::size_t i = 0; i < size_; ++i) {
            ranks_[i] = kernels::rank_of(own.scores[places_[i]], true);
        }
        constexpr std::size_t kSome = 64;
        const std::size_t some = limits.max_boxes < size_ ? 4 * limits.max_boxes + kSome : size_;
        make_room(kernels::best_ranks_room(size_, std::min(some, size_)));
        std::size_t count =
            kernels::best_ranks(ranks_.data(), size_, std::min(some, size_), entries_.data());
        select(count, own, limits, name);
        if (taken_ == limits.max_boxes || count == size_) {
            return;
        }
        const std::uint64_t last = entries_[count - 1];
        make_room(size_);
        count = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t entry = kernels::entry_of(ranks_[i], i);
            if (entry > last) {
                entries_[count++] = entry;
            }
        }
        select(count, own, limits, name);
    }

    void select(std::size_t count, const ClassBoxes& own, const NmsLimits& limits, NmsKept name) {
        kernels::sort_entries(entries_.data(), count, work_.data());
        for (std::size_t i = 0; i < count && taken_ < limits.max_boxes; ++i) {
            name.index = static_cast<std::size_t>(places_[kernels::place_of(entries_[i])]);
            const auto box = sized_box(own, name.index);
            if (!kernels::overlaps_any(kept_, box, 0, limits.iou)) {
                keep(box, static_cast<double>(own.scores[name.index]), name);
            }
        }
    }

    // Scores fall with every box that is kept, and with them the order.
    void suppress_softly(const ClassBoxes& own, const NmsLimits& limits, NmsKept name) {
        heap_.clear();
        for (std::size_t i = 0; i < size_; ++i) {
            const auto index = static_cast<std::size_t>(places_[i]);
            heap_.push_back({static_cast<double>(own.scores[index]), index, 0});
        }
        std::make_heap(heap_.begin(), heap_.end());
        while (!heap_.empty() && taken_ < limits.max_boxes) {
            std::pop_heap(heap_.begin(), heap_.end());
            Candidate candidate = heap_.back();
            heap_.pop_back();
            const double before = candidate.score;
            const auto box = sized_box(own, candidate.index);
            if (covered(candidate, box, limits)) {
                continue;
            }
            if (candidate.score == before) {
                name.index = candidate.index;
                keep(box, candidate.score, name);
            } else if (candidate.score > limits.score) {
                heap_.push_back(candidate);
                std::push_heap(heap_.begin(), heap_.end());
            }
        }
    }

    // Lowers the score by the boxes kept since the candidate was last looked at; true when one of
    // them covers it.
    bool covered(Candidate& candidate,
                 const kernels::BoxColumns<double>::Box& box,
                 const NmsLimits& limits) {
        const std::size_t first = candidate.compared;
        const std::size_t count = kept_.size() - first;
        if (overlaps_.size() < count + kVector) {
            overlaps_.resize(2 * count + kVector);
        }
        kernels::overlaps(kept_, box, 0, first, overlaps_.data());
        for (std::size_t j = count; j-- > 0;) {
            const double overlap = overlaps_[j];
            if (overlap > limits.iou) {
                return true;
            }
            if (overlap != 0) {  // a score times 1
                candidate.score *= std::exp(-0.5 * overlap * overlap / limits.sigma);
                if (candidate.score <= limits.score) {
                    break;
                }
            }
        }
        candidate.compared = kept_.size();
        return false;
    }

    static constexpr std::size_t kVector = 16;

    std::size_t size_ = 0;  // candidates
    std::vector<std::int32_t> places_;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::uint64_t> entries_, work_;
    std::vector<Candidate> heap_;
    std::vector<double> overlaps_;
    kernels::BoxColumns<double> kept_;
    std::size_t taken_ = 0;
    std::vector<NmsKept> found_;  // of all classes
};

class NonMaxSuppression {
public:
    void run(EvalContext& context) {
        const NmsSizes sizes = nms_sizes(context);
        const NmsLimits limits = nms_limits(context);
        const BoxEncoding encoding = context.attrs<NonMaxSuppressionAttrs>().box_encoding;
        const auto* boxes = context.input(0).data<float>();
        const auto* scores = context.input(1).data<float>();
        const std::size_t tasks = sizes.images * sizes.classes;
        const std::size_t pieces = std::min(tasks, static_cast<std::size_t>(omp_get_max_threads()));
        if (threads_.size() < pieces) {
            threads_.resize(pieces);
        }
        parallel_tasks(pieces, [&](std::size_t piece) {
            threads_[piece].found().clear();
            const std::size_t last = tasks * (piece + 1) / pieces;
            for (std::size_t task = tasks * piece / pieces; task < last; ++task) {
                const std::size_t image = task / sizes.classes;
                threads_[piece].run({boxes + image * sizes.boxes * 4, scores + task * sizes.boxes,
                                     sizes.boxes, encoding},
                                    limits, {image, task % sizes.classes, 0, 0});
            }
        });
        kept_.clear();
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::vector<NmsKept>& found = threads_[piece].found();
            kept_.insert(kept_.end(), found.begin(), found.end());
        }
        finish_nms(context, sizes, limits, kept_);
    }

private:
    std::vector<Suppression> threads_;
    std::vector<NmsKept> kept_;
};

}  // namespace

NodeKernel make_non_max_suppression() {
    return [kernel = std::make_shared<NonMaxSuppression>()](EvalContext& context) {
        kernel->run(context);
    };
}

}  // namespace fuseq::cpu
