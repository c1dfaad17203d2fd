// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/depth_to_space_stores.hpp"

#include <fmt/core.h>

#include "cpu/plan/passes/plan_uses.hpp"
#include "cpu/steps/capabilities.hpp"
#include "cpu/steps/movement_map.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::string_view kName = "depth_to_space_stores";

// Whether each 16 of the 32 bytes of a pixel go to a row of their own.
bool makes_rows(const MovementMap& map, std::size_t width) {
    constexpr std::size_t kPiece = 16;
    constexpr std::size_t kPixel = 2 * kPiece;
    if (map.element != 1 || map.has_constant || kPiece % map.block != 0 || width == 0) {
        return false;
    }
    for (std::size_t q = 0; q < map.src_outer.size(); ++q) {
        for (std::size_t t = 0; t < map.src_inner.size(); ++t) {
            const auto from = static_cast<std::size_t>(map.src_outer[q] + map.src_inner[t]);
            const std::size_t pixel = from / kPixel;
            const std::size_t row = pixel / width * 2 + from % kPixel / kPiece;
            const std::size_t to = (row * width + pixel % width) * kPiece + from % kPiece;
            if (map.dst_outer[q] + map.dst_inner[t] != static_cast<std::ptrdiff_t>(to)) {
                return false;
            }
        }
    }
    return map.blocks() * map.block == map.elements;
}

bool store_rows(Plan& plan, std::size_t at, PlanPassContext& context) {
    Step& step = *plan.steps[at];
    RequantizedResults* const source = step.requantized_results();
    if (source == nullptr || source->results()[0].dst_type == ElementType::f32 ||
        !source->can_write_rows() || !is_inner(plan, step.outputs()[0])) {
        return false;
    }
    const TensorId bytes = step.outputs()[0];
    const std::vector<std::size_t> users = users_after(plan, bytes, at);
    if (users.size() != 1) {
        return false;
    }
    const Step& mover = *plan.steps[users[0]];
    const MovementMap* const map = mover.movement_map();
    if (map == nullptr || mover.inputs() != std::vector<TensorId>{bytes} ||
        plan.root(mover.outputs()[0]) != mover.outputs()[0] || !makes_rows(*map, source->width())) {
        return false;
    }
    take_layers(step.info(), mover.info());
    step.info().post_ops += " depth_to_space";
    context.did(kName, step,
                fmt::format("stores its result as the rows of '{}'", mover.info().name));
    source->set_results(source->results(), mover.outputs(), true);
    remove_steps(plan, users);
    return true;
}

}  // namespace

bool depth_to_space_stores(Plan& plan, PlanPassContext& context) {
    if (context.options().keep_intermediates) {
        return false;
    }
    bool changed = false;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        changed = store_rows(plan, s, context) || changed;
    }
    return changed;
}

}  // namespace fuseq::cpu
