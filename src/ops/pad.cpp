// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pad-1: adds elements at both ends of every dimension: a constant (input 3, else 0), the edge
// repeated, or a mirror image (reflect: without the edge itself, symmetric: with it). Pad-12 also
// takes negative amounts, which cut elements off before anything is added.
#include "ops/pad.hpp"

#include <algorithm>
#include <cstring>

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::pad_ops {
namespace {

struct Amount {
    std::int64_t begin, end;
};

constexpr std::int64_t kLargest = std::int64_t{1} << 28;

template <class Context>
void check_amount(const Context& context, std::int64_t amount, const char* what) {
    const bool cuts = context.node().spec().version >= 12;
    context.require(amount <= kLargest && amount >= (cuts ? -kLargest : 0), what, " has the value ",
                    amount, ", expected one in [", cuts ? -kLargest : 0, ", ", kLargest, "]");
}

// Amounts fit a dimension: what is cut is there, what is mirrored too.
template <class Context>
void check_dimension(const Context& context, std::int64_t size, Amount amount, std::size_t d) {
    const std::int64_t left =
        size + std::min<std::int64_t>(amount.begin, 0) + std::min<std::int64_t>(amount.end, 0);
    context.require(left >= 0, "pads ", amount.begin, " and ", amount.end, " cut more than the ",
                    size, " elements of dimension ", d);
    const std::int64_t larger = std::max(amount.begin, amount.end);
    if (larger <= 0) {
        return;
    }
    const PadMode mode = context.template attrs<PadAttrs>().pad_mode;
    const std::int64_t limit = mode == PadMode::kReflect     ? left - 1
                               : mode == PadMode::kSymmetric ? left
                               : mode == PadMode::kEdge      ? (left >= 1 ? kLargest : 0)
                                                             : kLargest;
    context.require(larger <= limit, "a pad of ", larger, " is too large for dimension ", d,
                    " of size ", left, " in mode ",
                    EnumNames<PadMode>::kNames[static_cast<std::size_t>(mode)]);
}

Dimension padded(const InferContext& context, const Dimension& size, Amount amount, std::size_t d) {
    const std::int64_t more = amount.begin + amount.end;
    if (size.is_static()) {
        check_dimension(context, size.get_length(), amount, d);
        return size.get_length() + more;
    }
    const bool unbounded = size.get_max_length() == Dimension::kUnbounded;
    const std::int64_t high =
        unbounded ? 0 : std::max<std::int64_t>(0, size.get_max_length() + more);
    return {std::max<std::int64_t>(0, size.get_min_length() + more),
            unbounded ? Dimension::kUnbounded : high};
}

void infer(InferContext& context) {
    require_int_list(context, 1, "pads_begin");
    require_int_list(context, 2, "pads_end");
    if (context.has_input(3)) {
        context.require_same_type(0, 3);
        const PartialShape& value = context.shape(3);
        context.require(value.compatible({}) || value.compatible({1}), "pad_value has shape ",
                        to_string(value), ", expected one value");
    }
    const PartialShape& src = context.shape(0);
    const auto begin = context.ints(1);
    const auto end = context.ints(2);
    static constexpr const char* kNames[] = {"", "pads_begin", "pads_end"};
    for (std::size_t i = 1; i < 3; ++i) {
        const auto count = list_length(context, i);
        context.require(!count || !src.rank_is_static() || *count == src.rank(), kNames[i], " has ",
                        count.value_or(0), " values, expected ",
                        src.rank_is_static() ? src.rank() : 0);
    }
    if (!src.rank_is_static() || !begin || !end) {
        context.set_output(
            0, context.type(0),
            src.rank_is_static() ? PartialShape::dynamic(src.rank()) : PartialShape::dynamic());
        return;
    }
    PartialShape dst = src;
    for (std::size_t d = 0; d < src.rank(); ++d) {
        check_amount(context, (*begin)[d], "pads_begin");
        check_amount(context, (*end)[d], "pads_end");
        dst[d] = padded(context, src[d], {(*begin)[d], (*end)[d]}, d);
    }
    context.set_output(0, context.type(0), dst);
}

constexpr std::int64_t kConstant = -1;  // no element of src: the constant

// Where each element of a dimension of dst comes from.
std::vector<std::int64_t> sources(std::int64_t size, Amount amount, PadMode mode) {
    const std::int64_t first = std::max<std::int64_t>(0, -amount.begin);  // what is left of src
    const std::int64_t left = size - first - std::max<std::int64_t>(0, -amount.end);
    const std::int64_t lead = std::max<std::int64_t>(0, amount.begin);
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < size + amount.begin + amount.end; ++i) {
        std::int64_t at = i - lead;
        if (at >= 0 && at < left) {
            from.push_back(first + at);
            continue;
        }
        switch (mode) {
            case PadMode::kConstant: at = kConstant - first; break;
            case PadMode::kEdge: at = at < 0 ? 0 : left - 1; break;
            case PadMode::kReflect: at = at < 0 ? -at : 2 * (left - 1) - at; break;
            case PadMode::kSymmetric: at = at < 0 ? -at - 1 : 2 * left - 1 - at; break;
        }
        from.push_back(first + at);
    }
    return from;
}

// Offsets [dst dimension][place] into src in elements; kConstant where there is none.
std::vector<std::vector<std::int64_t>> offset_tables(const EvalContext& context, Shape& dst) {
    const Shape& src = context.input(0).get_shape();
    const std::vector<std::int64_t> begin = to_ints(context.input(1));
    const std::vector<std::int64_t> end = to_ints(context.input(2));
    context.require(begin.size() == src.size() && end.size() == src.size(), "pads_begin has ",
                    begin.size(), " values, pads_end ", end.size(), ", expected ", src.size());
    std::vector<std::vector<std::int64_t>> tables(src.size());
    std::int64_t stride = 1;
    for (std::size_t d = src.size(); d-- > 0;) {
        const auto size = static_cast<std::int64_t>(src[d]);
        check_amount(context, begin[d], "pads_begin");
        check_amount(context, end[d], "pads_end");
        check_dimension(context, size, {begin[d], end[d]}, d);
        tables[d] = sources(size, {begin[d], end[d]}, context.attrs<PadAttrs>().pad_mode);
        for (std::int64_t& at : tables[d]) {
            at = at == kConstant ? kConstant : at * stride;
        }
        stride *= size;
        dst.insert(dst.begin(), tables[d].size());
    }
    return tables;
}

// The constant as bytes.
std::vector<std::byte> constant_of(const EvalContext& context) {
    std::vector<std::byte> bytes(size_of(context.input(0).get_element_type()));
    if (context.has_input(3)) {
        context.require(context.input(3).get_size() == 1, "pad_value has ",
                        context.input(3).get_size(), " values, expected 1");
        std::memcpy(bytes.data(), context.input(3).data(), bytes.size());
    }
    return bytes;
}

void evaluate(EvalContext& context) {
    Shape shape;
    const auto tables = offset_tables(context, shape);
    const std::vector<std::byte> constant = constant_of(context);
    const std::size_t bytes = constant.size();
    Tensor& out = context.output(0, shape);
    const auto* from = static_cast<const std::byte*>(context.input(0).data());
    auto* to = static_cast<std::byte*>(out.data());
    std::vector<std::size_t> index(shape.size(), 0);
    for (std::size_t i = 0; i < out.get_size(); ++i, to += bytes) {
        std::int64_t offset = 0;
        bool inside = true;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t at = tables[d][index[d]];
            inside = inside && at != kConstant;
            offset += at;
        }
        std::memcpy(to, inside ? from + offset * static_cast<std::int64_t>(bytes) : constant.data(),
                    bytes);
        for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) {
            index[d] = 0;
        }
    }
}

OpSpec row(int version, std::string_view summary, std::string_view refused) {
    return {.type = "Pad",
            .version = version,
            .inputs = {3, 4},
            .make_attributes = make_attributes<PadAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = refused};
}

const OpSpec kOps[] = {
    row(1,
        "Adds elements at the ends of dimensions",
        "negative pads; mirrored pads larger than the dimension"),
    row(12,
        "Pad-1 with negative amounts, which cut",
        "cuts and mirrored pads larger than the dimension"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::pad_ops
