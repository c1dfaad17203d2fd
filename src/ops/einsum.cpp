// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Einsum-7: sums of products over the labels of an equation that its right side does not have.
// Dimensions of size 1 repeat along a label that is larger in other inputs.
#include "ops/einsum.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <type_traits>

#include "model/typed.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::einsum_ops {
namespace {

// A letter, or a dimension of the ellipsis counted from its end: -1, -2, ...
using Label = int;
constexpr std::string_view kEllipsis = "...";

struct Equation {
    std::vector<std::vector<Label>> inputs;
    std::vector<Label> output;
};

std::string without_spaces(std::string text) {
    text.erase(std::remove_if(text.begin(), text.end(),
                              [](unsigned char c) { return std::isspace(c) != 0; }),
               text.end());
    return text;
}

// One term. `dims` is how many dimensions the ellipsis stands for.
template <class Context>
std::vector<Label> parse_term(const Context& context, std::string_view term, std::size_t dims) {
    std::vector<Label> labels;
    bool ellipsis = false;
    while (!term.empty()) {
        if (term.starts_with(kEllipsis)) {
            context.require(!ellipsis, "equation has two ellipses in one term");
            ellipsis = true;
            for (std::size_t d = dims; d > 0; --d) {
                labels.push_back(-static_cast<Label>(d));
            }
            term.remove_prefix(kEllipsis.size());
            continue;
        }
        const auto letter = static_cast<unsigned char>(term.front());
        context.require(std::isalpha(letter) != 0, "equation has the character '", term.front(),
                        "', expected letters, '...', ',' and '->'");
        labels.push_back(letter);
        term.remove_prefix(1);
    }
    return labels;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;
         text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1)) {
        end = text.find(at);
        parts.push_back(text.substr(0, end));
    }
    return parts;
}

// Labels that occur once, the ellipsis first, letters in their order.
std::vector<Label> implied_output(const std::vector<std::vector<Label>>& inputs) {
    std::map<Label, std::size_t> counts;
    for (const auto& labels : inputs) {
        for (const Label label : labels) {
            ++counts[label];
        }
    }
    std::vector<Label> output;
    for (const auto& [label, count] : counts) {
        if (label < 0 || count == 1) {
            output.push_back(label);
        }
    }
    return output;
}

template <class Context>
std::vector<Label> parse_output(const Context& context,
                                std::string_view term,
                                const std::vector<std::vector<Label>>& inputs) {
    std::size_t dims = 0;
    const auto known = [&](Label label) {
        return std::any_of(inputs.begin(), inputs.end(), [&](const auto& labels) {
            return std::find(labels.begin(), labels.end(), label) != labels.end();
        });
    };
    while (known(-static_cast<Label>(dims) - 1)) {
        ++dims;
    }
    const std::vector<Label> output = parse_term(context, term, dims);
    for (std::size_t i = 0; i < output.size(); ++i) {
        context.require(known(output[i]), "the right side of the equation has '",
                        static_cast<char>(output[i]), "', which no input has");
        context.require(std::count(output.begin(), output.end(), output[i]) == 1,
                        "the right side of the equation has '", static_cast<char>(output[i]),
                        "' twice");
    }
    context.require(dims == 0 || term.find(kEllipsis) != std::string_view::npos,
                    "the right side of the equation has no ellipsis, its left side has");
    return output;
}

template <class Context>
Equation parse(const Context& context, const std::vector<std::size_t>& ranks) {
    const std::string text = without_spaces(context.template attrs<EinsumAttrs>().equation);
    const std::size_t arrow = text.find("->");
    const auto terms = split(std::string_view(text).substr(0, arrow), ',');
    context.require(terms.size() == ranks.size(), "equation '", text, "' has ", terms.size(),
                    " terms for ", ranks.size(), " inputs");
    Equation equation;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool ellipsis = terms[i].find(kEllipsis) != std::string_view::npos;
        const std::size_t letters = terms[i].size() - (ellipsis ? kEllipsis.size() : 0);
        context.require(ellipsis ? letters <= ranks[i] : letters == ranks[i], "term '", terms[i],
                        "' of the equation names ", letters, " dimensions of input ", i,
                        ", which has rank ", ranks[i]);
        equation.inputs.push_back(parse_term(context, terms[i], ranks[i] - letters));
    }
    equation.output =
        arrow == std::string::npos
            ? implied_output(equation.inputs)
            : parse_output(context, std::string_view(text).substr(arrow + 2), equation.inputs);
    return equation;
}

// A size at [input, dimension] that does not suit the label's size elsewhere.
template <class Context, class Size>
void require_same(const Context& context,
                  bool same,
                  std::size_t input,
                  std::size_t dimension,
                  const Size& size,
                  const Size& elsewhere) {
    context.require(same, "dimension ", dimension, " of input ", input, " is ", size,
                    ", the label has size ", elsewhere, " elsewhere");
}

// Sizes of the labels of one input. A label that its term names twice has one size: 1 does not
// broadcast there.
std::map<Label, Dimension> sizes_of_term(const InferContext& context,
                                         std::size_t i,
                                         const std::vector<Label>& labels) {
    std::map<Label, Dimension> sizes;
    for (std::size_t d = 0; d < labels.size(); ++d) {
        const Dimension& size = context.shape(i)[d];
        const auto [at, added] = sizes.emplace(labels[d], size);
        const Dimension before = at->second;
        require_same(context, added || Dimension::merge(at->second, before, size), i, d,
                     to_string(size), to_string(before));
    }
    return sizes;
}

