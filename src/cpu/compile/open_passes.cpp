// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/open_passes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fuseq/error.hpp"
#include "ops/parameter.hpp"
#include "ops/state/separate_state.hpp"
#include "transformations/support/constant_cache.hpp"

namespace fuseq::cpu {
namespace {

// Files of the passes and of intermediates are about one set of shapes.
bool looks_at_passes(const Config& config) {
    return !config.dump_dir.empty() || config.keep_intermediates;
}

bool moves_over_open_dimensions(const Node& node) {
    constexpr std::array<std::string_view, 5> kMoving = {"Convolution", "Pool", "Interpolate",
                                                         "Deformable", "Backprop"};
    if (std::none_of(kMoving.begin(), kMoving.end(), [&](std::string_view part) {
            return node.type().find(part) != std::string_view::npos;
        })) {
        return false;
    }
    const PartialShape& shape = node.input(0).partial_shape();
    if (!shape.rank_is_static()) {
        return true;
    }
    for (std::size_t d = 2; d < shape.size(); ++d) {
        if (shape[d].is_dynamic()) {
            return true;
        }
    }
    return false;
}

std::vector<std::size_t> kind_of(const Model& open, const std::vector<Shape>& shapes) {
    constexpr std::size_t kFirstLetter = 2;  // after 0 and 1, which stand for themselves
    std::vector<std::size_t> kind;
    std::vector<std::size_t> letters;  // the values that they stand for
    const std::size_t inputs = open.parameters().size();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const PartialShape* stated = i < inputs ? &open.parameters()[i]->port(0).shape : nullptr;
        for (std::size_t d = 0; d < shapes[i].size(); ++d) {
            const std::size_t size = shapes[i][d];
            if (size < kFirstLetter) {
                kind.push_back(size);
                continue;
            }
            if (stated != nullptr && stated->rank_is_static() && !(*stated)[d].is_dynamic()) {
                continue;
            }
            const auto known = std::find(letters.begin(), letters.end(), size);
            kind.push_back(kFirstLetter + static_cast<std::size_t>(known - letters.begin()));
            if (known == letters.end()) {
                letters.push_back(size);
            }
        }
    }
    return kind;
}

void set_shapes(Model& model, const std::vector<Shape>& shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        model.parameters()[i]->attrs<ParameterAttrs>().shape = shapes[i];
    }
}

// Of a copy of a valid model: constants stay as they are.
void infer_from_shapes(Model& model) {
    for (Node* node : model.ordered_nodes()) {
        if (!node->is_constant()) {
            node->infer();
        }
    }
}

}  // namespace

Transformed OpenPasses::transform(const Model& open,
                                  const std::vector<Shape>& shapes,
                                  const Config& config,
                                  ConstantCache& constants) {
    const Kind kind = kind_of(open, shapes);
    const auto known = short_way_.find(kind);
    if (known != short_way_.end() && known->second) {
        try {
            return with(shapes, config, constants);
        } catch (const Error&) {
            // Shapes that a layer does not take: the way through the original names it.
        }
    }
    Transformed result = run(with_shapes(open, shapes), config, constants);
    if (known == short_way_.end()) {
        run_on_open(open, config, constants);
        const std::shared_ptr<Model> copy =
            of_open_ ? same_as(*result.model, shapes, config, constants) : nullptr;
        short_way_[kind] = copy != nullptr;
        if (copy != nullptr) {  // its groups are those of the next shapes
            result.model = copy;
            result.copy_of_open = true;
        }
    }
    return result;
}

Transformed OpenPasses::run(std::shared_ptr<Model> model,
                            const Config& config,
                            ConstantCache& constants) {
    ++runs_;
    return transform_in_place(std::move(model), config, &constants);
}

void OpenPasses::run_on_open(const Model& open, const Config& config, ConstantCache& constants) {
    if (std::exchange(run_on_open_, true) || looks_at_passes(config)) {
        return;
    }
    std::shared_ptr<Model> model = open.clone();
    separate_state(*model);
    model->validate();
    const std::vector<Node*> nodes = model->ordered_nodes();
    if (std::any_of(nodes.begin(), nodes.end(),
                    [](const Node* node) { return moves_over_open_dimensions(*node); })) {
        return;
    }
    try {
        of_open_ = run(std::move(model), config, constants);
        of_open_->model = of_open_->model->clone();  // nodes in order: copies need not look for it
        constants.keep(*of_open_->model);
    } catch (const Error&) {
        of_open_.reset();  // a pass needs shapes; they run for each set of shapes then
    }
}

Transformed OpenPasses::with(const std::vector<Shape>& shapes,
                             const Config& config,
                             ConstantCache& constants) const {
    Transformed result;
    result.model = of_open_->model->clone();
    result.ranges = of_open_->ranges;
    result.remarks_left_out = true;
    result.copy_of_open = true;
    set_shapes(*result.model, shapes);
    infer_from_shapes(*result.model);
    run_passes_of_shapes(*result.model, config, &constants);
    return result;
}

std::shared_ptr<Model> OpenPasses::same_as(const Model& expected,
                                           const std::vector<Shape>& shapes,
                                           const Config& config,
                                           ConstantCache& constants) const {
    try {
        const Transformed result = with(shapes, config, constants);
        const bool same = compare_models(*result.model, expected, {.layer_names = true}).empty();
        return same ? result.model : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

std::shared_ptr<Model> with_shapes(const Model& model, const std::vector<Shape>& shapes) {
    std::shared_ptr<Model> result = model.clone();
    separate_state(*result);
    set_shapes(*result, shapes);
    result->validate();
    return result;
}

}  // namespace fuseq::cpu
