// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "ops/control/iteration.hpp"
#include "ops/op_list.hpp"

namespace fuseq::loop_ops {
namespace {

void check_one_element(const InferContext& context, std::size_t input, const char* what) {
    const PartialShape& shape = context.shape(input);
    context.require(shape.compatible({}) || shape.compatible({1}), what, " has shape ",
                    to_string(shape), ", expected one element");
}

// Whether the body always asks for another iteration, as far as known.
std::optional<bool> body_condition(const IterationAttrs& attrs) {
    if (attrs.execution_condition < 0) {
        return true;
    }
    const auto results = attrs.body->results();
    if (attrs.execution_condition >= static_cast<std::int64_t>(results.size())) {
        return std::nullopt;  // refused by infer_iteration
    }
    const Output& source = results[static_cast<std::size_t>(attrs.execution_condition)]->input(0);
    // Not known_value: the body has not been inferred for these inputs yet.
    if (!source || !source.node->is_constant() || source.node->constant().get_size() != 1) {
        return std::nullopt;
    }
    return to_ints(source.node->constant()).front() != 0;
}

std::optional<std::int64_t> known_iterations(const InferContext& context) {
    const auto first = context.ints(1);
    if (first && first->size() == 1 && first->front() == 0) {
        return 0;
    }
    const auto next = body_condition(context.attrs<IterationAttrs>());
    const auto trips = context.ints(0);
    if (!first || first->size() != 1 || !next || !trips || trips->size() != 1) {
        return std::nullopt;
    }
    std::int64_t limit =
        trips->front() < 0 ? std::numeric_limits<std::int64_t>::max() : trips->front();
    if (const auto parts = inferred_parts(context)) {
        limit = std::min(limit, *parts);
    }
    if (!*next) {
        return std::min<std::int64_t>(limit, 1);
    }
    for (const PortMapRow& row : PortMap::rows(context.attrs<IterationAttrs>().input_map)) {
        if (row.sliced && !inferred_parts(context)) {
            return std::nullopt;
        }
    }
    context.require(limit < kOpenTripCount, "trip_count is ", trips->front(),
                    " and the condition of the body is always true: the loop would not end");
    return limit;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<IterationAttrs>();
    context.require(attrs.body != nullptr, "has no body");
    context.require(context.type(0) == ElementType::i32 || context.type(0) == ElementType::i64,
                    "trip_count is ", to_string(context.type(0)), ", expected i32 or i64");
    context.require_type(1, ElementType::boolean, "the execution condition");
    check_one_element(context, 0, "trip_count");
    check_one_element(context, 1, "the execution condition");
    inferred_parts(context);
    infer_iteration(context, known_iterations(context));
}

void evaluate(EvalContext& context) {
    const Tensor& first = context.input(1);
    context.require(context.input(0).get_size() == 1 && first.get_size() == 1,
                    "trip_count and the execution condition need one element each");
    std::int64_t limit = to_ints(context.input(0)).front();
    if (limit < 0) {
        limit = std::numeric_limits<std::int64_t>::max();
    }
    run_iteration(context, is_true(first) ? limit : 0);
}

const OpSpec kOps[] = {
    {.type = "Loop",
     .version = 5,
     .inputs = {2, Arity::kMany},
     .make_attributes = make_attributes<IterationAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Repeats a body trip_count times or while a condition holds",
     .refused = "loops that cannot end; stride 0; part_size below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::loop_ops
