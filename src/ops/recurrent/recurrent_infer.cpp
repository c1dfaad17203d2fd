// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/recurrent/recurrent.hpp"

namespace fuseq {
namespace {

constexpr std::int64_t kLargestHidden = 1 << 20;

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ",") + name;
    }
    return text;
}

void check_attributes(const InferContext& context,
                      const RecurrentAttrs& attrs,
                      RecurrentKind kind) {
    context.require(attrs.hidden_size >= 1 && attrs.hidden_size <= kLargestHidden,
                    "hidden_size is ", attrs.hidden_size, ", expected a value in [1, ",
                    kLargestHidden, "]");
    context.require(attrs.clip >= 0 && std::isfinite(attrs.clip), "clip is ", attrs.clip,
                    ", expected 0 or more");
    context.require(!attrs.input_forget, "input_forget is true, which is not supported");
    context.require(gate_activations(attrs, kind).has_value(), "activations is ",
                    list_of(attrs.activations), ", expected ",
                    kind == RecurrentKind::kLstm  ? "three"
                    : kind == RecurrentKind::kGru ? "two"
                                                  : "one",
                    " of sigmoid, tanh, relu, hardsigmoid, softsign, softplus, elu, leakyrelu, "
                    "thresholdedrelu, scaledtanh, affine");
}

// Sizes that several inputs state.
struct RecurrentDims {
    Dimension batch;
    Dimension steps;
    Dimension input;
    Dimension directions;
    Dimension hidden;
};

// The shape of input i must be `expected`; what it tells is added to the dimensions.
void match(const InferContext& context,
           std::size_t i,
           const char* name,
           const std::vector<Dimension*>& expected) {
    const PartialShape& shape = context.shape(i);
    if (!shape.rank_is_static()) {
        return;
    }
    context.require(shape.rank() == expected.size(), name, " has shape ", to_string(shape),
                    ", expected rank ", expected.size());
    for (std::size_t d = 0; d < expected.size(); ++d) {
        context.require(Dimension::merge(*expected[d], *expected[d], shape[d]), name, " has shape ",
                        to_string(shape), ", expected ", to_string(*expected[d]), " at dimension ",
                        d);
    }
}

void match_weights(const InferContext& context, const RecurrentForm& form, RecurrentDims& dims) {
    const auto& attrs = context.attrs<RecurrentAttrs>();
    Dimension rows(static_cast<std::int64_t>(form.gates()) * attrs.hidden_size);
    Dimension biases(static_cast<std::int64_t>(form.biases(attrs)) * attrs.hidden_size);
    std::vector<Dimension*> w{&dims.directions, &rows, &dims.input};
    std::vector<Dimension*> r{&dims.directions, &rows, &dims.hidden};
    std::vector<Dimension*> b{&dims.directions, &biases};
    if (!form.sequence) {
        for (auto* shape : {&w, &r, &b}) {
            shape->erase(shape->begin());
        }
    }
    match(context, form.w(), "W", w);
    match(context, form.r(), "R", r);
    if (context.has_input(form.b())) {
        match(context, form.b(), "B", b);
    }
}

void check_types(const InferContext& context, const RecurrentForm& form) {
    require_real(context, form.x(), "X");
    for (std::size_t i = 1; i <= form.b() && i < context.input_count(); ++i) {
        if (form.sequence && i == form.lengths()) {
            context.require(is_integral(context.type(i)), "sequence_lengths are ",
                            to_string(context.type(i)), ", expected an integer type");
        } else if (context.has_input(i)) {
            context.require_same_type(i, 0);
        }
    }
}

// OpenVINO writes peepholes of zero where a model has none.
void check_peepholes(const InferContext& context, const RecurrentForm& form) {
    if (!context.has_input(form.p())) {
        return;
    }
    context.require_same_type(form.p(), 0);
    const auto values = context.value(form.p());
    const std::vector<float> list = values ? to_floats(*values) : std::vector<float>{1.0F};
    context.require(std::all_of(list.begin(), list.end(), [](float v) { return v == 0; }),
                    "has peepholes other than zero, which are not supported");
}

}  // namespace

void infer_recurrent(InferContext& context, const RecurrentForm& form) {
    const auto& attrs = context.attrs<RecurrentAttrs>();
    check_attributes(context, attrs, form.kind);
    check_types(context, form);
    check_peepholes(context, form);
    RecurrentDims dims;
    dims.hidden = attrs.hidden_size;
    dims.directions = attrs.direction == RecurrentDirection::kBidirectional ? 2 : 1;
    std::vector<Dimension*> x{&dims.batch, &dims.steps, &dims.input};
    std::vector<Dimension*> state{&dims.batch, &dims.directions, &dims.hidden};
    if (!form.sequence) {
        x.erase(x.begin() + 1);
        state.erase(state.begin() + 1);
    }
    match(context, form.x(), "X", x);
    match(context, form.h(), "the initial hidden state", state);
    if (form.has_cell_state()) {
        match(context, form.c(), "the initial cell state", state);
    }
    if (form.sequence) {
        match(context, form.lengths(), "sequence_lengths", {&dims.batch});
        const auto lengths = context.ints(form.lengths());
        if (lengths && dims.steps.is_static()) {
            check_lengths(context, *lengths, dims.steps.get_length());
        }
    }
    match_weights(context, form, dims);
    const ElementType type = context.type(0);
    const std::size_t states = form.has_cell_state() ? 2 : 1;
    context.set_output_count(states + (form.sequence ? 1 : 0));
    if (form.sequence) {
        context.set_output(0, type, {dims.batch, dims.directions, dims.steps, dims.hidden});
    }
    for (std::size_t i = 0; i < states; ++i) {
        if (form.sequence) {
            context.set_output(i + 1, type, {dims.batch, dims.directions, dims.hidden});
        } else {
            context.set_output(i, type, {dims.batch, dims.hidden});
        }
    }
}

}  // namespace fuseq
