// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/compiled_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "model/execution_graph_json.hpp"
#include "model/property_choice.hpp"
#include "model/property_hint.hpp"
#include "ops/quantized/rules/rules_json.hpp"
#include "ops/state/separate_state.hpp"
#include "ops/state/variables_json.hpp"
#include "reference/execution_graph.hpp"
#include "reference/infer_request.hpp"
#include "transformations/common/convert_precision.hpp"
#include "transformations/common/fuse_qdq_groups.hpp"
#include "transformations/common/replace_convert_variants.hpp"

namespace fuseq::reference {
namespace {

std::shared_ptr<const Program> make_program(const Model& model, const MethodChoice& methods) {
    const std::shared_ptr<Model> copy = model.clone();
    apply_method_choice(*copy, methods);
    PassContext context;
    if (methods.all == QuantizeMethod::kOnnxFused) {
        fuse_qdq_groups(*copy, context);
    }
    separate_state(*copy);
    replace_convert_variants(*copy, context);
    convert_precision(*copy, context);
    copy->remove_dead_nodes();
    return std::make_shared<Program>(copy);
}

std::vector<InitialProgram> make_initial(const Model& model, const MethodChoice& methods) {
    std::vector<InitialProgram> programs;
    for (InitialValues& values : initial_values(model)) {
        programs.push_back({make_program(*values.model, methods), std::move(values.variables)});
    }
    return programs;
}

Error unknown_property(const std::string& name, const std::vector<std::string>& names) {
    return {"property",
            fmt::format("REFERENCE has no property '{}'{}", name, property_hint(name, names))};
}

}  // namespace

Options::Options()
    : values{{property::kPerfCount, false},
             {property::kKeepIntermediates, false},
             {property::kInferenceNumThreads, 1},
             {property::kNumStreams, 1},
             {property::kPerformanceHint, "LATENCY"},
             {"PERFORMANCE_HINT_NUM_REQUESTS", 0},
             {"EXECUTION_MODE_HINT", "ACCURACY"},
             {"INFERENCE_PRECISION_HINT", "f32"},
             {"ENABLE_CPU_PINNING", false},
             {"ENABLE_HYPER_THREADING", true},
             {"SCHEDULING_CORE_TYPE", "ANY_CORE"},
             {"COMPILATION_NUM_THREADS", 0},
             {property::kLogLevel, "LOG_NONE"},
             {property::kCacheDir, ""},
             {property::kFusion, false},
             {property::kLowPrecision, false},
             {kQuantizeMethod, ""},
             {kQuantizeMethodLayers, std::vector<std::string>()}} {}

void Options::set(const AnyMap& properties) {
    for (const auto& [name, value] : properties) {
        if (!values.contains(name)) {
            throw unknown_property(name, names());
        }
        if (name == property::kPerfCount || name == property::kKeepIntermediates ||
            name == "ENABLE_CPU_PINNING" || name == "ENABLE_HYPER_THREADING") {
            (void)value.as_bool();
        } else if (takes_number(name)) {
            (void)checked_number(name, value);
        } else if (!choices_of(name).empty()) {
            checked_choice(name, value);
        }
        values[name] = value;
    }
    (void)method_choice();
}

MethodChoice Options::method_choice() const {
    return parse_method_choice(values.at(kQuantizeMethod).as_string(),
                               values.at(kQuantizeMethodLayers).as_list());
}

const Any& Options::get(const std::string& name, const std::vector<std::string>& read_only) const {
    const auto found = values.find(name);
    if (found == values.end()) {
        std::vector<std::string> all = names();
        all.insert(all.end(), read_only.begin(), read_only.end());
        throw unknown_property(name, all);
    }
    return found->second;
}

std::vector<std::string> Options::names() const {
    std::vector<std::string> list;
    for (const auto& [name, value] : values) {
        list.push_back(name);
    }
    return list;
}

ReferenceCompiledModel::ReferenceCompiledModel(const std::shared_ptr<const Model>& model,
                                               Options options)
    : model_(model),
      options_(std::move(options)),
      program_(make_program(*model, options_.method_choice())),
      initial_(make_initial(*model, options_.method_choice())) {
    check_method_layers(*model, options_.method_choice());
}

std::shared_ptr<IInferRequest> ReferenceCompiledModel::create_infer_request() {
    return std::make_shared<ReferenceInferRequest>(model_, program_, initial_, options_);
}

Any ReferenceCompiledModel::get_property(const std::string& name) const {
    if (name == property::kReport) {
        return report();
    }
    if (name == kExecutionGraph) {
        return execution_graph_json(program_->model(), program_->executed_nodes());
    }
    if (name == property::kNetworkName) {
        return model_->name();
    }
    if (name == property::kOptimalNumberOfInferRequests) {
        return 1;
    }
    if (name == property::kLoadedFromCache) {
        return false;
    }
    const std::vector<std::string> read_only = {
        property::kReport,          kExecutionGraph,
        property::kNetworkName,     property::kOptimalNumberOfInferRequests,
        property::kLoadedFromCache, property::kSupportedProperties};
    if (name == property::kSupportedProperties) {
        std::vector<std::string> names = options_.names();
        names.insert(names.end(), read_only.begin(), read_only.end());
        return names;
    }
    return options_.get(name, read_only);
}

std::string ReferenceCompiledModel::report() const {
    nlohmann::json steps = nlohmann::json::array();
    for (const Node* node : program_->executed_nodes()) {
        nlohmann::json step{{"name", node->name()},
                            {"kind", node->type()},
                            {"implementation", "reference"},
                            {"layers", {node->name()}}};
        if (node->has_input(0)) {
            step["src_type"] = to_string(node->input(0).type());
        }
        if (node->output_count() > 0) {
            step["dst_type"] = to_string(node->port(0).type);
            step["dst_shape"] = to_string(node->port(0).shape);
        }
        steps.push_back(std::move(step));
    }
    const nlohmann::json report{
        {"device", "REFERENCE"},
        {"model", model_->name()},
        {"steps", steps},
        {"rounding_rules", rounding_rules_json<nlohmann::json>(layer_rules(program_->model()))},
        {"variables", variables_json<nlohmann::json>(variables_of(*model_))}};
    return json_text(report, 2);
}

}  // namespace fuseq::reference
