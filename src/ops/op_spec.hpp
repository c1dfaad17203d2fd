// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// OpSpec: what the project knows of one version of one operation. One file an operation defines
// its attributes, validation and shape inference, and reference kernel; registry.cpp lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/attributes.hpp"
#include "fuseq/error.hpp"
#include "fuseq/node.hpp"

namespace fuseq {

// Number of inputs, closed interval.
struct Arity {
    std::size_t min = 0;
    std::size_t max = 0;
    static constexpr std::size_t kMany = SIZE_MAX;
};

// What inference sees of a node, and where it writes its results.
class InferContext {
public:
    explicit InferContext(Node& node) : node_(node) {}

    const Node& node() const { return node_; }
    template <class A>
    const A& attrs() const {
        return node_.attrs<A>();
    }
    std::size_t input_count() const { return node_.input_count(); }
    bool has_input(std::size_t i) const { return node_.has_input(i); }
    ElementType type(std::size_t i) const;
    const PartialShape& shape(std::size_t i) const;

    // Value of an input where it follows from constants.
    std::optional<Tensor> value(std::size_t i) const;
    // The same as integers; nothing when not known.
    std::optional<std::vector<std::int64_t>> ints(std::size_t i) const;
    // The same where single elements may be unknown (they come from open shapes). Nothing when not
    // even the number of elements is known.
    std::optional<std::vector<Dimension>> dims(std::size_t i) const;

    void set_output(std::size_t i, ElementType type, const PartialShape& shape);
    void set_output_count(std::size_t count) { node_.set_output_count(count); }
    // For operations on shapes (ShapeOf, Gather, Concat, ...): what is known of the elements of
    // the output. Ignored by the framework where the full value is known.
    void set_output_dims(std::size_t i, std::vector<Dimension> dims);

    // Throws Error naming the layer: stage "validate", rule = the arguments concatenated.
    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        fail_with(detail::cat(args...));
    }
    template <class... Args>
    void require(bool condition, const Args&... args) const {
        if (!condition) {
            fail_with(detail::cat(args...));
        }
    }
    // Input i has type `expected`.
    void require_type(std::size_t i, ElementType expected, std::string_view what) const;
    // Inputs i and j have the same type.
    void require_same_type(std::size_t i, std::size_t j) const;
    // axis in [-rank, rank) as a number in [0, rank).
    std::size_t normalize_axis(std::int64_t axis, std::size_t rank, std::string_view what) const;

private:
    [[noreturn]] void fail_with(std::string rule) const;
    Node& node_;
};

// What a reference kernel sees. All tensors are dense, row-major, in the dimension order of the IR.
class EvalContext {
public:
    // `allocate` gives the memory of output i for a shape that the kernel has computed.
    EvalContext(const Node& node, std::span<const Tensor> inputs) : node_(node), inputs_(inputs) {}
    virtual ~EvalContext() = default;

    const Node& node() const { return node_; }
    template <class A>
    const A& attrs() const {
        return node_.attrs<A>();
    }
    std::size_t input_count() const { return inputs_.size(); }
    bool has_input(std::size_t i) const { return i < inputs_.size() && bool(inputs_[i]); }
    const Tensor& input(std::size_t i) const { return inputs_[i]; }
    ElementType output_type(std::size_t i = 0) const { return node_.port(i).type; }
    std::size_t output_count() const { return node_.output_count(); }
    // Memory for output i, of the node's output type. Call once an output. Not initialised.
    virtual Tensor& output(std::size_t i, const Shape& shape) = 0;

    // Throws Error naming the layer: stage "infer".
    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        fail_with(detail::cat(args...));
    }
    template <class... Args>
    void require(bool condition, const Args&... args) const {
        if (!condition) {
            fail_with(detail::cat(args...));
        }
    }

private:
    [[noreturn]] void fail_with(std::string rule) const;
    const Node& node_;
    std::span<const Tensor> inputs_;
};

// Allocates fresh tensors.
class OwningEvalContext final : public EvalContext {
public:
    OwningEvalContext(const Node& node, std::span<const Tensor> inputs)
        : EvalContext(node, inputs), outputs_(node.output_count()) {}
    Tensor& output(std::size_t i, const Shape& shape) override;
    std::vector<Tensor>& outputs() { return outputs_; }

private:
    std::vector<Tensor> outputs_;
};

struct OpSpec {
    std::string_view type;  // as the IR spells it
    int version;            // opset that introduced this version
    Arity inputs;           // as an IR may have it
    std::unique_ptr<Attributes> (*make_attributes)();
    void (*infer)(InferContext&);
    void (*evaluate)(EvalContext&);  // null for Parameter
    std::string_view summary;        // one line for docs/operations.md
    std::string_view refused = "";   // attributes or values that are refused, for the same page
    bool internal = false;           // made by transformations, never read from an IR
    std::size_t binary_sources = 0;  // optional inputs beyond those, made by transformations only
    bool own_set = false;            // of the set "fuseq", which only Fuseq knows
};

template <class A>
std::unique_ptr<Attributes> make_attributes() {
    return std::make_unique<A>();
}

// All operations, sorted by type and version.
std::span<const OpSpec* const> all_ops();
// The newest version not newer than `opset`; null when there is none.
const OpSpec* find_op(std::string_view type, int opset);
bool op_exists(std::string_view type);

// Runs the reference kernel of a node on dense tensors and returns its outputs.
std::vector<Tensor> evaluate_node(const Node& node, std::span<const Tensor> inputs);

}  // namespace fuseq
