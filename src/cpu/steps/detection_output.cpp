// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/detection_output.hpp"

#include <algorithm>
#include <vector>

#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/kernels/detection/box_overlap.hpp"

namespace fuseq::cpu {
namespace {

namespace kernels = fuseq::kernels;

// One that was kept; `order` makes sorting stable.
struct Detection {
    float score;
    std::int32_t label;
    std::int32_t prior;
    std::int32_t order;
};

// Candidates in the order of their priors, which decides between equal scores.
class Candidates {
public:
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    const std::uint32_t* ranks() const { return ranks_.data(); }
    std::int32_t prior(std::size_t i) const { return priors_[i]; }
    // Makes room for so many more.
    void make_room(std::size_t more) {
        if (size_ + more > ranks_.size()) {
            ranks_.resize(2 * size_ + more);
            priors_.resize(2 * size_ + more);
        }
    }
    void add(float score, std::int64_t prior) {
        ranks_[size_] = kernels::rank_of(score, true);
        priors_[size_++] = static_cast<std::int32_t>(prior);
    }

private:
    std::size_t size_ = 0;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::int32_t> priors_;
};

class DetectionOutputRunner final : public Runner {
public:
    DetectionOutputRunner(const DetectionOutput8Attrs& attrs,
                          const DetectionSizes& sizes,
                          const Step& step,
                          RequestMemory& memory)
        : attrs_(attrs), sizes_(sizes), step_(step), memory_(memory) {
        const auto classes = static_cast<std::size_t>(sizes.classes);
        // Room for what is usual; more is made when an image needs it.
        constexpr std::int64_t kUsual = 1024;
        candidates_.resize(attrs.decrease_label_id ? 1 : classes);
        for (auto& list : candidates_) {
            list.make_room(static_cast<std::size_t>(std::min(sizes.priors, kUsual)));
        }
        if (attrs.decrease_label_id) {
            labels_.resize(static_cast<std::size_t>(sizes.priors));
        }
        kept_.resize(classes);
        found_.reserve(kUsual);
        // Scores of the background are many, and above the threshold.
        const std::int64_t background = attrs.background_label_id;
        if ((classes == 2 || classes == 4) && background >= 0 && background < sizes.classes) {
            background_ = {classes, static_cast<std::size_t>(background)};
        }
    }

    void run() override {
        auto* to = static_cast<float*>(memory_.data(step_.outputs()[0]));
        float* const end = to + sizes_.rows * 7;
        std::fill(to, end, 0.0f);
        for (std::int64_t image = 0; image < sizes_.images; ++image) {
            read_image(image);
            detect();
            for (const Detection& found : found_) {
                if (to == end) {
                    return;
                }
                to = write_detection(attrs_, image, {found.score, found.label, found.prior},
                                     decoded(found), to);
            }
        }
        if (to != end) {
            *to = -1.0f;
        }
    }

private:
    static constexpr std::int64_t kScoresAtOnce = 1024;

    void read_image(std::int64_t image) {
        const auto data = [&](std::size_t i, std::int64_t size) {
            return static_cast<const float*>(memory_.data(step_.inputs()[i])) + size;
        };
        const std::int64_t prior_size = attrs_.normalized ? 4 : 5;
        const std::int64_t prior_rows = attrs_.variance_encoded_in_target ? 1 : 2;
        locations_ = data(0, image * sizes_.priors * sizes_.location_classes * 4);
        scores_ = data(1, image * sizes_.priors * sizes_.classes);
        priors_ = data(
            2, (sizes_.prior_images == 1 ? 0 : image) * sizes_.priors * prior_size * prior_rows);
        variances_ = priors_ + sizes_.priors * prior_size;
    }

    Box decoded(const Detection& d) const {
        const std::int64_t label = sizes_.location_classes == 1 ? 0 : d.label;
        const float* l = locations_ + (d.prior * sizes_.location_classes + label) * 4;
        Box delta{l[0], l[1], l[2], l[3]};
        if (!attrs_.variance_encoded_in_target) {
            const float* v = variances_ + std::int64_t{d.prior} * 4;
            delta = {l[0] * v[0], l[1] * v[1], l[2] * v[2], l[3] * v[3]};
        }
        const std::int64_t size = attrs_.normalized ? 4 : 5;
        const float* p = priors_ + d.prior * size + size - 4;
        const float width = attrs_.normalized ? 1.0f : static_cast<float>(attrs_.input_width);
        const float height = attrs_.normalized ? 1.0f : static_cast<float>(attrs_.input_height);
        const Box prior{p[0] / width, p[1] / height, p[2] / width, p[3] / height};
        return decoded_box(attrs_, prior, delta);
    }

    void detect() {
        found_.clear();
        for (auto& boxes : kept_) {
            boxes.clear();
        }
        for (auto& list : candidates_) {
            list.clear();
        }
        if (attrs_.decrease_label_id) {
            collect_best_of_priors();
        } else {
            collect_classes();
        }
        for (std::size_t c = 0; c < candidates_.size(); ++c) {
            suppress(candidates_[c], attrs_.decrease_label_id ? -1 : static_cast<std::int32_t>(c));
        }
        keep_best();
    }

