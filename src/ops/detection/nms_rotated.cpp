// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// NMSRotated-13: NonMaxSuppression of boxes [x, y, width, height, angle].
#include "ops/detection/nms_rotated.hpp"

#include <array>
#include <cmath>

#include "ops/detection/nms_suppress.hpp"
#include "ops/op_list.hpp"

namespace fuseq::nms_rotated_ops {
namespace {

constexpr std::size_t kNumbersOfABox = 5;

struct Point {
    double x = 0;
    double y = 0;
};

struct RotatedBox {
    std::array<Point, 4> corners;
    double area = 0;
    CornerBox bounds;  // around the corners
};

template <class T>
RotatedBox rotated_box(const T* numbers, bool clockwise) {
    const auto number = [&](std::size_t i) { return static_cast<double>(numbers[i]); };
    const double angle = clockwise ? number(4) : -number(4);
    const double cos = std::cos(angle);
    const double sin = std::sin(angle);
    constexpr double kSides[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    RotatedBox box;
    box.area = number(2) * number(3);
    for (std::size_t i = 0; i < 4; ++i) {
        const double x = kSides[i][0] * number(2);
        const double y = kSides[i][1] * number(3);
        // y points down: this turns clockwise.
        const Point corner{number(0) + x * cos - y * sin, number(1) + x * sin + y * cos};
        box.corners[i] = corner;
        box.bounds =
            i == 0
                ? CornerBox{corner.x, corner.y, corner.x, corner.y}
                : CornerBox{std::min(box.bounds.x1, corner.x), std::min(box.bounds.y1, corner.y),
                            std::max(box.bounds.x2, corner.x), std::max(box.bounds.y2, corner.y)};
    }
    return box;
}

// Positive on the inner side of the line from a to b, for the order of RotatedBox::corners.
double side_of(const Point& a, const Point& b, const Point& p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// A clipped quadrangle. A line cuts a convex polygon twice and adds one corner: 8 after four lines.
// Rounding may make it a little concave, hence more room.
struct Polygon {
    std::array<Point, 24> points;
    std::size_t count = 0;
    void add(const Point& p) {
        if (count < points.size()) {
            points[count++] = p;
        }
    }
};

// The part on the inner side of the line from a to b.
Polygon clip(const Polygon& polygon, const Point& a, const Point& b) {
    Polygon inner;
    for (std::size_t i = 0; i < polygon.count; ++i) {
        const Point& from = polygon.points[i];
        const Point& to = polygon.points[(i + 1) % polygon.count];
        const double side_from = side_of(a, b, from);
        const double side_to = side_of(a, b, to);
        if (side_from >= 0) {
            inner.add(from);
        }
        if ((side_from > 0 && side_to < 0) || (side_from < 0 && side_to > 0)) {
            const double share = side_from / (side_from - side_to);
            inner.add({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
        }
    }
    return inner;
}

double area_of(const Polygon& polygon) {
    double twice = 0;
    for (std::size_t i = 2; i < polygon.count; ++i) {
        twice += side_of(polygon.points[0], polygon.points[i - 1], polygon.points[i]);
    }
    return twice / 2;
}

// Intersection over union; 0 where an area is not positive.
double overlap(const RotatedBox& a, const RotatedBox& b) {
    const bool apart = a.bounds.x2 < b.bounds.x1 || b.bounds.x2 < a.bounds.x1 ||
                       a.bounds.y2 < b.bounds.y1 || b.bounds.y2 < a.bounds.y1;
    if (apart || !(a.area > 0 && b.area > 0)) {
        return 0;
    }
    Polygon common;
    for (const Point& corner : a.corners) {
        common.add(corner);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        common = clip(common, b.corners[i], b.corners[(i + 1) % 4]);
    }
    const double area = area_of(common);
    return area / (a.area + b.area - area);
}

void infer(InferContext& context) {
    infer_nms(context, kNumbersOfABox);
}

void evaluate(EvalContext& context) {
    const bool clockwise = context.attrs<NmsRotatedAttrs>().clockwise;
    run_nms(context, kNumbersOfABox,
            [&](const auto* numbers) { return rotated_box(numbers, clockwise); });
}

const OpSpec kOps[] = {
    {.type = "NMSRotated",
     .version = 13,
     .inputs = {5, 5},
     .make_attributes = make_attributes<NmsRotatedAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "NonMaxSuppression of rotated boxes [x, y, width, height, angle]",
     .refused = "negative max_output_boxes_per_class"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::nms_rotated_ops
