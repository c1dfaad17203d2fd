// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/common/lstm_loop.hpp"

#include "ops/control/subgraph.hpp"

namespace fuseq::readers {
namespace {

class BodySink final : public LayerSink {
public:
    explicit BodySink(Model& model) : model_(model) {}
    Model& model() override { return model_; }
    std::string unique_name(const std::string& base) override { return model_.unique_name(base); }

private:
    Model& model_;
};

// One step as the body of a TensorIterator.
class Step {
public:
    Step(LayerBuilder& layers, const LstmLoop& lstm)
        : outer_(layers),
          lstm_(lstm),
          body_(std::make_shared<Model>("lstm_step")),
          sink_(*body_),
          in_(sink_, "step", layers.place()) {}

    LstmResult build();

private:
    Output parameter(const Output& source);
    Output bring(const Output& source);
    Output state(const Output& source);
    Output part_of(const Output& sums);
    void carry(const Output& from, const Output& result);
    void split_gates(const Output& sums);
    Output sigmoid(LstmGate gate, const Output& cell);
    Output sum(LstmGate gate, const Output& cell);
    Output clip(const Output& value, float limit);
    Output next_cell(const Output& cell);
    Output next_output(const Output& cell);
    Output active();
    std::size_t first_gate() const { return lstm_.coupled ? 1 : 0; }
    bool normalized() const {
        return bool(lstm_.norms[static_cast<std::size_t>(LstmGate::forget)]);
    }
    PortMapRow sliced(std::int64_t external, std::int64_t internal) const;

