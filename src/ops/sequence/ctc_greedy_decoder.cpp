// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/ctc_greedy_decoder.hpp"

#include <algorithm>
#include <vector>

#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/ranked_input.hpp"
#include "ops/scalars.hpp"

namespace fuseq::ctc_greedy_decoder_ops {
namespace {

// The best classes of a text without blanks and, if asked, repetitions.
struct Collapse {
    std::size_t blank;
    bool merge;
};
std::vector<std::size_t> collapse(const std::vector<std::size_t>& best, const Collapse& how) {
    std::vector<std::size_t> text;
    for (std::size_t t = 0; t < best.size(); ++t) {
        const bool repeated = how.merge && t > 0 && best[t] == best[t - 1];
        if (best[t] != how.blank && !repeated) {
            text.push_back(best[t]);
        }
    }
    return text;
}

// That of std::max_element, NaN included; the largest value is searched in several lanes at once,
// where that one compares each value with the one found last.
template <class T>
std::size_t arg_max(const T* values, std::size_t count) {
    constexpr std::size_t kLanes = 16;
    T lanes[kLanes];
    std::fill_n(lanes, kLanes, values[0]);
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            lanes[k] = lanes[k] < values[i + k] ? values[i + k] : lanes[k];
        }
    }
    T max_value = *std::max_element(lanes, lanes + kLanes);
    for (; i < count; ++i) {
        max_value = max_value < values[i] ? values[i] : max_value;
    }
    // Nothing is equal to a NaN: where the first value is one, it is the answer.
    const T* const found = std::find(values, values + count, max_value);
    return found == values + count ? 0 : static_cast<std::size_t>(found - values);
}

// --- CTCGreedyDecoder: scores [T, N, C], mask [T, N] -> [N, T, 1, 1] -----------------------------

void infer(InferContext& context) {
    context.require(is_real(context.type(0)), "input 0 is ", to_string(context.type(0)),
                    ", expected a real type");
    context.require_same_type(0, 1);
    const PartialShape scores = ranked_input(context, 0, 3, "input 0");
    const PartialShape mask = ranked_input(context, 1, 2, "the mask");
    Dimension steps;
    Dimension images;
    context.require(
        Dimension::merge(steps, scores[0], mask[0]) && Dimension::merge(images, scores[1], mask[1]),
        "the mask has shape ", to_string(mask), ", input 0 ", to_string(scores),
        ", expected [T,N] and [T,N,C]");
    context.require(!(scores[2] == Dimension(0)), "input 0 has no classes");
    context.set_output(0, context.type(0), {images, steps, 1, 1});
}

template <class T>
void run(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    context.require(shape.size() == 3 && shape[2] > 0 &&
                        context.input(1).get_shape() == Shape{shape[0], shape[1]},
                    "the mask has shape ", to_string(context.input(1).get_shape()), ", input 0 ",
                    to_string(shape));
    const std::size_t steps = shape[0];
    const std::size_t images = shape[1];
    const T* scores = context.input(0).data<T>();
    const T* mask = context.input(1).data<T>();
    Tensor& output = context.output(0, {images, steps, 1, 1});
    T* out = output.data<T>();
    std::fill(out, out + output.get_size(), T{-1});
    for (std::size_t n = 0; n < images; ++n) {
        std::vector<std::size_t> best;
        // A text ends at the first 0 of its mask.
        for (std::size_t t = 0; t < steps && mask[t * images + n] != T{0}; ++t) {
            best.push_back(arg_max(scores + (t * images + n) * shape[2], shape[2]));
        }
        const bool merge = context.attrs<CtcGreedyDecoderAttrs>().ctc_merge_repeated;
        T* to = out + n * steps;
        for (const std::size_t c : collapse(best, {shape[2] - 1, merge})) {
            *to++ = static_cast<T>(c);
        }
    }
}

void evaluate(EvalContext& context) {
    switch (context.input(0).get_element_type()) {
        case ElementType::f32: return run<float>(context);
        case ElementType::f64: return run<double>(context);
        default: context.fail("no kernel for types other than f32 and f64");
    }
}

// --- CTCGreedyDecoderSeqLen: scores [N, T, C], lengths [N] -> [N, T] and [N] ---------------------

