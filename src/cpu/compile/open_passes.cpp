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
    model.validate();
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
        short_way_[kind] = of_open_ && gives(*result.model, shapes, config, constants);
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
    set_shapes(*result.model, shapes);
    run_passes_of_shapes(*result.model, config, &constants);
    return result;
}

bool OpenPasses::gives(const Model& expected,
                       const std::vector<Shape>& shapes,
                       const Config& config,
                       ConstantCache& constants) const {
    try {
        const Transformed result = with(shapes, config, constants);
        return compare_models(*result.model, expected, {.layer_names = true}).empty();
    } catch (const Error&) {
        return false;
    }
}

std::shared_ptr<Model> with_shapes(const Model& model, const std::vector<Shape>& shapes) {
    std::shared_ptr<Model> result = model.clone();
    separate_state(*result);
    set_shapes(*result, shapes);
    return result;
}

}  // namespace fuseq::cpu
