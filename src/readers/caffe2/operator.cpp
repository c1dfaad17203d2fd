// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/caffe2/operator.hpp"

#include <cmath>

namespace fuseq::caffe2_reader {

Operator::Operator(const OperatorDef& stated,
                   std::string name,
                   std::vector<Value*> inputs,
                   readers::LayerSink& sink,
                   Place place)
    : LayerBuilder(sink, std::move(name), std::move(place)),
      stated_(stated),
      inputs_(std::move(inputs)) {}

const Argument* Operator::find(const char* name) const {
    for (const Argument& one : stated_.arg()) {
        if (one.name() == name) {
            return &one;
        }
    }
    return nullptr;
}

std::int64_t Operator::integer(const char* name, std::int64_t otherwise) const {
    const Argument* found = find(name);
    require(found == nullptr || found->has_i(), "argument ", name, " is no integer");
    return found == nullptr ? otherwise : found->i();
}

float Operator::real(const char* name, float otherwise) const {
    const Argument* found = find(name);
    require(found == nullptr || found->has_f(), "argument ", name, " is no real number");
    require(found == nullptr || std::isfinite(found->f()), "argument ", name, " is not finite");
    return found == nullptr ? otherwise : found->f();
}

std::string Operator::text(const char* name, const std::string& otherwise) const {
    const Argument* found = find(name);
    require(found == nullptr || found->has_s(), "argument ", name, " is no text");
    return found == nullptr ? otherwise : found->s();
}

std::vector<std::int64_t> Operator::integers(const char* name) const {
    const Argument* found = find(name);
    return found == nullptr ? std::vector<std::int64_t>{}
                            : std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::vector<float> Operator::reals(const char* name) const {
    const Argument* found = find(name);
    return found == nullptr ? std::vector<float>{}
                            : std::vector<float>(found->floats().begin(), found->floats().end());
}

Grid Operator::output_grid() const {
    constexpr std::int64_t kHighest = 255;
    const Argument* stated = find("Y_scale");
    require(stated == nullptr || stated->has_f(), "argument Y_scale is no real number");
    const float scale = stated == nullptr ? 1.0F : stated->f();
    require(std::isfinite(scale) && scale > 0, "Y_scale is ", scale,
            ", expected a finite value above 0");
    const std::int64_t zero = integer("Y_zero_point", 0);
    require(zero >= 0 && zero <= kHighest, "Y_zero_point is ", zero, ", which is outside of u8");
    return {scale, zero - kOffset};
}

bool Operator::is_nhwc() const {
    const std::string order = text("order", "NCHW");
    require(order == "NHWC" || order == "NCHW", "order is '", order, "', expected NCHW or NHWC");
    return order == "NHWC";
}

const std::string& Operator::input_name(std::size_t i) const {
    require(i < input_count(), "input ", i, " is missing");
    return stated_.input(static_cast<int>(i));
}

const Value& Operator::value(std::size_t i) const {
    require(i < input_count(), "input ", i, " is missing");
    return *inputs_[i];
}

Output Operator::stored(std::size_t i) {
    require(i < input_count(), "input ", i, " is missing");
    Value& value = *inputs_[i];
    if (!value.plain) {
        value.plain = transpose(value.image, {std::begin(kFromImage), std::end(kFromImage)});
    }
    return value.plain;
}

Output Operator::input(std::size_t i) {
    require(!value(i).grid, "input ", i, ", '", input_name(i),
            "', is quantized, the operator takes real numbers");
    return stored(i);
}

Output Operator::image(std::size_t i, bool nhwc) {
    require(i < input_count(), "input ", i, " is missing");
    Value& value = *inputs_[i];
    if (nhwc && value.image) {
        return value.image;
    }
    const Output source = stored(i);
    require(rank(source, "an image") == 4, "input ", i, ", '", input_name(i), "', has rank ",
            source.partial_shape().rank(), ", expected 4");
    if (nhwc) {
        value.image = transpose(source, {std::begin(kToImage), std::end(kToImage)});
    }
    return nhwc ? value.image : source;
}

const Grid& Operator::grid(std::size_t i) const {
    require(value(i).grid.has_value(), "input ", i, ", '", input_name(i),
            "', is not quantized: it has no scale and zero point");
    return *value(i).grid;
}

void Operator::require_grid_of(std::size_t i) const {
    const Grid& source = grid(i);
    const Grid result = output_grid();
    require(source == result, "Y_scale and Y_zero_point are ", result.scale, " and ",
            result.zero_point + kOffset, ", those of '", input_name(i), "' are ", source.scale,
            " and ", source.zero_point + kOffset, "; the operator needs one grid");
}

Values Operator::image_result(const Output& image, bool nhwc, std::optional<Grid> grid) const {
    return {nhwc ? Value{.image = image, .grid = grid} : Value{.plain = image, .grid = grid}};
}

Values Operator::in_any_order(const std::function<Output(const Output&)>& operation,
                              std::optional<Grid> grid) {
    const Value& source = value(0);
    if (source.plain) {
        return plain(operation(source.plain), grid);
    }
    return {{.image = operation(source.image), .grid = grid}};
}

ModelAttributes Operator::grids(const std::vector<std::size_t>& inputs,
                                const Grid& result,
                                bool relu) const {
    std::vector<float> scales;
    std::vector<std::int64_t> zeros;
    for (const std::size_t i : inputs) {
        scales.push_back(grid(i).scale);
        zeros.push_back(grid(i).zero_point);
    }
    ModelAttributes attributes{{"method", kMethod},
                               {"input_scales", scales},
                               {"input_zero_points", zeros},
                               {"output_scale", result.scale},
                               {"output_zero_point", result.zero_point},
                               {"output_type", ElementType::i8}};
    if (relu) {
        attributes.push_back({"clamp_min", result.zero_point});
    }
    return attributes;
}

}  // namespace fuseq::caffe2_reader
