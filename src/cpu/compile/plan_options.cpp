// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plan_options.hpp"

#include "cpu/compile/compile_body.hpp"

namespace fuseq::cpu {

BuildOptions build_options(const Config& config) {
    BuildOptions options;
    options.fuse = config.fusion;
    options.own_gemm = config.own_gemm;
    options.tile_groups = config.tile_groups && !config.disables("tile_groups");
    options.disabled_passes = config.disabled;
    options.dump_dir = config.dump_dir;
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

}  // namespace fuseq::cpu
