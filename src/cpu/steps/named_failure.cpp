// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/named_failure.hpp"

#include <fmt/core.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>

#include "fuseq/error.hpp"

namespace fuseq::cpu {

void throw_named(const std::string& stage, const std::string& layer, const std::string& operation) {
    const auto named = [&](std::string rule) {
        return Error({.stage = stage,
                      .file = {},
                      .layer_id = {},
                      .layer = layer,
                      .op = operation,
                      .rule = std::move(rule)});
    };
    try {
        throw;
    } catch (const dnnl::error& error) {
        throw named(
            fmt::format("oneDNN {}, status {}", error.message, dnnl_status2str(error.status)));
    } catch (const std::bad_alloc&) {
        throw named("out of memory");
    } catch (const Error& error) {
        if (error.info().layer.empty() && error.info().file.empty()) {
            throw named(error.info().rule);
        }
        throw;
    }
}

}  // namespace fuseq::cpu