void infer_seq_len(InferContext& context) {
    const auto& attrs = context.attrs<CtcGreedyDecoderSeqLenAttrs>();
    for (const ElementType type : {attrs.classes_index_type, attrs.sequence_length_type}) {
        context.require(type == ElementType::i32 || type == ElementType::i64,
                        "classes_index_type or sequence_length_type is ", to_string(type),
                        ", expected i32 or i64");
    }
    context.require(is_real(context.type(0)), "input 0 is ", to_string(context.type(0)),
                    ", expected a real type");
    context.require(is_integral(context.type(1)), "sequence_length is ", to_string(context.type(1)),
                    ", expected an integer type");
    require_int_scalar(context, 2, "blank_index");
    const PartialShape scores = ranked_input(context, 0, 3, "input 0");
    const PartialShape lengths = ranked_input(context, 1, 1, "sequence_length");
    Dimension images;
    context.require(Dimension::merge(images, scores[0], lengths[0]), "sequence_length has shape ",
                    to_string(lengths), ", input 0 ", to_string(scores));
    context.require(!(scores[2] == Dimension(0)), "input 0 has no classes");
    context.set_output_count(2);
    context.set_output(0, attrs.classes_index_type, {images, scores[1]});
    context.set_output(1, attrs.sequence_length_type, {images});
}

// Writes integers as i32 or i64.
void write_ints(Tensor& tensor, const std::vector<std::int64_t>& values) {
    if (tensor.get_element_type() == ElementType::i64) {
        std::copy(values.begin(), values.end(), tensor.data<std::int64_t>());
    } else {
        std::transform(values.begin(), values.end(), tensor.data<std::int32_t>(),
                       [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    }
}

template <class T>
void run_seq_len(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    context.require(shape.size() == 3 && shape[2] > 0, "input 0 has shape ", to_string(shape));
    const std::vector<std::int64_t> lengths = to_ints(context.input(1));
    context.require(lengths.size() == shape[0], "sequence_length has ", lengths.size(),
                    " values for ", shape[0], " sequences");
    const std::int64_t blank =
        int_input(context, 2, "blank_index", static_cast<std::int64_t>(shape[2]) - 1);
    const bool merge = context.attrs<CtcGreedyDecoderSeqLenAttrs>().merge_repeated;
    const T* scores = context.input(0).data<T>();
    std::vector<std::int64_t> classes(shape[0] * shape[1], -1);
    std::vector<std::int64_t> counts;
    for (std::size_t n = 0; n < shape[0]; ++n) {
        context.require(lengths[n] >= 0 && lengths[n] <= static_cast<std::int64_t>(shape[1]),
                        "sequence_length has the value ", lengths[n], ", expected one in [0, ",
                        shape[1], "]");
        std::vector<std::size_t> best;
        for (std::size_t t = 0; t < static_cast<std::size_t>(lengths[n]); ++t) {
            best.push_back(arg_max(scores + (n * shape[1] + t) * shape[2], shape[2]));
        }
        const auto text = collapse(best, {static_cast<std::size_t>(blank), merge});
        std::copy(text.begin(), text.end(),
                  classes.begin() + static_cast<std::ptrdiff_t>(n * shape[1]));
        counts.push_back(static_cast<std::int64_t>(text.size()));
    }
    write_ints(context.output(0, {shape[0], shape[1]}), classes);
    write_ints(context.output(1, {shape[0]}), counts);
}

void evaluate_seq_len(EvalContext& context) {
    switch (context.input(0).get_element_type()) {
        case ElementType::f32: return run_seq_len<float>(context);
        case ElementType::f64: return run_seq_len<double>(context);
        default: context.fail("no kernel for types other than f32 and f64");
    }
}

const OpSpec kOps[] = {
    {.type = "CTCGreedyDecoder",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<CtcGreedyDecoderAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Best class a step, without blanks and repetitions"},
    {.type = "CTCGreedyDecoderSeqLen",
     .version = 6,
     .inputs = {2, 3},
     .make_attributes = make_attributes<CtcGreedyDecoderSeqLenAttrs>,
     .infer = infer_seq_len,
     .evaluate = evaluate_seq_len,
     .summary = "The same for [N,T,C], with the lengths of the sequences"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::ctc_greedy_decoder_ops
