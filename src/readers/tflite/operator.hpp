// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator: one operator of the file while it is translated, and the layers that it becomes.
//
// Tensors of the file are [batch, height, width, channels], operations of the Model take
// [batch, channels, height, width]. A value of rank 4 is kept in the order in which it was made,
// and a Transpose is added only where a reader wants the other one: between convolutions none is
// left.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "readers/common/layer_builder.hpp"
#include "readers/tflite/tensor_info.hpp"

namespace fuseq::tflite_reader {

using readers::ModelAttributes;

// What a tensor became.
struct Value {
    Output plain = {};  // in the order of the file
    Output image = {};  // rank 4, channels at dimension 1
};
using Values = std::vector<Value>;

inline Values plain(const Output& output) {
    return {{.plain = output}};
}
inline Values image(const Output& output) {
    return {{.image = output}};
}
// All outputs of the node, in the order of the file or as images.
Values outputs_of(fuseq::Node* node, bool images = false);

// Axis of the file's order in that of images.
std::int64_t image_axis(std::int64_t axis);
// One value an axis, in the order of images.
template <class T>
std::vector<T> image_order(const std::vector<T>& values) {
    return {values.at(0), values.at(3), values.at(1), values.at(2)};
}
inline constexpr std::int64_t kToImage[] = {0, 3, 1, 2};
inline constexpr std::int64_t kFromImage[] = {0, 2, 3, 1};

// What a translation may ask of the graph around its operator.
class GraphServices : public readers::LayerSink {
public:
    virtual std::size_t tensor_count() const = 0;
    virtual const TensorInfo& tensor(std::size_t index) const = 0;
    virtual Output plain(std::size_t index) = 0;
    virtual Output image(std::size_t index) = 0;
    // Made as an image, and nobody has asked for the other order yet.
    virtual bool is_image(std::size_t index) const = 0;
    // A variable has this value in the next inference.
    virtual void assign(std::size_t index, const Output& value) = 0;
    // Variables that have a name, and tensors that stand for one.
    virtual void name_handle(std::size_t tensor, const std::string& variable) = 0;
    virtual Output read_named(std::size_t handle, const TensorInfo& as, const Place& place) = 0;
    virtual void assign_named(std::size_t handle, const Output& value, const Place& place) = 0;
    // The subgraph makes what variables begin with.
    virtual void initialize_by(std::int64_t subgraph, const Place& place) = 0;
    // Layers of another subgraph, in this model. Gives its outputs.
    virtual std::vector<Output> insert_subgraph(std::int64_t subgraph,
                                                const std::vector<Output>& inputs,
                                                const Place& place) = 0;
    // The subgraph as a model of its own; `and_then` is inserted after it, and its outputs come
    // before those of the first.
    virtual std::shared_ptr<Model> read_body(std::int64_t subgraph,
                                             const std::vector<Output>& like,
                                             std::int64_t and_then,
                                             const Place& place) = 0;
    virtual void warn(const std::string& sentence) const = 0;
};

// Operands of an element-wise operation, in one order and rank.
struct Aligned {
    std::vector<Output> values;
    bool images = false;
    // The result of the operation in that order.
    Values result(const Output& output) const {
        return images ? tflite_reader::image(output) : tflite_reader::plain(output);
    }
};

// Throws Error for one that is not known.
Output fused_activation(readers::LayerBuilder& layers,
                        const Output& x,
                        ::tflite::ActivationFunctionType function);

class Operator : public readers::LayerBuilder {
public:
    Operator(const ::tflite::Operator& stated,
             std::string type,
             int version,
             std::string name,
             GraphServices& graph,
             Place place);

    const std::string& type() const { return type_; }
    int version() const { return version_; }
    GraphServices& graph() { return graph_; }

    // --- options ----------------------------------------------------------------------------
    // Those of the operator, or the defaults where it states none. Throws Error where the file has
    // options of another operator.
    template <class T>
    const T& options() const {
        const auto kind = stated_.builtin_options_type();
        if (kind == ::tflite::BuiltinOptions::NONE || stated_.builtin_options() == nullptr) {
            return *flatbuffers::GetRoot<T>(kNoFields);
        }
        require(kind == ::tflite::BuiltinOptionsTraits<T>::enum_value, "has options of the kind ",
                ::tflite::EnumNameBuiltinOptions(kind));
        return *static_cast<const T*>(stated_.builtin_options());
    }

    // The bytes that a custom operator has in place of them; may be empty.
    std::span<const std::uint8_t> custom_options() const;

    // --- inputs and outputs -----------------------------------------------------------------
    std::size_t input_count() const { return inputs_.size(); }
    bool has_input(std::size_t i) const { return i < input_count() && inputs_[i] >= 0; }
    // Throws Error where it is left out.
    const TensorInfo& tensor(std::size_t i) const;
    std::size_t output_count() const { return outputs_.size(); }
    const TensorInfo& output_tensor(std::size_t i = 0) const;
    std::size_t output_index(std::size_t i = 0) const { return output_tensor(i).index; }
    std::size_t input_index(std::size_t i) const { return tensor(i).index; }
    std::size_t intermediate_count() const;
    // Throws Error where the operator has fewer.
    const TensorInfo& intermediate(std::size_t i) const;

    // In the order of the file.
    Output input(std::size_t i);
    std::vector<Output> inputs();
    // As [batch, channels, height, width]; throws Error for another rank than 4.
    Output image(std::size_t i);
    bool is_image(std::size_t i) const { return has_input(i) && graph_.is_image(index(i)); }
    // Weights as real values: integers with a scale are dequantized, f16 is converted.
    Output real(std::size_t i);
    Output real(std::size_t i, const Output& value);
    // Inputs [0, count) for an element-wise operation: as images when one of them is.
    Aligned aligned(std::size_t count);
    // The value for an operation that takes either order; rank 4 as an image when it is one.
    Aligned either(std::size_t i);
    std::vector<std::int64_t> constant_ints(std::size_t i, const char* what);
    // Input i is a variable: its value in the next inference.
    void assign(std::size_t i, const Output& value);

    // --- common layers ----------------------------------------------------------------------
    Output activation(const Output& x, ::tflite::ActivationFunctionType function) {
        return fused_activation(*this, x, function);
    }
    Output to_plain(const Output& image) {
        return transpose(image, {std::begin(kFromImage), std::end(kFromImage)});
    }
    Output to_image(const Output& plain) {
        return transpose(plain, {std::begin(kToImage), std::end(kToImage)});
    }

private:
    std::size_t index(std::size_t i) const { return static_cast<std::size_t>(inputs_[i]); }

    // A table without fields.
    alignas(4) static constexpr std::uint8_t kNoFields[] = {8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0};

    const ::tflite::Operator& stated_;
    std::string type_;
    int version_;
    std::vector<std::int64_t> inputs_;
    std::vector<std::int64_t> outputs_;
    GraphServices& graph_;
};

}  // namespace fuseq::tflite_reader