void infer(InferContext& context) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require_same_type(i, 0);
        if (context.shape(i).rank_is_static()) {
            ranks.push_back(context.shape(i).rank());
        }
    }
    context.require(is_integral(context.type(0)) || is_real(context.type(0)), "input 0 is ",
                    to_string(context.type(0)), ", expected a numeric type");
    if (ranks.size() != context.input_count()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    const Equation equation = parse(context, ranks);
    std::map<Label, Dimension> sizes;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::vector<Label>& labels = equation.inputs[i];
        for (const auto& [label, size] : sizes_of_term(context, i, labels)) {
            const auto [at, added] = sizes.emplace(label, size);
            const auto d = std::find(labels.begin(), labels.end(), label) - labels.begin();
            const Dimension one = 1;
            const bool known = size.is_static() && at->second.is_static();
            require_same(context,
                         added || !known || size == at->second || size == one || at->second == one,
                         i, static_cast<std::size_t>(d), to_string(size), to_string(at->second));
            at->second = broadcast_shapes(context, {at->second}, {size})[0];
        }
    }
    std::vector<Dimension> dims;
    for (const Label label : equation.output) {
        dims.push_back(sizes.at(label));
    }
    context.set_output(0, context.type(0), PartialShape(std::move(dims)));
}

// The labels, those of the output first, their sizes, and the step of each input along each.
struct Walk {
    std::vector<std::size_t> sizes;
    std::vector<std::vector<std::size_t>> steps;  // [input][label]
};

Walk plan(const EvalContext& context, const Equation& equation) {
    std::vector<Label> order = equation.output;
    for (const auto& labels : equation.inputs) {
        for (const Label label : labels) {
            if (std::find(order.begin(), order.end(), label) == order.end()) {
                order.push_back(label);
            }
        }
    }
    Walk walk{std::vector<std::size_t>(order.size(), 1), {}};
    std::vector<bool> seen(order.size());
    const auto place = [&](Label label) {
        return static_cast<std::size_t>(std::find(order.begin(), order.end(), label) -
                                        order.begin());
    };
    for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
        const Shape& shape = context.input(i).get_shape();
        const std::vector<std::int64_t> strides = dense_strides(shape);
        walk.steps.emplace_back(order.size(), 0);
        const std::vector<Label>& labels = equation.inputs[i];
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const auto first = std::find(labels.begin(), labels.end(), labels[d]) - labels.begin();
            const std::size_t same_term = shape[static_cast<std::size_t>(first)];
            require_same(context, same_term == shape[d], i, d, shape[d], same_term);
            if (shape[d] == 1) {
                continue;
            }
            const std::size_t at = place(labels[d]);
            require_same(context, !seen[at] || walk.sizes[at] == shape[d], i, d, shape[d],
                         walk.sizes[at]);
            seen[at] = true;
            walk.sizes[at] = shape[d];
            walk.steps.back()[at] += static_cast<std::size_t>(strides[d]);
        }
    }
    return walk;
}

// Counts through labels [first, end); false when it is through.
bool advance(std::vector<std::size_t>& index,
             const Walk& walk,
             std::size_t first,
             std::size_t end,
             std::vector<std::size_t>& offsets) {
    for (std::size_t l = end; l-- > first;) {
        ++index[l];
        const bool wraps = index[l] == walk.sizes[l];
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            offsets[i] += walk.steps[i][l];
            if (wraps) {
                offsets[i] -= walk.steps[i][l] * walk.sizes[l];
            }
        }
        if (!wraps) {
            return true;
        }
        index[l] = 0;
    }
    return false;
}

template <class T>
void run(EvalContext& context, const Walk& walk, std::size_t outer) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    const Shape shape(std::vector<std::size_t>(
        walk.sizes.begin(), walk.sizes.begin() + static_cast<std::ptrdiff_t>(outer)));
    Tensor& dst = context.output(0, shape);
    T* out = dst.data<T>();
    std::fill_n(out, dst.get_size(), T{0});
    if (dst.get_size() == 0 ||
        std::find(walk.sizes.begin(), walk.sizes.end(), std::size_t{0}) != walk.sizes.end()) {
        return;
    }
    std::vector<const T*> data;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        data.push_back(context.input(i).data<T>());
    }
    std::vector<std::size_t> index(walk.sizes.size(), 0);
    std::vector<std::size_t> offsets(data.size(), 0);
    do {
        Sum sum = 0;
        do {
            Sum product = 1;
            for (std::size_t i = 0; i < data.size(); ++i) {
                product *= static_cast<Sum>(data[i][offsets[i]]);
            }
            sum += product;
        } while (advance(index, walk, outer, walk.sizes.size(), offsets));
        *out++ = static_cast<T>(sum);
    } while (advance(index, walk, 0, outer, offsets));
}

void evaluate(EvalContext& context) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        ranks.push_back(context.input(i).get_shape().size());
    }
    const Equation equation = parse(context, ranks);
    const Walk walk = plan(context, equation);
    dispatch_numeric(context.input(0).get_element_type(), [&](auto tag) {
        run<typename decltype(tag)::type>(context, walk, equation.output.size());
    });
}

const OpSpec kOps[] = {
    {.type = "Einsum",
     .version = 7,
     .inputs = {1, Arity::kMany},
     .make_attributes = make_attributes<EinsumAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Sums of products over labelled dimensions",
     .refused = "labels of different sizes other than 1, an ellipsis on the left side only"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::einsum_ops
