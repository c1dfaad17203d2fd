// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/axis_groups.hpp"
#include "ops/recurrent/recurrent.hpp"

namespace fuseq {
namespace {

using State = std::vector<double>;

// The weights of one direction.
template <class T>
struct CellWeights {
    const T* w;
    const T* r;
    const T* b;  // null without biases
    std::size_t input;
    std::size_t hidden;

    double from_input(std::size_t row, const T* x) const {
        double sum = 0;
        for (std::size_t i = 0; i < input; ++i) {
            sum += static_cast<double>(w[row * input + i]) * static_cast<double>(x[i]);
        }
        return sum;
    }
    double from_state(std::size_t row, const State& h) const {
        double sum = 0;
        for (std::size_t i = 0; i < hidden; ++i) {
            sum += static_cast<double>(r[row * hidden + i]) * h[i];
        }
        return sum;
    }
    double bias(std::size_t row) const { return b == nullptr ? 0.0 : static_cast<double>(b[row]); }
};

// One step of a cell.
template <class T>
class Cell {
public:
    Cell(const RecurrentAttrs& attrs, RecurrentKind kind)
        : kind_(kind),
          activations_(gate_activations(attrs, kind).value()),
          clip_(static_cast<double>(attrs.clip)),
          linear_before_reset_(attrs.linear_before_reset),
          gate_order_(
              EnumNames<LstmWeightsFormat>::kNames[static_cast<int>(attrs.weights_format)]) {}

    void step(const CellWeights<T>& weights, const T* x, State& h, State& c) const {
        switch (kind_) {
            case RecurrentKind::kLstm: return lstm(weights, x, h, c);
            case RecurrentKind::kGru: return gru(weights, x, h);
            case RecurrentKind::kRnn: return rnn(weights, x, h);
        }
    }

private:
    double activate(std::size_t which, double x) const {
        return activations_[which](clip_ > 0 ? std::clamp(x, -clip_, clip_) : x);
    }

    // All gates that read the input and the state alike.
    double gate(const CellWeights<T>& weights, std::size_t row, const T* x, const State& h) const {
        return weights.from_input(row, x) + weights.from_state(row, h) + weights.bias(row);
    }

    void lstm(const CellWeights<T>& weights, const T* x, State& h, State& c) const {
        const std::size_t size = weights.hidden;
        const auto value = [&](char name, std::size_t i) {
            return gate(weights, gate_order_.find(name) * size + i, x, h);
        };
        State next(size);
        for (std::size_t i = 0; i < size; ++i) {
            const double forget = activate(0, value('f', i));
            const double input = activate(0, value('i', i));
            const double cell = activate(1, value('c', i));
            const double output = activate(0, value('o', i));
            c[i] = forget * c[i] + input * cell;
            next[i] = output * activations_[2](c[i]);
        }
        h = std::move(next);
    }

    void gru(const CellWeights<T>& weights, const T* x, State& h) const {
        const std::size_t size = weights.hidden;
        State update(size);
        State reset(size);
        State gated(size);
        for (std::size_t i = 0; i < size; ++i) {
            update[i] = activate(0, gate(weights, i, x, h));
            reset[i] = activate(0, gate(weights, size + i, x, h));
            gated[i] = reset[i] * h[i];
        }
        State next(size);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t row = 2 * size + i;
            double hidden = weights.from_input(row, x) + weights.bias(row);
            if (linear_before_reset_) {
                hidden += reset[i] * (weights.from_state(row, h) + weights.bias(3 * size + i));
            } else {
                hidden += weights.from_state(row, gated);
            }
            next[i] = (1 - update[i]) * activate(1, hidden) + update[i] * h[i];
        }
        h = std::move(next);
    }

    void rnn(const CellWeights<T>& weights, const T* x, State& h) const {
        State next(weights.hidden);
        for (std::size_t i = 0; i < weights.hidden; ++i) {
            next[i] = activate(0, gate(weights, i, x, h));
        }
        h = std::move(next);
    }

