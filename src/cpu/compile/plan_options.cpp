// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plan_options.hpp"

#include "cpu/compile/compile_body.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/plan/cover_deconvolutions.hpp"
#include "cpu/plan/expand_constants.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/steps/gemm.hpp"

namespace fuseq::cpu {

BuildOptions build_options(const Config& config) {
    BuildOptions options;
    options.fuse = config.fusion;
    options.own_gemm = config.own_gemm;
    options.tile_groups = config.tile_groups;
    options.drop_middle_rounds = config.drop_middle_rounds;
    options.dump_intermediates = config.keep_intermediates;
    options.threads = config.threads_to_compile();
    options.compile_body = [&config](const Model& body) { return compile_body(body, config); };
    return options;
}

Config config_of_part(const Config& whole) {
    Config config = whole;
    config.perf_count = false;
    config.keep_intermediates = false;
    config.dump_dir.clear();
    config.cache_dir.clear();  // the file of the whole model is enough
    config.float_fallback = false;
    return config;
}

void prepare_to_plan(Model& transformed, const Config& config) {
    expand_constants(transformed);
    split_weight_zero_points(transformed, [&](const Node& anchor) {
        return config.own_gemm && gemm_takes_weight_zero_points(anchor);
    });
    cover_deconvolutions(transformed);
}

}  // namespace fuseq::cpu
