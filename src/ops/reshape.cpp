// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reshape-1: the second input is the new shape; -1, once, stands for what is left.
#include "ops/reshape.hpp"

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::reshape_ops {
namespace {

// Product of the dimensions; nothing when one is open.
std::optional<std::int64_t> known_product(const std::vector<Dimension>& dims) {
    Dimension product = 1;
    for (const Dimension& d : dims) {
        if (d.is_dynamic()) {
            return std::nullopt;
        }
        product = product * d;
    }
    return product.is_static() ? std::optional(product.get_length()) : std::nullopt;
}

// The dimension that -1 stands for: all of src over the rest of dst. Dimensions that dst copies
// from src by a special zero are left out of both, so that they need not be known.
template <class Context>
Dimension left_over(const Context& context,
                    const PartialShape& src,
                    const std::vector<std::int64_t>& pattern,
                    const std::vector<Dimension>& dst,
                    bool special_zero) {
    std::vector<Dimension> above = src.dims();
    std::vector<Dimension> below;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == 0 && special_zero && dst[i] != Dimension(0)) {
            above[i] = 1;
        } else if (pattern[i] != -1) {
            below.push_back(dst[i]);
        }
    }
    const auto total = known_product(above);
    const auto rest = known_product(below);
    if (!rest || (!total && *rest != 0)) {
        return Dimension::dynamic();
    }
    context.require(*rest != 0, "the -1 of the pattern has no meaning beside a size of 0");
    context.require(*total % *rest == 0, "the pattern does not divide src of shape ",
                    to_string(src), ": ", *total, " elements over ", *rest);
    return *total / *rest;
}

template <class Context>
PartialShape reshaped(const Context& context,
                      const PartialShape& src,
                      const std::vector<std::int64_t>& pattern,
                      bool special_zero) {
    std::vector<Dimension> dst(pattern.size());
    std::optional<std::size_t> open;
    const bool known_rank = src.rank_is_static();
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const std::int64_t size = pattern[i];
        context.require(size >= -1, "the pattern has the value ", size, ", expected -1 or more");
        if (size == -1) {
            context.require(!open, "the pattern has -1 twice");
            open = i;
        } else if (size == 0 && special_zero) {
            context.require(!known_rank || i < src.rank(), "the pattern copies dimension ", i,
                            ", src has shape ", to_string(src));
            dst[i] = known_rank ? src[i] : Dimension::dynamic();
        } else {
            dst[i] = size;
        }
    }
    if (open && known_rank) {
        dst[*open] = left_over(context, src, pattern, dst, special_zero);
    }
    const auto before = known_rank ? known_product(src.dims()) : std::nullopt;
    const auto after = known_product(dst);
    context.require(!before || !after || *before == *after, "src of shape ", to_string(src),
                    " does not have the elements of ", to_string(PartialShape(dst)));
    return PartialShape(dst);
}

// A pattern with elements that are not known; an unknown one may be a size, 0 or -1.
PartialShape from_open_pattern(const InferContext& context,
                               const PartialShape& src,
                               const std::vector<Dimension>& pattern,
                               bool special_zero) {
    std::vector<Dimension> dst = pattern;
    std::size_t open = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < dst.size(); ++i) {
        if (special_zero && dst[i] == Dimension(0)) {
            dst[i] = src.rank_is_static() && i < src.rank() ? src[i] : Dimension::dynamic();
        } else if (pattern[i].is_dynamic() && pattern[i].get_min_length() == 0) {
            dst[i] = Dimension::dynamic();
        }
        if (dst[i].is_dynamic()) {
            ++open;
            last = i;
        }
    }
    constexpr std::int64_t kOpen = -1;
    const std::int64_t total =
        src.rank_is_static() ? known_product(src.dims()).value_or(kOpen) : kOpen;
    const std::int64_t known = known_product(dst).value_or(kOpen);
    context.require(total == kOpen || known == kOpen || total == known, "src of shape ",
                    to_string(src), " does not have the elements of ",
                    to_string(PartialShape(dst)));
    if (open == 1 && total != kOpen) {
        std::vector<Dimension> others = dst;
        others[last] = 1;
        const std::int64_t rest = known_product(others).value_or(0);
        if (rest != 0 && total % rest == 0) {
            dst[last] = total / rest;
        }
    }
    return PartialShape(dst);
}

void infer(InferContext& context) {
    const bool special_zero = context.attrs<ReshapeAttrs>().special_zero;
    require_int_list(context, 1, "the shape");
    const PartialShape& src = context.shape(0);
    PartialShape dst = PartialShape::dynamic();
    if (const auto pattern = context.ints(1)) {
        dst = reshaped(context, src, *pattern, special_zero);
    } else if (const auto dims = shape_values(context, 1)) {
        dst = from_open_pattern(context, src, *dims, special_zero);
    }
    context.set_output(0, context.type(0), dst);
    if (auto values = shape_values(context, 0)) {
        set_shape_values(context, 0, std::move(*values));
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Shape shape = reshaped(context, src.get_shape(), to_ints(context.input(1)),
                                 context.attrs<ReshapeAttrs>().special_zero)
                            .to_shape();
    Tensor& dst = context.output(0, shape);
    src.reshaped(shape).copy_to(dst);
}

const OpSpec kOps[] = {
    {.type = "Reshape",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<ReshapeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The same elements under another shape"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::reshape_ops
