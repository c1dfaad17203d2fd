// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/detection_output.hpp"

#include <algorithm>
#include <vector>

#include "cpu/plan/step_makers.hpp"

namespace fuseq::cpu {
namespace {

// A candidate, or one that was kept; `order` makes sorting stable.
struct Detection {
    float score;
    std::int32_t label;
    std::int32_t prior;
    std::int32_t order;
};

struct KeptBox {
    Box box;
    float area;
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
            list.reserve(static_cast<std::size_t>(std::min(sizes.priors, kUsual)));
        }
        kept_.resize(classes);
        found_.reserve(kUsual);
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
        for (auto& list : candidates_) {
            suppress(list);
        }
        keep_best();
    }

    void collect_classes() {
        const float* score = scores_;
        for (std::int64_t p = 0; p < sizes_.priors; ++p) {
            for (std::int64_t c = 0; c < sizes_.classes; ++c, ++score) {
                if (*score > attrs_.confidence_threshold && c != attrs_.background_label_id) {
                    const auto prior = static_cast<std::int32_t>(p);
                    candidates_[static_cast<std::size_t>(c)].push_back(
                        {*score, static_cast<std::int32_t>(c), prior, prior});
                }
            }
        }
    }

    // Every prior stands for its best class, class 0 being the background.
    void collect_best_of_priors() {
        for (std::int64_t p = 0; p < sizes_.priors; ++p) {
            const auto prior = static_cast<std::int32_t>(p);
            Detection best{-1.0f, 0, prior, prior};
            for (std::int64_t c = 1; c < sizes_.classes; ++c) {
                const float score = scores_[p * sizes_.classes + c];
                if (score > best.score) {
                    best.score = score;
                    best.label = static_cast<std::int32_t>(c);
                }
            }
            if (best.label > 0 && best.score >= attrs_.confidence_threshold) {
                candidates_[0].push_back(best);
            }
        }
    }

    static bool better(const Detection& a, const Detection& b) {
        return a.score != b.score ? a.score > b.score : a.order < b.order;
    }

    void suppress(std::vector<Detection>& list) {
        if (attrs_.top_k > -1 && static_cast<std::int64_t>(list.size()) > attrs_.top_k) {
            std::nth_element(list.begin(), list.begin() + attrs_.top_k, list.end(), better);
            list.resize(static_cast<std::size_t>(attrs_.top_k));
        }
        std::sort(list.begin(), list.end(), better);
        for (const Detection& candidate : list) {
            const Box box = decoded(candidate);
            const float size = area(box);
            auto& kept = kept_[static_cast<std::size_t>(candidate.label)];
            const bool falls = std::any_of(kept.begin(), kept.end(), [&](const KeptBox& other) {
                return overlap(box, size, other.box, other.area) > attrs_.nms_threshold;
            });
            if (!falls) {
                kept.push_back({box, size});
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

    void keep_best() {
        const std::int64_t most = attrs_.keep_top_k[0];
        if (most > -1 && static_cast<std::int64_t>(found_.size()) > most) {
            number_found();
            std::sort(found_.begin(), found_.end(), [](const Detection& a, const Detection& b) {
                if (a.score != b.score) {
                    return a.score > b.score;
                }
                return a.prior != b.prior ? a.prior < b.prior : a.order < b.order;
            });
            found_.resize(static_cast<std::size_t>(most));
        }
        number_found();
        std::sort(found_.begin(), found_.end(), [](const Detection& a, const Detection& b) {
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
    const float* locations_ = nullptr;  // of the image
    const float* scores_ = nullptr;
    const float* priors_ = nullptr;
    const float* variances_ = nullptr;
    std::vector<std::vector<Detection>> candidates_;  // by label, or one list
    std::vector<std::vector<KeptBox>> kept_;          // by label
    std::vector<Detection> found_;
};

// Rows of the priors and sizes that shape inference has checked against each other.
DetectionSizes sizes_of(const Node& node, const DetectionOutput8Attrs& attrs) {
    const Shape prior = node.input(2).shape();
    DetectionSizes sizes;
    sizes.images = static_cast<std::int64_t>(node.input(0).shape()[0]);
    sizes.priors = static_cast<std::int64_t>(prior[2]) / (attrs.normalized ? 4 : 5);
    sizes.classes = static_cast<std::int64_t>(node.input(1).shape()[1]) / sizes.priors;
    sizes.location_classes = attrs.share_location ? 1 : sizes.classes;
    sizes.prior_images = static_cast<std::int64_t>(prior[0]);
    sizes.rows = static_cast<std::int64_t>(node.port(0).shape.to_shape()[2]);
    return sizes;
}

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

// The cascade form of five inputs is left to the reference kernel.
bool make_detection_output(PlanBuilder& builder, Node& node) {
    if (!node.is("DetectionOutput") || node.input_count() != 3 ||
        node.port(0).type != ElementType::f32) {
        return false;
    }
    const auto& attrs = dynamic_cast<const DetectionOutput8Attrs&>(node.attributes());
    std::vector<TensorId> inputs;
    for (const Output& input : node.inputs()) {
        inputs.push_back(builder.tensor_of(input, Layout::kPlain));
    }
    const TensorId dst =
        builder.new_tensor(ElementType::f32, node.port(0).shape.to_shape(), Layout::kPlain);
    auto step =
        std::make_unique<DetectionOutputStep>(attrs, sizes_of(node, attrs), std::move(inputs), dst);
    add_node_step(builder, node, std::move(step), dst);
    return true;
}

}  // namespace fuseq::cpu
