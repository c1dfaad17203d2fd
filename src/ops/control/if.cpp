// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "ops/control/body_runner.hpp"
#include "ops/control/subgraph.hpp"
#include "ops/op_list.hpp"
#include "ops/parameter.hpp"

namespace fuseq::if_ops {
namespace {

struct Branch {
    const char* input_name;
    const char* output_name;
    Model* body;
    const std::vector<std::int64_t>* inputs;
    const std::vector<std::int64_t>* outputs;
};

Branch then_branch(const IfAttrs& attrs) {
    return {"then_inputs", "then_outputs", attrs.then_body.get(), &attrs.then_inputs,
            &attrs.then_outputs};
}
Branch else_branch(const IfAttrs& attrs) {
    return {"else_inputs", "else_outputs", attrs.else_body.get(), &attrs.else_inputs,
            &attrs.else_outputs};
}

struct Result {
    ElementType type = ElementType::undefined;
    PartialShape shape;
};

// Of a body that the shapes of its inputs do not fit: why. Its inputs have open shapes then, so
// that the body is well formed whether it runs or not.
std::optional<Error> validate_body(Model& body) {
    try {
        body.validate();
        return std::nullopt;
    } catch (const Error& error) {
        for (Node* parameter : body.parameters()) {
            parameter->attrs<ParameterAttrs>().shape = PartialShape::dynamic();
        }
        try {
            body.validate();
        } catch (const Error&) {
            throw Error(error);
        }
        return error;
    }
}

struct BranchOutputs {
    std::vector<Result> results;
    std::optional<Error> misfit;
};

// Type and shape of every output of the operation, if this branch runs.
BranchOutputs infer_branch(const InferContext& context, const Branch& branch) {
    context.require(branch.body != nullptr, "has no body for ", branch.input_name);
    Model& body = *branch.body;
    std::vector<std::int64_t> sourced;
    for (const PortMapRow& row : checked_rows(context, branch.input_name, *branch.inputs,
                                              {context.input_count(), body.parameters().size()})) {
        const auto from = static_cast<std::size_t>(row.external);
        set_body_input(context, body, static_cast<std::size_t>(row.internal), context.type(from),
                       context.shape(from));
        sourced.push_back(row.internal);
    }
    require_all_inputs(context, branch.input_name, body, std::move(sourced));
    BranchOutputs inferred{{}, validate_body(body)};
    const auto rows = checked_rows(context, branch.output_name, *branch.outputs,
                                   {body.results().size(), body.results().size()});
    std::vector<Result>& results = inferred.results;
    results.resize(mapped_outputs(rows));
    for (const PortMapRow& row : rows) {
        const OutputPort& port = body.results()[static_cast<std::size_t>(row.internal)]->port();
        results[static_cast<std::size_t>(row.external)] = {port.type, port.shape};
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        context.require(results[i].type != ElementType::undefined, branch.output_name,
                        " has no row for output ", i);
    }
    return inferred;
}

void set_outputs(InferContext& context, const std::vector<Result>& results) {
    context.set_output_count(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        context.set_output(i, results[i].type, results[i].shape);
    }
}

// Of both branches. One that does not fit the inputs cannot run to its end, so that the shapes of
// the other hold: a model with a body for each kind of input is valid for each of them.
std::vector<Result> merged(InferContext& context,
                           const BranchOutputs& then_outputs,
                           const BranchOutputs& else_outputs) {
    if (then_outputs.misfit && else_outputs.misfit) {
        throw Error(*then_outputs.misfit);
    }
    std::vector<Result> results = then_outputs.results;
    const std::vector<Result>& others = else_outputs.results;
    context.require(results.size() == others.size(), "then_body has ", results.size(),
                    " outputs, else_body ", others.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        context.require(results[i].type == others[i].type, "output ", i, " is ",
                        to_string(results[i].type), " in then_body, ", to_string(others[i].type),
                        " in else_body");
        if (then_outputs.misfit) {
            results[i].shape = others[i].shape;
        } else if (!else_outputs.misfit) {
            results[i].shape = hull(results[i].shape, others[i].shape);
        }
    }
    return results;
}

// A body that never runs has types and shapes too, as far as the inputs fit it, so that the model
// can be written and read again.
void infer_unused(const InferContext& context, const Branch& branch) {
    try {
        infer_branch(context, branch);
    } catch (const Error&) {  // it need not be valid
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<IfAttrs>();
    context.require_type(0, ElementType::boolean, "the condition");
    const PartialShape& shape = context.shape(0);
    context.require(shape.compatible({}) || shape.compatible({1}), "the condition has shape ",
                    to_string(shape), ", expected one element");
    if (const auto condition = context.ints(0); condition && condition->size() == 1) {
        // Only the body that runs must fit the inputs.
        const bool taken = condition->front() != 0;
        infer_unused(context, taken ? else_branch(attrs) : then_branch(attrs));
        const BranchOutputs outputs =
            infer_branch(context, taken ? then_branch(attrs) : else_branch(attrs));
        if (outputs.misfit) {
            throw Error(*outputs.misfit);
        }
        set_outputs(context, outputs.results);
        return;
    }
    const BranchOutputs then_outputs = infer_branch(context, then_branch(attrs));
    const BranchOutputs else_outputs = infer_branch(context, else_branch(attrs));
    set_outputs(context, merged(context, then_outputs, else_outputs));
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<IfAttrs>();
    const Tensor& condition = context.input(0);
    context.require(condition.get_size() == 1, "the condition has ", condition.get_size(),
                    " elements, expected 1");
    const Branch branch = is_true(condition) ? then_branch(attrs) : else_branch(attrs);
    std::vector<Tensor> inputs(branch.body->parameters().size());
    for (const PortMapRow& row : PortMap::rows(*branch.inputs)) {
        inputs.at(static_cast<std::size_t>(row.internal)) =
            context.input(static_cast<std::size_t>(row.external));
    }
    const std::vector<Tensor> results = body_function(context, *branch.body)(inputs);
    for (const PortMapRow& row : PortMap::rows(*branch.outputs)) {
        const Tensor& result = results.at(static_cast<std::size_t>(row.internal));
        result.copy_to(context.output(static_cast<std::size_t>(row.external), result.get_shape()));
    }
}

const OpSpec kOps[] = {
    {.type = "If",
     .version = 8,
     .inputs = {1, Arity::kMany},
     .make_attributes = make_attributes<IfAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "One of two bodies, by a condition"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::if_ops
