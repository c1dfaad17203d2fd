// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator: one operator of the net while it is translated, and the layers that it becomes.
//
// Int8 operators work on [batch, height, width, channels], operations of the Model on images, [batch,
// channels, height, width]. A value is kept in the order in which it was made, and a Transpose is
// added only where a reader wants the other one.
//
// Quantized tensors are u8 in the file and i8 in the Model: 128 less, zero points too.
#pragma once

#include <net_def.pb.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "readers/common/layer_builder.hpp"

namespace fuseq::caffe2_reader {

using caffe2_proto::Argument;
using caffe2_proto::OperatorDef;
using readers::ModelAttributes;
using readers::Place;

inline constexpr const char* kMethod = "CAFFE2";
// Of the file's u8 over the Model's i8.
inline constexpr std::int64_t kOffset = 128;

// real = scale * (integer - zero_point), the integer as in the Model.
struct Grid {
    float scale = 1;
    std::int64_t zero_point = 0;
    bool operator==(const Grid&) const = default;
};

// What a tensor became.
struct Value {
    Output plain = {};              // in the order of the file
    Output image = {};              // rank 4, channels at dimension 1
    std::optional<Grid> grid = {};  // of a quantized tensor
    bool made() const { return plain || image; }
    Output any() const { return plain ? plain : image; }
};
using Values = std::vector<Value>;

inline constexpr std::int64_t kToImage[] = {0, 3, 1, 2};
inline constexpr std::int64_t kFromImage[] = {0, 2, 3, 1};

class Operator : public readers::LayerBuilder {
public:
    // `inputs` may get their other order while the operator is translated.
    Operator(const OperatorDef& stated,
             std::string name,
             std::vector<Value*> inputs,
             readers::LayerSink& sink,
             Place place);

    const std::string& type() const { return stated_.type(); }

    // --- arguments --------------------------------------------------------------------------
    bool has(const char* name) const { return find(name) != nullptr; }
    // Those of the operator or the value given; throws Error for an argument of another kind.
    std::int64_t integer(const char* name, std::int64_t otherwise) const;
    float real(const char* name, float otherwise) const;
    std::string text(const char* name, const std::string& otherwise) const;
    std::vector<std::int64_t> integers(const char* name) const;
    std::vector<float> reals(const char* name) const;
    // Y_scale and Y_zero_point; throws Error for what is no grid of u8.
    Grid output_grid() const;
    // Images in the order of the file are [batch, height, width, channels].
    bool is_nhwc() const;

    // --- inputs -----------------------------------------------------------------------------
    std::size_t input_count() const { return inputs_.size(); }
    const std::string& input_name(std::size_t i) const;
    std::size_t output_count() const { return static_cast<std::size_t>(stated_.output_size()); }
    const Value& value(std::size_t i) const;
    // A tensor of real numbers or plain integers in the order of the file.
    Output input(std::size_t i);
    // The same of either kind.
    Output stored(std::size_t i);
    // As [batch, channels, height, width]: of NHWC tensors transposed, of NCHW as they are.
    Output image(std::size_t i, bool nhwc);
    // Throws Error where the tensor is not quantized.
    const Grid& grid(std::size_t i) const;
    // Throws Error where Y_scale and Y_zero_point are not those of input i.
    void require_grid_of(std::size_t i) const;

    // --- results ----------------------------------------------------------------------------
    Values image_result(const Output& image, bool nhwc, std::optional<Grid> grid = {}) const;
    // The operation on input 0 in the order that it has.
    Values in_any_order(const std::function<Output(const Output&)>& operation,
                        std::optional<Grid> grid = {});
    // input_scales, ..., output_type of quantized operations on the inputs given.
    ModelAttributes grids(const std::vector<std::size_t>& inputs,
                          const Grid& result,
                          bool relu = false) const;

private:
    const Argument* find(const char* name) const;

    const OperatorDef& stated_;
    std::vector<Value*> inputs_;
};

inline Values plain(const Output& output, std::optional<Grid> grid = {}) {
    return {{.plain = output, .grid = grid}};
}

}  // namespace fuseq::caffe2_reader