    RecurrentKind kind_;
    std::vector<GateActivation> activations_;
    double clip_;
    bool linear_before_reset_;
    std::string_view gate_order_;
};

// Sizes at run time; a cell is a sequence of one step in one direction.
struct Sizes {
    std::size_t batch;
    std::size_t directions;
    std::size_t steps;
    std::size_t input;
    std::size_t hidden;
};

void require_shape(const EvalContext& context,
                   std::size_t i,
                   const char* name,
                   const Shape& expected) {
    const Shape& shape = context.input(i).get_shape();
    context.require(shape == expected, name, " has shape ", to_string(shape), ", expected ",
                    to_string(expected));
}

Sizes checked_sizes(const EvalContext& context, const RecurrentForm& form) {
    const auto& attrs = context.attrs<RecurrentAttrs>();
    const Shape& x = context.input(form.x()).get_shape();
    context.require(x.size() == (form.sequence ? 3u : 2u), "X has shape ", to_string(x));
    Sizes sizes{.batch = x[0],
                .directions = attrs.direction == RecurrentDirection::kBidirectional ? 2u : 1u,
                .steps = form.sequence ? x[1] : 1,
                .input = x.back(),
                .hidden = static_cast<std::size_t>(attrs.hidden_size)};
    const auto with_directions = [&](Shape shape, std::size_t at) {
        if (form.sequence) {
            shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), sizes.directions);
        }
        return shape;
    };
    const Shape state = with_directions({sizes.batch, sizes.hidden}, 1);
    require_shape(context, form.h(), "the initial hidden state", state);
    if (form.has_cell_state()) {
        require_shape(context, form.c(), "the initial cell state", state);
    }
    const std::size_t rows = form.gates() * sizes.hidden;
    require_shape(context, form.w(), "W", with_directions({rows, sizes.input}, 0));
    require_shape(context, form.r(), "R", with_directions({rows, sizes.hidden}, 0));
    if (context.has_input(form.b())) {
        require_shape(context, form.b(), "B",
                      with_directions({form.biases(attrs) * sizes.hidden}, 0));
    }
    return sizes;
}

std::vector<std::int64_t> read_lengths(const EvalContext& context,
                                       const RecurrentForm& form,
                                       const Sizes& sizes) {
    if (!form.sequence) {
        return std::vector<std::int64_t>(sizes.batch, 1);
    }
    const std::vector<std::int64_t> lengths = to_ints(context.input(form.lengths()));
    context.require(lengths.size() == sizes.batch, "sequence_lengths has ", lengths.size(),
                    " values for ", sizes.batch, " sequences");
    check_lengths(context, lengths, static_cast<std::int64_t>(sizes.steps));
    return lengths;
}

template <class T>
State read_state(const Tensor& tensor, std::size_t row, std::size_t size) {
    const T* p = tensor.data<T>() + row * size;
    return {p, p + size};
}

template <class T>
void write_state(const State& state, T* out) {
    std::transform(state.begin(), state.end(), out, [](double v) { return static_cast<T>(v); });
}

template <class T>
void run(EvalContext& context, const RecurrentForm& form) {
    const auto& attrs = context.attrs<RecurrentAttrs>();
    const Sizes sizes = checked_sizes(context, form);
    const std::vector<std::int64_t> lengths = read_lengths(context, form, sizes);
    const Cell<T> cell(attrs, form.kind);
    const Shape& state_shape = context.input(form.h()).get_shape();
    T* all = nullptr;
    if (form.sequence) {
        Tensor& output =
            context.output(0, {sizes.batch, sizes.directions, sizes.steps, sizes.hidden});
        all = output.data<T>();
        std::fill_n(all, output.get_size(), T{0});
    }
    const std::size_t first_state = form.sequence ? 1 : 0;
    T* last_h = context.output(first_state, state_shape).template data<T>();
    T* last_c = form.has_cell_state()
                    ? context.output(first_state + 1, state_shape).template data<T>()
                    : nullptr;
    const T* x = context.input(form.x()).data<T>();
    for (std::size_t row = 0; row < sizes.batch * sizes.directions; ++row) {
        const std::size_t n = row / sizes.directions;
        const std::size_t d = row % sizes.directions;
        const std::size_t rows = form.gates() * sizes.hidden;
        const CellWeights<T> weights{
            context.input(form.w()).data<T>() + d * rows * sizes.input,
            context.input(form.r()).data<T>() + d * rows * sizes.hidden,
            context.has_input(form.b())
                ? context.input(form.b()).data<T>() + d * form.biases(attrs) * sizes.hidden
                : nullptr,
            sizes.input, sizes.hidden};
        State h = read_state<T>(context.input(form.h()), row, sizes.hidden);
        State c = form.has_cell_state() ? read_state<T>(context.input(form.c()), row, sizes.hidden)
                                        : State();
        const bool backwards = attrs.direction == RecurrentDirection::kReverse || d == 1;
        const auto length = static_cast<std::size_t>(lengths[n]);
        for (std::size_t s = 0; s < length; ++s) {
            const std::size_t t = backwards ? length - 1 - s : s;
            cell.step(weights, x + (n * sizes.steps + t) * sizes.input, h, c);
            if (all != nullptr) {
                write_state(h, all + (row * sizes.steps + t) * sizes.hidden);
            }
        }
        write_state(h, last_h + row * sizes.hidden);
        if (last_c != nullptr) {
            write_state(c, last_c + row * sizes.hidden);
        }
    }
}

}  // namespace

void run_recurrent(EvalContext& context, const RecurrentForm& form) {
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context, form); });
}

}  // namespace fuseq
