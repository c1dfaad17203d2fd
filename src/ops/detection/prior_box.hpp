// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"

namespace fuseq {

struct PriorBoxAttrs : AttributesOf<PriorBoxAttrs> {
    std::vector<float> min_size;
    std::vector<float> max_size;
    std::vector<float> aspect_ratio;
    std::vector<float> density;
    std::vector<float> fixed_ratio;
    std::vector<float> fixed_size;
    bool clip = false;
    bool flip = false;
    float step = 0.0F;
    float offset = 0.0F;
    std::vector<float> variance;
    bool scale_all_sizes = true;
    bool min_max_aspect_ratios_order = true;  // an attribute from opset 8 on

    void visit(AttributeVisitor& v) override {
        v.optional("min_size", min_size);
        v.optional("max_size", max_size);
        v.optional("aspect_ratio", aspect_ratio);
        v.optional("density", density);
        v.optional("fixed_ratio", fixed_ratio);
        v.optional("fixed_size", fixed_size);
        v.optional("clip", clip);
        v.optional("flip", flip);
        v.optional("step", step);
        v.required("offset", offset);
        v.optional("variance", variance);
        v.optional("scale_all_sizes", scale_all_sizes);
    }
};

struct PriorBox8Attrs final : PriorBoxAttrs {
    void visit(AttributeVisitor& v) override {
        PriorBoxAttrs::visit(v);
        v.optional("min_max_aspect_ratios_order", min_max_aspect_ratios_order);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<PriorBox8Attrs>(*this);
    }
};

// One prior: a box relative to the centre of its cell, in pixels.
struct Prior {
    double shift_x = 0;
    double shift_y = 0;
    double half_width = 0;
    double half_height = 0;
    bool clip = false;  // a box of a fixed size: its corners stay inside the image
};

// The priors around every cell, in the order of the output. `image_height` scales the sizes when
// scale_all_sizes is false.
std::vector<Prior> priors_of_cell(const PriorBoxAttrs& attrs, double image_height);

}  // namespace fuseq
