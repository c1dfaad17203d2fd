// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// StridedSlice-1, numpy's x[begin:end:stride, ..., newaxis, 5]: elements of begin, end and strides
// are items of the index; the masks say what kind of item each one is.
#include "ops/strided_slice.hpp"

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/slicing.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::strided_slice_ops {
namespace {

enum class ItemKind { kSlice, kEllipsis, kNewAxis, kIndex };

struct Item {
    ItemKind kind = ItemKind::kSlice;
    SliceRange range;   // of a slice; of an index, begin
    bool known = true;  // whether the bounds are known
};

bool masked(const std::vector<std::int64_t>& mask, std::size_t i) {
    return i < mask.size() && mask[i] == 1;
}

template <class Context>
void check_masks(const Context& context, const StridedSliceAttrs& attrs) {
    const auto check = [&](const char* name, const std::vector<std::int64_t>& mask) {
        for (const std::int64_t value : mask) {
            context.require(value == 0 || value == 1, name, " has the value ", value,
                            ", expected 0 or 1");
        }
    };
    check("begin_mask", attrs.begin_mask);
    check("end_mask", attrs.end_mask);
    check("new_axis_mask", attrs.new_axis_mask);
    check("shrink_axis_mask", attrs.shrink_axis_mask);
    check("ellipsis_mask", attrs.ellipsis_mask);
}

using Ints = std::optional<std::vector<std::int64_t>>;  // nothing: not known

// One item of the index. `begin`, `end` and `strides` have `count` elements where known.
template <class Context>
Item make_item(const Context& context,
               const StridedSliceAttrs& attrs,
               std::size_t i,
               const Ints (&bounds)[3]) {
    Item item;
    if (masked(attrs.ellipsis_mask, i)) {
        item.kind = ItemKind::kEllipsis;
        return item;
    }
    if (masked(attrs.new_axis_mask, i)) {
        item.kind = ItemKind::kNewAxis;
        return item;
    }
    if (masked(attrs.shrink_axis_mask, i)) {
        item.kind = ItemKind::kIndex;
        item.known = bounds[0].has_value();
        item.range.begin = item.known ? (*bounds[0])[i] : 0;
        return item;
    }
    SliceRange& range = item.range;
    range.step = bounds[2] ? (*bounds[2])[i] : 1;
    context.require(range.step != 0, "strides has the value 0 at ", i);
    const bool from_first = masked(attrs.begin_mask, i);
    const bool to_last = masked(attrs.end_mask, i);
    item.known = bounds[2] && (from_first || bounds[0]) && (to_last || bounds[1]);
    range.begin = from_first || !bounds[0] ? SliceRange::first(range.step) : (*bounds[0])[i];
    range.end = to_last || !bounds[1] ? SliceRange::last(range.step) : (*bounds[1])[i];
    return item;
}

template <class Context>
std::vector<Item> make_items(const Context& context, std::size_t count, const Ints (&bounds)[3]) {
    const auto& attrs = context.template attrs<StridedSliceAttrs>();
    check_masks(context, attrs);
    static constexpr const char* kNames[] = {"begin", "end", "strides"};
    for (std::size_t i = 0; i < 3; ++i) {
        context.require(!bounds[i] || bounds[i]->size() == count, kNames[i], " has ",
                        bounds[i] ? bounds[i]->size() : 0, " values, expected ", count);
    }
    std::vector<Item> items;
    bool ellipsis = false;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back(make_item(context, attrs, i, bounds));
        if (items.back().kind == ItemKind::kEllipsis) {
            context.require(!ellipsis, "ellipsis_mask is set twice");
            ellipsis = true;
        }
    }
    if (!ellipsis) {  // what no item names is taken whole
        items.push_back({ItemKind::kEllipsis, {}, true});
    }
    return items;
}

// The items with the ellipsis written out as whole slices, one item a dimension of src.
template <class Context>
std::vector<Item> spread(const Context& context, const std::vector<Item>& items, std::size_t rank) {
    std::size_t named = 0;
    for (const Item& item : items) {
        named += item.kind == ItemKind::kSlice || item.kind == ItemKind::kIndex ? 1 : 0;
    }
    context.require(named <= rank, "begin names ", named, " dimensions, src has rank ", rank);
    std::vector<Item> result;
    for (const Item& item : items) {
        if (item.kind == ItemKind::kEllipsis) {
            result.insert(result.end(), rank - named, Item{});
        } else {
            result.push_back(item);
        }
    }
    return result;
}

template <class Context>
void check_index(const Context& context, const Item& item, const Dimension& size, std::size_t d) {
    if (!item.known || !size.is_static()) {
        return;
    }
    const std::int64_t length = size.get_length();
    context.require(item.range.begin >= -length && item.range.begin < length,
                    "begin takes element ", item.range.begin, " of dimension ", d, " of size ",
                    length);
}

PartialShape sliced_shape(const InferContext& context,
                          const PartialShape& src,
                          const std::vector<Item>& items) {
    std::vector<Dimension> dst;
    std::size_t d = 0;
    for (const Item& item : spread(context, items, src.rank())) {
        if (item.kind == ItemKind::kNewAxis) {
            dst.emplace_back(1);
            continue;
        }
        if (item.kind == ItemKind::kIndex) {
            check_index(context, item, src[d], d);
        } else {
            dst.push_back(item.known ? slice_length(item.range, src[d]) : Dimension::dynamic());
        }
        ++d;
    }
    return PartialShape(dst);
}

// Elements of a shape: a list, cut by one item.
void infer_values(InferContext& context, const std::vector<Item>& items) {
    const auto values = shape_values(context, 0);
    if (!values || context.shape(0).rank() != 1) {
        return;
    }
    const auto size = static_cast<std::int64_t>(values->size());
    std::vector<Dimension> taken;
    for (const Item& item : spread(context, items, 1)) {
        if (item.kind == ItemKind::kNewAxis) {
            continue;
        }
        if (!item.known) {
            return;
        }
        SliceResult slice = resolve_slice(item.range, size);
        if (item.kind == ItemKind::kIndex) {
            slice = {item.range.begin + (item.range.begin < 0 ? size : 0), 1};
        }
        for (std::int64_t i = 0; i < slice.length; ++i) {
            taken.push_back(values->at(
                static_cast<std::size_t>(slice.start + i * (i == 0 ? 0 : item.range.step))));
        }
    }
    set_shape_values(context, 0, std::move(taken));
}

void infer(InferContext& context) {
    require_int_list(context, 1, "begin");
    require_int_list(context, 2, "end");
    Ints bounds[3] = {context.ints(1), context.ints(2), std::nullopt};
    std::optional<std::size_t> count = list_length(context, 1);
    count = count ? count : list_length(context, 2);
    if (context.has_input(3)) {
        require_int_list(context, 3, "strides");
        bounds[2] = context.ints(3);
        count = count ? count : list_length(context, 3);
    } else if (count) {
        bounds[2] = std::vector<std::int64_t>(*count, 1);
    }
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static() || !count) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    const std::vector<Item> items = make_items(context, *count, bounds);
    context.set_output(0, context.type(0), sliced_shape(context, src, items));
    infer_values(context, items);
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    Ints bounds[3] = {to_ints(context.input(1)), to_ints(context.input(2)), std::nullopt};
    const std::size_t count = bounds[0]->size();
    bounds[2] =
        context.has_input(3) ? to_ints(context.input(3)) : std::vector<std::int64_t>(count, 1);
    const Shape& shape = src.get_shape();
    const std::vector<std::int64_t> strides = dense_strides(shape);
    Shape dst;
    StridedView view;
    std::size_t d = 0;
    for (const Item& item : spread(context, make_items(context, count, bounds), shape.size())) {
        if (item.kind == ItemKind::kNewAxis) {
            dst.push_back(1);
            view.strides.push_back(0);
            continue;
        }
        const auto size = static_cast<std::int64_t>(shape[d]);
        if (item.kind == ItemKind::kIndex) {
            check_index(context, item, size, d);
            view.offset += (item.range.begin + (item.range.begin < 0 ? size : 0)) * strides[d];
        } else {
            const SliceResult slice = resolve_slice(item.range, size);
            dst.push_back(static_cast<std::size_t>(slice.length));
            // A single element needs no step, which may be as large as it likes.
            view.strides.push_back(slice.length > 1 ? item.range.step * strides[d] : 0);
            view.offset += slice.start * strides[d];
        }
        ++d;
    }
    copy_from_view(src, view, context.output(0, dst));
}

const OpSpec kOps[] = {
    {.type = "StridedSlice",
     .version = 1,
     .inputs = {3, 4},
     .make_attributes = make_attributes<StridedSliceAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "numpy slicing with begin, end, strides and masks",
     .refused = "strides of 0; elements outside the dimension where shrink_axis_mask is set"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::strided_slice_ops