    LayerBuilder& outer_;
    const LstmLoop& lstm_;
    std::shared_ptr<Model> body_;
    BodySink sink_;
    LayerBuilder in_;
    IterationAttrs attributes_;
    std::vector<Output> inputs_;
    std::array<Output, kLstmGates> sums_;
    std::array<Output, kLstmGates> biases_;
};

// A Parameter with the shape of an input of the loop.
Output Step::parameter(const Output& source) {
    inputs_.push_back(source);
    return body_->add_parameter(body_->unique_name("input"), source.type(), source.partial_shape())
        ->output();
}

// What is the same in all steps.
Output Step::bring(const Output& source) {
    if (source.node->is_constant()) {
        return in_.constant(source.node->constant());
    }
    return state(source);
}

// What has a value before the first step.
Output Step::state(const Output& source) {
    const auto at = static_cast<std::int64_t>(inputs_.size());
    PortMap::append(attributes_.input_map, {.external = at, .internal = at});
    return parameter(source);
}

PortMapRow Step::sliced(std::int64_t external, std::int64_t internal) const {
    PortMapRow row{.external = external, .internal = internal, .sliced = true, .axis = 1};
    if (lstm_.reverse) {
        row.start = -1;
        row.end = 0;
        row.stride = -1;
    }
    return row;
}

// [batch, steps, n] of the whole loop; [batch, n] of the step.
Output Step::part_of(const Output& sums) {
    const auto at = static_cast<std::int64_t>(inputs_.size());
    PortMap::append(attributes_.input_map, sliced(at, at));
    PartialShape shape = sums.partial_shape();
    shape[1] = Dimension(1);
    inputs_.push_back(sums);
    const Output part =
        body_->add_parameter(body_->unique_name("part"), sums.type(), shape)->output();
    return in_.squeeze(part, {1});
}

// Result number n is the next value of the Parameter, and output n of the loop.
void Step::carry(const Output& from, const Output& result) {
    std::int64_t parameter = 0;
    while (body_->parameters()[static_cast<std::size_t>(parameter)] != from.node) {
        ++parameter;
    }
    const auto at = static_cast<std::int64_t>(body_->results().size());
    body_->add_result(body_->unique_name("next"), result);
    attributes_.back_edges.insert(attributes_.back_edges.end(), {at, parameter});
    PortMap::append(attributes_.output_map, {.external = at, .internal = at});
}

void Step::split_gates(const Output& sums) {
    const auto count = static_cast<std::int64_t>(kLstmGates - first_gate());
    const auto split = [&](const Output& value, std::int64_t axis) {
        return in_.node("Split", {value, in_.int_scalar(axis)}, {{"num_splits", count}});
    };
    fuseq::Node* parts = split(sums, 1);
    fuseq::Node* biases = normalized() ? split(bring(lstm_.bias), 0) : nullptr;
    for (std::size_t gate = first_gate(); gate < kLstmGates; ++gate) {
        sums_[gate] = parts->output(gate - first_gate());
        biases_[gate] = biases == nullptr ? Output{} : biases->output(gate - first_gate());
    }
}

Output Step::sum(LstmGate gate, const Output& cell) {
    const auto at = static_cast<std::size_t>(gate);
    Output value = sums_[at];
    if (lstm_.peepholes[at]) {
        value = in_.add("Add", {value, in_.add("Multiply", {cell, bring(lstm_.peepholes[at])})});
    }
    if (lstm_.norms[at]) {
        value = in_.add("MVN", {value, in_.int_list({1})},
                        {{"normalize_variance", true},
                         {"eps", lstm_.norm_epsilon},
                         {"eps_mode", "inside_sqrt"}});
        value = in_.add("Add", {in_.add("Multiply", {value, bring(lstm_.norms[at])}), biases_[at]});
    }
    return value;
}

Output Step::sigmoid(LstmGate gate, const Output& cell) {
    return in_.add("Sigmoid", {sum(gate, cell)});
}

Output Step::clip(const Output& value, float limit) {
    return limit > 0 ? in_.add("Clamp", {value}, {{"min", -limit}, {"max", limit}}) : value;
}

Output Step::next_cell(const Output& cell) {
    const Output forget = sigmoid(LstmGate::forget, cell);
    const Output input = lstm_.coupled ? in_.add("Subtract", {in_.scalar(1, forget), forget})
                                       : sigmoid(LstmGate::input, cell);
    const Output candidate = lstm_.candidate(in_, sum(LstmGate::cell, cell));
    const Output kept = in_.add("Multiply", {forget, cell});
    return clip(in_.add("Add", {kept, in_.add("Multiply", {input, candidate})}), lstm_.cell_clip);
}

Output Step::next_output(const Output& cell) {
    const Output gate = sigmoid(LstmGate::output, cell);
    Output value = in_.add("Multiply", {lstm_.result(in_, cell), gate});
    if (!lstm_.projection) {
        return value;
    }
    value = in_.add("MatMul", {value, bring(lstm_.projection)}, {{"transpose_b", true}});
    if (lstm_.projection_bias) {
        value = in_.add("Add", {value, bring(lstm_.projection_bias)});
    }
    return clip(value, lstm_.projection_clip);
}

// [batch, 1]: rows that are not over. Steps are counted, downwards in a loop that goes back.
Output Step::active() {
    const Output steps = outer_.size_of(lstm_.x, 1);
    const Output first = lstm_.reverse ? outer_.add("Subtract", {steps, outer_.int_scalar(1)})
                                       : outer_.int_scalar(0);
    const Output count = state(first);
    carry(count, in_.add("Add", {count, in_.int_scalar(lstm_.reverse ? -1 : 1)}));
    return in_.unsqueeze(in_.add("Less", {count, bring(lstm_.lengths)}), {1});
}

LstmResult Step::build() {
    // The products with the input of all steps are one product before the loop.
    Output sums = outer_.add("MatMul", {lstm_.x, lstm_.weights}, {{"transpose_b", true}});
    if (!normalized()) {
        sums = outer_.add("Add", {sums, lstm_.bias});
    }
    const Output of_input = part_of(sums);
    const Output h = state(lstm_.h);
    const Output c = state(lstm_.c);
    const Output of_output =
        in_.add("MatMul", {h, bring(lstm_.recurrent)}, {{"transpose_b", true}});
    split_gates(in_.add("Add", {of_input, of_output}));
    Output cell = next_cell(c);
    Output output = next_output(cell);
    Output y = output;
    if (lstm_.lengths) {
        const Output on = active();
        y = in_.add("Select", {on, output, in_.scalar(0, output)});
        output = in_.add("Select", {on, output, h});
        cell = in_.add("Select", {on, cell, c});
    }
    const auto first = body_->results().size();
    carry(h, output);
    carry(c, cell);
    const auto at = static_cast<std::int64_t>(body_->results().size());
    body_->add_result(body_->unique_name("output"), in_.unsqueeze(y, {1}));
    PortMap::append(attributes_.output_map, sliced(at, at));
    attributes_.body = body_;
    fuseq::Node* loop = outer_.node("TensorIterator", inputs_, attributes_.clone());
    return {.y = loop->output(first + 2), .h = loop->output(first), .c = loop->output(first + 1)};
}

}  // namespace

LstmResult lstm_loop(LayerBuilder& layers, const LstmLoop& lstm) {
    return Step(layers, lstm).build();
}

}  // namespace fuseq::readers