    void collect_classes() {
        std::int32_t places[kScoresAtOnce];
        const std::int64_t count = sizes_.priors * sizes_.classes;
        std::int64_t prior = 0;
        std::int64_t next = sizes_.classes;  // the first score of the next prior
        for (std::int64_t begin = 0; begin < count; begin += kScoresAtOnce) {
            const std::size_t size = kernels::places_above(
                scores_ + begin, static_cast<std::size_t>(std::min(kScoresAtOnce, count - begin)),
                attrs_.confidence_threshold, places, background_);
            for (Candidates& list : candidates_) {
                list.make_room(kScoresAtOnce / static_cast<std::size_t>(sizes_.classes) + 2);
            }
            for (std::size_t i = 0; i < size; ++i) {
                const std::int64_t at = begin + places[i];
                while (at >= next) {
                    next += sizes_.classes;
                    ++prior;
                }
                const std::int64_t label = at - (next - sizes_.classes);
                if (label != attrs_.background_label_id) {
                    candidates_[static_cast<std::size_t>(label)].add(scores_[at], prior);
                }
            }
        }
    }

    // Every prior stands for its best class, class 0 being the background.
    void collect_best_of_priors() {
        candidates_[0].make_room(static_cast<std::size_t>(sizes_.priors));
        for (std::int64_t p = 0; p < sizes_.priors; ++p) {
            float best = -1.0f;
            std::int32_t label = 0;
            for (std::int64_t c = 1; c < sizes_.classes; ++c) {
                const float score = scores_[p * sizes_.classes + c];
                if (score > best) {
                    best = score;
                    label = static_cast<std::int32_t>(c);
                }
            }
            if (label > 0 && best >= attrs_.confidence_threshold) {
                labels_[static_cast<std::size_t>(p)] = label;
                candidates_[0].add(best, p);
            }
        }
    }

    // The best candidates of a list, best first, to entries_. Returns their number.
    std::size_t sort_best(const Candidates& list) {
        const std::size_t size = list.size();
        const std::size_t wanted =
            attrs_.top_k > -1 ? std::min(size, static_cast<std::size_t>(attrs_.top_k)) : size;
        const std::size_t room = kernels::best_ranks_room(size, wanted);
        if (entries_.size() < room) {
            entries_.resize(room);
            work_.resize(room);
        }
        const std::size_t count = kernels::best_ranks(list.ranks(), size, wanted, entries_.data());
        kernels::sort_entries(entries_.data(), count, work_.data());
        return count;
    }

    // `label` is -1 where every candidate has its own.
    void suppress(const Candidates& list, std::int32_t label) {
        const std::size_t count = sort_best(list);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t prior = list.prior(kernels::place_of(entries_[i]));
            Detection candidate{0, label, prior, 0};
            if (label < 0) {
                candidate.label = labels_[static_cast<std::size_t>(prior)];
            }
            candidate.score = scores_[prior * sizes_.classes + candidate.label];
            const Box box = decoded(candidate);
            const kernels::BoxColumns<float>::Box sized{box.xmin, box.ymin, box.xmax, box.ymax,
                                                        area(box)};
            auto& kept = kept_[static_cast<std::size_t>(candidate.label)];
            if (!kernels::overlaps_any(kept, sized, attrs_.nms_threshold)) {
                kept.push_back(sized);
                found_.push_back(candidate);
            }
        }
    }

    void number_found() {
        std::int32_t order = 0;
        for (Detection& d : found_) {
            d.order = order++;
        }
    }

    // Of one class it is sorted.
    template <class Before>
    void sort_found(const Before& before) {
        if (!std::is_sorted(found_.begin(), found_.end(), before)) {
            std::sort(found_.begin(), found_.end(), before);
        }
    }

    void keep_best() {
        const std::int64_t max_kept = attrs_.keep_top_k[0];
        if (max_kept > -1 && static_cast<std::int64_t>(found_.size()) > max_kept) {
            number_found();
            sort_found([](const Detection& a, const Detection& b) {
                if (a.score != b.score) {
                    return a.score > b.score;
                }
                return a.prior != b.prior ? a.prior < b.prior : a.order < b.order;
            });
            found_.resize(static_cast<std::size_t>(max_kept));
        }
        number_found();
        sort_found([](const Detection& a, const Detection& b) {
            if (a.label != b.label) {
                return a.label < b.label;
            }
            return a.score != b.score ? a.score > b.score : a.order < b.order;
        });
    }

    const DetectionOutput8Attrs& attrs_;
    const DetectionSizes& sizes_;
    const Step& step_;
    RequestMemory& memory_;
    kernels::LeftOut background_;
    const float* locations_ = nullptr;  // of the image
    const float* scores_ = nullptr;
    const float* priors_ = nullptr;
    const float* variances_ = nullptr;
    std::vector<Candidates> candidates_;            // by label, or one list
    std::vector<std::int32_t> labels_;              // by prior, of the one list
    std::vector<kernels::BoxColumns<float>> kept_;  // by label
    std::vector<std::uint64_t> entries_;            // of one list
    std::vector<std::uint64_t> work_;
    std::vector<Detection> found_;
};

}  // namespace

DetectionOutputStep::DetectionOutputStep(const DetectionOutput8Attrs& attrs,
                                         const DetectionSizes& sizes,
                                         std::vector<TensorId> inputs,
                                         TensorId dst)
    : attrs_(attrs), sizes_(sizes) {
    inputs_ = std::move(inputs);
    outputs_ = {dst};
    info_.kind = "detection_output";
    info_.implementation = "fuseq:detection_output";
    info_.src_type = info_.dst_type = to_string(ElementType::f32);
    info_.layout = "plain";
    info_.bytes = sizes.images * sizes.priors * sizes.classes * 4;
}

std::unique_ptr<Runner> DetectionOutputStep::bind(RequestMemory& memory) const {
    return std::make_unique<DetectionOutputRunner>(attrs_, sizes_, *this, memory);
}

}  // namespace fuseq::cpu
