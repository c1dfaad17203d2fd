// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/class_nms.hpp"

#include <numeric>
#include <tuple>

#include "ops/axis_groups.hpp"

namespace fuseq {
namespace {

Dimension limited(const Dimension& size, std::int64_t limit) {
    return limit < 0 ? size : smaller(size, limit);
}

// Largest number of rows that the outputs may have.
Dimension max_rows(const ClassNmsAttrs& attrs,
                   const Dimension& images,
                   const Dimension& classes,
                   const Dimension& boxes) {
    return up_to(images * limited(classes * limited(boxes, attrs.nms_top_k), attrs.keep_top_k));
}

void check(const InferContext& context, const ClassNmsAttrs& attrs) {
    const ElementType type = attrs.output_type;
    context.require(type == ElementType::i32 || type == ElementType::i64, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    context.require(attrs.nms_top_k >= -1, "nms_top_k is ", attrs.nms_top_k,
                    ", expected -1 or more");
    context.require(attrs.keep_top_k >= -1, "keep_top_k is ", attrs.keep_top_k,
                    ", expected -1 or more");
    require_real(context, 0, "boxes");
    context.require_same_type(0, 1);
    if (context.has_input(2)) {
        context.require(is_integral(context.type(2)), "roisnum is ", to_string(context.type(2)),
                        ", expected an integer type");
    }
}

// Stable order of what the kernel found: by image unless across the batch.
void sort_detections(std::vector<Detection>& all, const ClassNmsAttrs& attrs) {
    const auto key = [&](const Detection& d) {
        const std::size_t image = attrs.sort_result_across_batch ? 0 : d.image;
        if (attrs.sort_result_type == SortResult::kClassId) {
            return std::tuple(image, d.label, static_cast<double>(d.image), -d.score, d.index);
        }
        return std::tuple(image, std::size_t{0}, -d.score, static_cast<double>(d.image),
                          std::size_t{0});
    };
    if (attrs.sort_result_type != SortResult::kNone) {
        std::stable_sort(all.begin(), all.end(),
                         [&](const Detection& a, const Detection& b) { return key(a) < key(b); });
    }
}

// What one image keeps: the best keep_top_k, by score, class and box.
void keep_best(std::vector<Detection>& found, const ClassNmsAttrs& attrs) {
    std::sort(found.begin(), found.end(), [](const Detection& a, const Detection& b) {
        return std::tuple(-a.score, a.label, a.index) < std::tuple(-b.score, b.label, b.index);
    });
    if (attrs.keep_top_k >= 0 && found.size() > static_cast<std::size_t>(attrs.keep_top_k)) {
        found.resize(static_cast<std::size_t>(attrs.keep_top_k));
    }
}

struct InputSizes {
    std::size_t images = 0;
    std::size_t classes = 0;
    std::size_t boxes = 0;               // of all images, where they are not shared
    std::vector<std::size_t> first;      // of each image, where boxes belong to classes
    std::vector<std::size_t> box_count;  // of each image
    bool shared = true;                  // all classes score the same boxes
};

InputSizes read_sizes(const EvalContext& context) {
    const Shape& boxes = context.input(0).get_shape();
    const Shape& scores = context.input(1).get_shape();
    const bool three = boxes.size() == 3 && boxes[2] == 4;
    InputSizes sizes;
    if (three && scores.size() == 3) {
        context.require(boxes[0] == scores[0] && boxes[1] == scores[2], "boxes have shape ",
                        to_string(boxes), ", scores ", to_string(scores));
        sizes.images = scores[0];
        sizes.classes = scores[1];
        sizes.boxes = boxes[1];
        sizes.first.assign(sizes.images, 0);
        sizes.box_count.assign(sizes.images, boxes[1]);
        return sizes;
    }
    context.require(three && scores.size() == 2 && context.has_input(2) && boxes[0] == scores[0] &&
                        boxes[1] == scores[1],
                    "boxes have shape ", to_string(boxes), ", scores ", to_string(scores));
    sizes.shared = false;
    sizes.classes = boxes[0];
    sizes.boxes = boxes[1];
    std::size_t first = 0;
    for (const std::int64_t count : to_ints(context.input(2))) {
        context.require(count >= 0 && static_cast<std::size_t>(count) <= sizes.boxes - first,
                        "roisnum has the value ", count, ", but there are ", sizes.boxes, " boxes");
        sizes.first.push_back(first);
        sizes.box_count.push_back(static_cast<std::size_t>(count));
        first += static_cast<std::size_t>(count);
    }
    sizes.images = sizes.first.size();
    return sizes;
}

template <class T>
ClassView<T> view_of(const EvalContext& context,
                     const InputSizes& sizes,
                     std::size_t image,
                     std::size_t label) {
    const T* boxes = context.input(0).data<T>();
    const T* scores = context.input(1).data<T>();
    if (sizes.shared) {
        return {boxes + image * sizes.boxes * 4,
                scores + (image * sizes.classes + label) * sizes.boxes, sizes.boxes};
    }
    const std::size_t first = label * sizes.boxes + sizes.first[image];
    return {boxes + first * 4, scores + first, sizes.box_count[image]};
}

std::int64_t number_of(const InputSizes& sizes, const Detection& d) {
    return static_cast<std::int64_t>(
        sizes.shared ? d.image * sizes.boxes + d.index
                     : (sizes.first[d.image] + d.index) * sizes.classes + d.label);
}

// Writes integers as the output's type.
void write_ints(EvalContext& context,
                std::size_t i,
                const Shape& shape,
                const std::vector<std::int64_t>& values) {
    Tensor& output = context.output(i, shape);
    if (output.get_element_type() == ElementType::i64) {
        std::copy(values.begin(), values.end(), output.data<std::int64_t>());
    } else {
        std::transform(values.begin(), values.end(), output.data<std::int32_t>(),
                       [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    }
}

template <class T>
void run(EvalContext& context,
         const ClassNmsAttrs& attrs,
         SuppressClass<T> suppress,
         ForEachTask for_each) {
    const InputSizes sizes = read_sizes(context);
    std::vector<std::vector<Detection>> lists(sizes.images * sizes.classes);
    for_each(lists.size(), [&](std::size_t i) {
        const std::size_t image = i / sizes.classes;
        const std::size_t label = i % sizes.classes;
        if (static_cast<std::int64_t>(label) == attrs.background_class) {
            return;
        }
        lists[i] = suppress(view_of<T>(context, sizes, image, label), attrs);
        for (Detection& d : lists[i]) {
            d.image = image;
            d.label = label;
            d.number = number_of(sizes, d);
        }
    });
    std::vector<Detection> all;
    std::vector<std::int64_t> counts;
    for (std::size_t image = 0; image < sizes.images; ++image) {
        std::vector<Detection> found;
        for (std::size_t label = 0; label < sizes.classes; ++label) {
            const std::vector<Detection>& list = lists[image * sizes.classes + label];
            found.insert(found.end(), list.begin(), list.end());
        }
        keep_best(found, attrs);
        counts.push_back(static_cast<std::int64_t>(found.size()));
        all.insert(all.end(), found.begin(), found.end());
    }
    sort_detections(all, attrs);
    Tensor& rows = context.output(0, {all.size(), 6});
    T* out = rows.data<T>();
    std::vector<std::int64_t> numbers;
    for (const Detection& d : all) {
        const CornerBox box = view_of<T>(context, sizes, d.image, d.label).box(d.index);
        for (const double v :
             {static_cast<double>(d.label), d.score, box.x1, box.y1, box.x2, box.y2}) {
            *out++ = static_cast<T>(v);
        }
        numbers.push_back(d.number);
    }
    write_ints(context, 1, {all.size(), 1}, numbers);
    write_ints(context, 2, {sizes.images}, counts);
}

}  // namespace

void infer_class_nms(InferContext& context, const ClassNmsAttrs& attrs) {
    check(context, attrs);
    PartialShape boxes = context.shape(0);
    boxes = boxes.rank_is_static() ? boxes : PartialShape::dynamic(3);
    const bool shared = !context.has_input(2);
    PartialShape scores = context.shape(1);
    scores = scores.rank_is_static() ? scores : PartialShape::dynamic(shared ? 3 : 2);
    bool fits = boxes.rank() == 3 && boxes[2].compatible(4) && scores.rank() == (shared ? 3u : 2u);
    fits = fits && boxes[0].compatible(scores[0]) && boxes[1].compatible(scores[shared ? 2 : 1]);
    context.require(fits, "boxes have shape ", to_string(boxes), ", scores ", to_string(scores),
                    shared ? ", expected [N,M,4] and [N,C,M]" : ", expected [C,M,4] and [C,M]");
    Dimension images = boxes[0];
    Dimension classes = scores[shared ? 1 : 0];
    Dimension rows;
    if (shared) {
        Dimension::merge(images, boxes[0], scores[0]);
        rows = max_rows(attrs, images, classes, boxes[1]);
    } else {
        const PartialShape& counts = context.shape(2);
        context.require(!counts.rank_is_static() || counts.rank() == 1, "roisnum has shape ",
                        to_string(counts), ", expected rank 1");
        images = counts.rank_is_static() ? counts[0] : Dimension::dynamic();
        rows = up_to(classes * boxes[1]);
    }
    context.set_output_count(3);
    context.set_output(0, context.type(0), {rows, 6});
    context.set_output(1, attrs.output_type, {rows, 1});
    context.set_output(2, attrs.output_type, {images});
}

template <class T>
std::vector<std::size_t> best_candidates(const ClassView<T>& view,
                                         const ClassNmsAttrs& attrs,
                                         bool inclusive) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < view.count; ++i) {
        const auto threshold = static_cast<double>(attrs.score_threshold);
        if (view.score(i) > threshold || (inclusive && view.score(i) == threshold)) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return view.score(a) > view.score(b); });
    if (attrs.nms_top_k >= 0 && order.size() > static_cast<std::size_t>(attrs.nms_top_k)) {
        order.resize(static_cast<std::size_t>(attrs.nms_top_k));
    }
    return order;
}

template std::vector<std::size_t> best_candidates(const ClassView<float>&,
                                                  const ClassNmsAttrs&,
                                                  bool);
template std::vector<std::size_t> best_candidates(const ClassView<double>&,
                                                  const ClassNmsAttrs&,
                                                  bool);

void run_class_nms(EvalContext& context,
                   const ClassNmsAttrs& attrs,
                   SuppressClass<float> suppress_f32,
                   SuppressClass<double> suppress_f64,
                   ForEachTask for_each) {
    switch (context.input(0).get_element_type()) {
        case ElementType::f32: return run<float>(context, attrs, suppress_f32, for_each);
        case ElementType::f64: return run<double>(context, attrs, suppress_f64, for_each);
        default: context.fail("no kernel for boxes of another type than f32 and f64");
    }
}

}  // namespace fuseq
