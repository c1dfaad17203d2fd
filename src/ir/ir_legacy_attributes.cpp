// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_legacy_attributes.hpp"

#include <algorithm>
#include <iterator>

namespace fuseq {
namespace {

enum class Value {
    kAny,   // the operation never read it
    kZero,  // "0", "0,0", "0.0", "false": switched off
    kOne,
};

struct Row {
    std::string_view type;
    std::string_view name;
    Value value;
};

// What the Model Optimizer of 2020 and 2021 left in IR v10, Caffe's fields in v10 and v11, and
// switches of today's classes that no opset has.
constexpr Row kRows[] = {
    {"Convert", "no_clamp", Value::kZero},
    {"Convert", "use_rounding", Value::kZero},
    {"Convolution", "output_padding", Value::kZero},
    {"GroupConvolution", "output_padding", Value::kZero},
    {"DetectionOutput", "eta", Value::kOne},
    {"DetectionOutput", "height", Value::kAny},
    {"DetectionOutput", "height_scale", Value::kAny},
    {"DetectionOutput", "interp_mode", Value::kAny},
    {"DetectionOutput", "label_map_file", Value::kAny},
    {"DetectionOutput", "name_size_file", Value::kAny},
    {"DetectionOutput", "num_test_image", Value::kAny},
    {"DetectionOutput", "output_directory", Value::kAny},
    {"DetectionOutput", "output_format", Value::kAny},
    {"DetectionOutput", "output_name_prefix", Value::kAny},
    {"DetectionOutput", "pad_mode", Value::kAny},
    {"DetectionOutput", "pad_value", Value::kAny},
    {"DetectionOutput", "prob", Value::kAny},
    {"DetectionOutput", "resize_mode", Value::kAny},
    {"DetectionOutput", "save_file", Value::kAny},
    {"DetectionOutput", "visualize", Value::kAny},
    {"DetectionOutput", "visualize_threshold", Value::kAny},
    {"DetectionOutput", "width", Value::kAny},
    {"DetectionOutput", "width_scale", Value::kAny},
    {"PriorBox", "img_h", Value::kZero},
    {"PriorBox", "img_size", Value::kZero},
    {"PriorBox", "img_w", Value::kZero},
    {"PriorBox", "step_h", Value::kZero},
    {"PriorBox", "step_w", Value::kZero},
    {"PriorBoxClustered", "flip", Value::kAny},
    {"PriorBoxClustered", "img_h", Value::kZero},
    {"PriorBoxClustered", "img_w", Value::kZero},
    {"Proposal", "for_deformable", Value::kZero},
};

bool is_zero(std::string_view value) {
    return value == "false" || value == "False" ||
           (value.find('0') != std::string_view::npos &&
            value.find_first_not_of("0,. ") == std::string_view::npos);
}

bool is_one(std::string_view value) {
    return value == "1" || value == "1.0" || value == "true" || value == "True";
}

}  // namespace

bool is_harmless_attribute(std::string_view type, std::string_view name, std::string_view value) {
    return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
        return row.type == type && row.name == name &&
               (row.value == Value::kAny || (row.value == Value::kZero && is_zero(value)) ||
                (row.value == Value::kOne && is_one(value)));
    });
}

}  // namespace fuseq
