// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/axes.hpp"
#include "ops/control/body_runner.hpp"
#include "ops/control/iteration.hpp"
#include "ops/control/slices.hpp"

namespace fuseq {
namespace {

std::size_t resolved_axis(const EvalContext& context, std::int64_t axis, std::size_t rank) {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    context.require(axis >= -signed_rank && axis < signed_rank, "axis ", axis,
                    " is not one of a tensor of rank ", rank);
    return wrapped_axis(axis, rank);
}

struct SlicedInput {
    Tensor whole;
    std::size_t parameter;
    std::size_t axis;
    std::size_t part_size;
    Slices slices;
};

class BodyRun {
public:
    BodyRun(EvalContext& context, std::int64_t limit)
        : context_(context),
          attrs_(context.attrs<IterationAttrs>()),
          body_(body_function(context, *attrs_.body)),
          limit_(limit),
          inputs_(attrs_.body->parameters().size()),
          output_rows_(PortMap::rows(attrs_.output_map)),
          parts_(output_rows_.size()) {
        for (const PortMapRow& row : PortMap::rows(attrs_.input_map)) {
            bind_input(row);
        }
    }

    void run() {
        for (std::int64_t i = 0; i < limit_; ++i) {
            context_.require(limit_ < kOpenTripCount || i < kMaxOpenIterations,
                             "trip_count sets no end and the condition of the body is still true "
                             "after ",
                             kMaxOpenIterations, " iterations");
            for (const SlicedInput& input : sliced_) {
                const auto begin =
                    static_cast<std::size_t>(input.slices.first + i * input.slices.step);
                inputs_[input.parameter] = cut(input.whole, input.axis, begin, input.part_size);
            }
            set_iteration(i);
            results_ = body_(inputs_);
            for (std::size_t o = 0; o < output_rows_.size(); ++o) {
                if (output_rows_[o].sliced) {
                    parts_[o].push_back(results_[index(output_rows_[o].internal)]);
                }
            }
            for (std::size_t e = 0; e + 1 < attrs_.back_edges.size(); e += 2) {
                inputs_[index(attrs_.back_edges[e + 1])] = results_[index(attrs_.back_edges[e])];
            }
            if (attrs_.execution_condition >= 0 && !go_on()) {
                break;
            }
        }
    }

    void write_outputs() {
        for (std::size_t o = 0; o < output_rows_.size(); ++o) {
            if (output_rows_[o].sliced) {
                write_joined(output_rows_[o], parts_[o]);
            } else {
                write_last(output_rows_[o]);
            }
        }
    }

private:
    static std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

    void bind_input(const PortMapRow& row) {
        const Tensor& value = context_.input(index(row.external));
        if (!row.sliced) {
            inputs_.at(index(row.internal)) = value;
            return;
        }
        const std::size_t axis = resolved_axis(context_, row.axis, value.get_shape().size());
        std::string why;
        const auto slices =
            plan_slices(row, static_cast<std::int64_t>(value.get_shape()[axis]), why);
        context_.require(slices.has_value(), "input_map: ", why);
        limit_ = std::min(limit_, slices->count);
        sliced_.push_back({value, index(row.internal), axis, index(row.part_size), *slices});
    }

    void set_iteration(std::int64_t i) {
        if (attrs_.current_iteration < 0) {
            return;
        }
        const std::size_t parameter = index(attrs_.current_iteration);
        const OutputPort& port = attrs_.body->parameters()[parameter]->port();
        const Shape shape = port.shape.is_static() ? port.shape.to_shape() : Shape{};
        inputs_[parameter] = Tensor::of<std::int64_t>(shape, {i}).to(port.type);
    }

    bool go_on() const {
        const Tensor& condition = results_[index(attrs_.execution_condition)];
        context_.require(
            condition.get_element_type() == ElementType::boolean && condition.get_size() == 1,
            "the execution condition is ", to_string(condition.get_element_type()),
            to_string(condition.get_shape()), ", expected one boolean");
        return is_true(condition);
    }

    // The value of a Result after the last iteration.
    void write_last(const PortMapRow& row) {
        Tensor value;
        if (!results_.empty()) {
            value = results_[index(row.internal)];
        } else {
            for (std::size_t e = 0; e + 1 < attrs_.back_edges.size(); e += 2) {
                if (attrs_.back_edges[e] == row.internal) {
                    value = inputs_[index(attrs_.back_edges[e + 1])];
                }
            }
        }
        context_.require(bool(value), "output ", row.external,
                         " has no value, as there was no iteration");
        value.copy_to(context_.output(index(row.external), value.get_shape()));
    }

    // A stride below zero joins the parts from the last one to the first.
    void write_joined(const PortMapRow& row, std::vector<Tensor>& parts) {
        if (parts.empty()) {
            write_no_parts(row);
            return;
        }
        Shape shape = parts.front().get_shape();
        const std::size_t axis = resolved_axis(context_, row.axis, shape.size());
        shape[axis] = 0;
        for (const Tensor& part : parts) {
            Shape other = part.get_shape();
            context_.require(other.size() == shape.size() && other[axis] == index(row.part_size),
                             "a part of output ", row.external, " has shape ", to_string(other),
                             ", expected ", row.part_size, " along axis ", row.axis);
            other[axis] = shape[axis];
            context_.require(other == shape, "the parts of output ", row.external,
                             " have shapes that differ: ", to_string(part.get_shape()), " and ",
                             to_string(parts.front().get_shape()));
            shape[axis] += index(row.part_size);
        }
        if (row.stride < 0) {
            std::reverse(parts.begin(), parts.end());
        }
        join(parts, axis, context_.output(index(row.external), shape));
    }

    void write_no_parts(const PortMapRow& row) {
        const OutputPort& port = attrs_.body->results()[index(row.internal)]->port();
        context_.require(port.shape.rank_is_static(), "output ", row.external,
                         " has no known rank, as there was no iteration");
        Shape shape;
        for (const Dimension& d : port.shape) {
            shape.push_back(d.is_static() ? index(d.get_length()) : 0);
        }
        shape.at(resolved_axis(context_, row.axis, shape.size())) = 0;
        context_.output(index(row.external), shape);
    }

    EvalContext& context_;
    const IterationAttrs& attrs_;
    BodyFunction body_;
    std::int64_t limit_;
    std::vector<Tensor> inputs_;
    std::vector<SlicedInput> sliced_;
    std::vector<PortMapRow> output_rows_;
    std::vector<std::vector<Tensor>> parts_;
    std::vector<Tensor> results_;
};

}  // namespace

void run_iteration(EvalContext& context, std::int64_t limit) {
    BodyRun run(context, limit);
    run.run();
    run.write_outputs();
}

}  // namespace fuseq
