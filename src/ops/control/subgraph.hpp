// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What TensorIterator, Loop and If share: bodies and port maps. A port map is an attribute, a flat
// list of integers, so that comparison, text and hash see it; PortMap reads it row by row.
//
// The IR names ports and layers by id (external_port_id, internal_layer_id, from_layer, to_layer).
// Here they are positions: of an input or output of the operation, of a Parameter in
// Model::parameters() or of a Result in Model::results() of the body.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fuseq/attributes.hpp"
#include "fuseq/model.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// One <input> or <output> of a <port_map>. With an axis, an input is cut into parts of `part_size`
// along it, one an iteration, and the parts of an output are joined along it. `start` and `end`
// are positions on that axis, negative ones count from its end (-1 is the end itself); a negative
// stride walks from start down to end.
struct PortMapRow {
    std::int64_t external = 0;
    std::int64_t internal = 0;
    bool sliced = false;
    std::int64_t axis = 0;
    std::int64_t start = 0;
    std::int64_t end = -1;
    std::int64_t stride = 1;
    std::int64_t part_size = 1;
};

// Flat form: 8 numbers a row, in the order of the members above.
class PortMap {
public:
    static constexpr std::size_t kRowSize = 8;
    static std::vector<PortMapRow> rows(const std::vector<std::int64_t>& flat);
    static void append(std::vector<std::int64_t>& flat, const PortMapRow& row);
    static bool well_formed(const std::vector<std::int64_t>& flat) {
        return flat.size() % kRowSize == 0;
    }
};

// TensorIterator and Loop.
struct IterationAttrs final : Attributes {
    std::shared_ptr<Model> body;
    std::vector<std::int64_t> input_map;   // external: input of the operation; internal: Parameter
    std::vector<std::int64_t> output_map;  // external: output of the operation; internal: Result
    // Pairs (Result, Parameter): the value of the Result is that of the Parameter in the next
    // iteration. The Parameter's first value comes by input_map.
    std::vector<std::int64_t> back_edges;
    // Loop only. Parameter that gets the number of the iteration (i32 or i64, one element), and
    // Result that says whether to go on (boolean, one element); -1: none.
    std::int64_t current_iteration = -1;
    std::int64_t execution_condition = -1;

    void visit(AttributeVisitor& v) override {
        v.required("body", body);
        v.required("input_map", input_map);
        v.required("output_map", output_map);
        v.optional("back_edges", back_edges);
        v.optional("current_iteration", current_iteration);
        v.optional("execution_condition", execution_condition);
    }
    // Bodies are copied, not shared: inference writes shapes into them.
    std::unique_ptr<Attributes> clone() const override;
};

// If. Rows of its maps have no axis. then_/else_outputs name the same outputs.
struct IfAttrs final : Attributes {
    std::shared_ptr<Model> then_body;
    std::shared_ptr<Model> else_body;
    std::vector<std::int64_t> then_inputs;
    std::vector<std::int64_t> then_outputs;
    std::vector<std::int64_t> else_inputs;
    std::vector<std::int64_t> else_outputs;

    void visit(AttributeVisitor& v) override {
        v.required("then_body", then_body);
        v.required("else_body", else_body);
        v.required("then_inputs", then_inputs);
        v.required("then_outputs", then_outputs);
        v.required("else_inputs", else_inputs);
        v.required("else_outputs", else_outputs);
    }
    std::unique_ptr<Attributes> clone() const override;
};

// A map of `context`'s operation, checked: external positions below `externals`, internal ones
// below `internals`. `what` names the attribute in messages.
struct PortLimits {
    std::size_t externals;
    std::size_t internals;
};
std::vector<PortMapRow> checked_rows(const InferContext& context,
                                     const char* what,
                                     const std::vector<std::int64_t>& flat,
                                     PortLimits limits);

// Number of outputs of the operation: one more than the largest external position.
std::size_t mapped_outputs(const std::vector<PortMapRow>& rows);

// Gives a Parameter of a body a shape; true when that changed it. Types must agree.
bool set_body_input(const InferContext& context,
                    Model& body,
                    std::size_t parameter,
                    ElementType type,
                    const PartialShape& shape);

// Every Parameter of the body has exactly one source; `sourced` are their positions.
void require_all_inputs(const InferContext& context,
                        const char* what,
                        const Model& body,
                        std::vector<std::int64_t> sourced);

// Smallest common generalisation of two shapes: what differs becomes an interval over both.
PartialShape hull(const PartialShape& a, const PartialShape& b);

// Of a tensor with one boolean. A user's may hold any byte: read as bool it would be undefined.
inline bool is_true(const Tensor& condition) {
    return *static_cast<const unsigned char*>(condition.data()) != 0;
}

}  // namespace fuseq
