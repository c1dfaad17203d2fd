// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/transformed.hpp"

#include <utility>

#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/plan/fake_quantize_ranges.hpp"
#include "ops/state/separate_state.hpp"
#include "transformations/common/drop_identity_operations.hpp"
#include "transformations/common/fold_constants.hpp"
#include "transformations/common/fuse_qdq_groups.hpp"

namespace fuseq::cpu {

namespace {

PassOptions pass_options(const Config& config) {
    PassOptions options;
    options.low_precision = config.low_precision;
    options.disabled = config.disabled;
    if (config.keep_intermediates) {
        // It changes the order of channels of the first FakeQuantize.
        options.disabled.emplace_back("fold_channel_order_into_weights");
    }
    options.keep_float = config.keep_float;
    options.dump_dir = config.dump_dir;
    options.threads = config.threads_to_compile();
    options.device.takes_weight_zero_points = [own = config.own_gemm](const Node& anchor) {
        return own && gemm_takes_weight_zero_points(anchor);
    };
    return options;
}

void prepare(Model& model, const Config& config, PassContext& context) {
    const MethodChoice methods = config.method_choice();
    apply_method_choice(model, methods);
    if (methods.all == QuantizeMethod::kOnnxFused) {
        fuse_qdq_groups(model, context);
    }
    separate_state(model);
}

}  // namespace

Transformed transform_for_cpu(const Model& original,
                              const Config& config,
                              ConstantCache* constants) {
    return transform_in_place(original.clone(), config, constants);
}

Transformed transform_in_place(std::shared_ptr<Model> model,
                               const Config& config,
                               ConstantCache* constants) {
    Transformed result;
    result.model = std::move(model);
    PassOptions options = pass_options(config);
    options.constants = constants;
    PassContext context(options);
    prepare(*result.model, config, context);
    run_passes(*result.model, context, common_passes());
    result.ranges = fake_quantize_ranges(*result.model, options);
    if (config.low_precision) {
        run_passes(*result.model, context, low_precision_passes());
    }
    run_passes(*result.model, context, cpu_passes());
    result.remarks = context.remarks();
    return result;
}

void run_passes_of_shapes(Model& model, const Config& config, ConstantCache* constants) {
    static const std::vector<Pass> passes = {
        {"fold_constants", fold_constants},
        {"drop_identity_operations", drop_identity_operations},
    };
    PassOptions options = pass_options(config);
    options.constants = constants;
    PassContext context(std::move(options));
    run_passes(model, context, passes);
}

std::shared_ptr<Model> with_common_passes(const Model& original, const Config& config) {
    std::shared_ptr<Model> model = original.clone();
    PassContext context(pass_options(config));
    prepare(*model, config, context);
    run_passes(*model, context, common_passes());
    return model;
}

}  // namespace fuseq::cpu
