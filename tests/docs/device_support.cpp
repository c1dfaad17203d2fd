// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "docs/device_support.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "fuseq/core.hpp"
#include "op_cases/op_case.hpp"
#include "ops/convolution.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::docs {
namespace {

using op_cases::OpCase;

// Node of the operation in all these models.
constexpr const char* kName = "op";

// The step that runs the layer, or nothing.
nlohmann::json step_of_operation(Core& core, const std::shared_ptr<Model>& model) {
    const auto report = core.compile_model(model, "CPU").get_runtime_report();
    const nlohmann::json parsed = nlohmann::json::parse(report);
    for (const nlohmann::json& step : parsed.at("steps")) {
        const nlohmann::json& layers = step.at("layers");
        if (std::find(layers.begin(), layers.end(), kName) != layers.end()) {
            return step;
        }
    }
    return {};
}

void note(const nlohmann::json& step, DeviceSupport& support) {
    const std::string implementation = step.at("implementation");
    if (implementation == "reference") {
        support.reference = true;
    } else if (implementation.rfind("fuseq:", 0) == 0) {
        support.own = true;
    } else {
        support.onednn = true;
    }
}

bool all_constant(const OpCase& op_case) {
    return op_case.model.empty() &&
           std::all_of(op_case.inputs.begin(), op_case.inputs.end(),
                       [](const op_cases::Input& i) { return i.absent || i.constant; });
}

OpCase with_open_inputs(OpCase op_case) {
    for (op_cases::Input& input : op_case.inputs) {
        input.constant = false;
    }
    return op_case;
}

// The same with a 1x1 convolution before the first input; null where that makes no sense.
std::shared_ptr<Model> after_convolution(const OpCase& op_case) {
    const auto model = op_cases::make_model(op_case, 1);
    Node* input = model->find("in0");
    if (input == nullptr || !input->is("Parameter") || input->port().type != ElementType::f32 ||
        input->port().shape.rank() < 3 || input->port().shape.rank() > 5 ||
        shape_size(input->output().shape()) == 0) {
        return nullptr;
    }
    const Shape shape = input->output().shape();
    Shape weights(shape.size(), 1);
    weights[0] = weights[1] = shape[1];
    Tensor value(ElementType::f32, weights);
    std::fill_n(value.data<float>(), value.get_size(), 0.5F);
    ConvolutionAttrs attrs;
    attrs.strides.assign(shape.size() - 2, 1);
    attrs.dilations = attrs.strides;
    const std::vector<Use> uses = input->port().uses;
    Node* convolution =
        model->add("Convolution", 1, "convolution",
                   {input->output(), model->add_constant("weights", value)->output()}, attrs);
    for (const Use& use : uses) {
        use.node->set_input(use.index, convolution->output());
    }
    return model;
}

void examine(Core& core, const OpCase& op_case, DeviceSupport& support) {
    const auto model = op_cases::make_model(op_case, 1);
    const Node* operation = model->find(kName);
    if (operation == nullptr) {
        throw Error("docs", detail::cat("the case '", op_case.text, "' has no node %", kName));
    }
    support.takes_weights = takes_weights(*operation);
    if (const auto step = step_of_operation(core, model); !step.is_null()) {
        note(step, support);
    } else if (!all_constant(op_case)) {
        support.view = true;
    } else {
        support.folded = true;
        const auto open = op_cases::make_model(with_open_inputs(op_case), 1);
        const auto opened = step_of_operation(core, open);
        // A plan whose shapes depend on values has steps when it runs.
        if (opened.is_null()) {
            support.reference = true;
        } else {
            note(opened, support);
        }
    }
    if (support.post_op || op_case.inputs.empty()) {
        return;
    }
    if (const auto fused = after_convolution(op_case)) {
        const auto step = step_of_operation(core, fused);
        support.post_op = !step.is_null() && step.at("kind") == "convolution";
    }
}

}  // namespace

std::string DeviceSupport::text() const {
    std::string all;
    const auto add = [&](bool has, const char* what) {
        all += !has ? "" : (all.empty() ? "" : ", ") + std::string(what);
    };
    add(onednn, "oneDNN");
    add(own, "own kernel");
    add(view, "view");
    add(folded, "folded");
    add(reference, "reference kernel");
    add(post_op && !takes_weights, "post-op");
    return all;
}

DeviceSupports device_supports() {
    Core core;
    DeviceSupports all;
    for (const OpCase& op_case : op_cases::all_cases()) {
        const OpSpec* spec = find_op(op_case.type, op_case.opset);
        examine(core, op_case, all[{op_case.type, spec == nullptr ? 0 : spec->version}]);
    }
    return all;
}

std::string int8_behaviour(const OpSpec& spec, const DeviceSupport& support) {
    if (spec.type == "FakeQuantize") {
        return "becomes integers";
    }
    if (support.takes_weights) {
        return "anchor";
    }
    const std::string_view law = dequantize_law(spec.type);
    if (law.empty()) {
        return support.post_op ? "after an anchor" : "stops";
    }
    return std::string(law);
}

}  // namespace fuseq::docs
