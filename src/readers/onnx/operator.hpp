// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operator: one node of the file while it is translated, and the layers that it becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"
#include "readers/onnx/file_error.hpp"
#include "readers/onnx/model_attributes.hpp"
#include "readers/onnx/node_attributes.hpp"

namespace onnx {
class GraphProto;
}

namespace fuseq::onnx_reader {

// A QuantizeLinear that was translated: DequantizeLinear looks for what it undoes.
struct QuantizedValue {
    Output source;  // what was quantized
    Output scale;
    Output zero_point;  // null where there is none
    std::int64_t axis = 1;
};

// A body of If or Loop.
struct Body {
    std::shared_ptr<Model> model;
    std::size_t own_inputs = 0;    // Parameters of the graph itself; those of `outer` follow
    std::vector<Output> captured;  // values around the graph, one a Parameter after those
};

// What a translation may ask of the graph around its node.
class GraphServices {
public:
    virtual ~GraphServices() = default;
    virtual Model& model() = 0;
    // A layer name that nobody has yet: this one, or with a number.
    virtual std::string unique_name(const std::string& base) = 0;
    virtual const QuantizedValue* quantized(Output value) const = 0;
    virtual void note_quantized(Output value, QuantizedValue source) = 0;
    // `own_inputs`: types of the body's inputs, for those that the file does not declare.
    virtual Body read_body(const ::onnx::GraphProto& graph,
                           const std::vector<ElementType>& own_inputs,
                           const Place& place) = 0;
    virtual void warn(const std::string& sentence) const = 0;
};

class Operator {
public:
    struct Node {
        std::string type;                       // "Conv"
        int version = 0;                        // operator set of its domain that the file imports
        std::string name;                       // of the layer
        std::vector<Output> inputs;             // null where left out
        std::vector<std::string> output_names;  // empty where left out
    };
    Operator(Node node, NodeAttributes stated, GraphServices& graph, Place place)
        : attributes(std::move(stated)),
          node_(std::move(node)),
          graph_(graph),
          place_(std::move(place)) {}

    const NodeAttributes attributes;

    const std::string& type() const { return node_.type; }
    int version() const { return node_.version; }
    GraphServices& graph() { return graph_; }
    const Place& place() const { return place_; }

    // --- inputs and outputs -----------------------------------------------------------------
    std::size_t input_count() const { return node_.inputs.size(); }
    bool has_input(std::size_t i) const { return i < input_count() && bool(node_.inputs[i]); }
    // Throws Error where it is left out.
    Output input(std::size_t i) const;
    const std::vector<Output>& inputs() const { return node_.inputs; }
    std::size_t output_count() const { return node_.output_names.size(); }
    bool has_output(std::size_t i) const {
        return i < output_count() && !node_.output_names[i].empty();
    }
    const std::string& output_name(std::size_t i) const { return node_.output_names.at(i); }

    // --- what is known ----------------------------------------------------------------------
    // Throws Error where the rank is not known.
    std::size_t rank(const Output& value, const char* what = "the input") const;
    // [-rank, rank) as [0, rank); throws Error outside.
    std::size_t axis(std::int64_t axis, std::size_t rank) const;
    // Values that follow from constants.
    std::optional<Tensor> value(const Output& output) const;
    std::optional<std::vector<std::int64_t>> known_ints(const Output& output) const;
    std::vector<std::int64_t> ints(const Output& output, const char* what) const;
    double real(const Output& output, const char* what) const;

    // --- layers -----------------------------------------------------------------------------
    // An operation of the newest opset that Fuseq knows, or of `opset`.
    static constexpr int kNewest = 16;
    fuseq::Node* node(std::string_view type,
                      std::vector<Output> inputs,
                      const ModelAttributes& values = {},
                      int opset = kNewest);
    // For operations with bodies.
    fuseq::Node* node(std::string_view type,
                      std::vector<Output> inputs,
                      std::unique_ptr<Attributes> values);
    Output add(std::string_view type,
               std::vector<Output> inputs,
               const ModelAttributes& values = {}) {
        return node(type, std::move(inputs), values)->output();
    }
    Output constant(Tensor value);
    Output int_list(const std::vector<std::int64_t>& values);
    Output int_scalar(std::int64_t value);
    // One value of the type of `like`.
    Output scalar(double value, const Output& like) { return scalar(value, like.type()); }
    Output scalar(double value, ElementType type);
    // Nothing is added where the type is that already. Constants are converted, and reshaped, at
    // once.
    Output convert(const Output& value, ElementType type);
    Output reshape(const Output& value, const std::vector<std::int64_t>& sizes);
    Output unsqueeze(const Output& value, const std::vector<std::int64_t>& axes);
    Output squeeze(const Output& value, const std::vector<std::int64_t>& axes);
    Output transpose(const Output& value, const std::vector<std::int64_t>& order);
    Output shape_of(const Output& value) { return add("ShapeOf", {value}); }
    // [0, rank) as a list, constant where the rank is known.
    Output all_axes(const Output& value);
    // Layers made so far.
    const std::vector<fuseq::Node*>& made() const { return made_; }

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        place_.fail(args...);
    }
    template <class... Args>
    void require(bool condition, const Args&... args) const {
        place_.require(condition, args...);
    }

private:
    fuseq::Node* remember(fuseq::Node* made);

    Node node_;
    GraphServices& graph_;
    Place place_;
    std::vector<fuseq::Node*> made_;
};

}  // namespace fuseq::onnx_reader
