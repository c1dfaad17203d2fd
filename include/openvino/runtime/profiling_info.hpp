// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "fuseq/plugin.hpp"

namespace ov {

struct ProfilingInfo {
    enum class Status { NOT_RUN, OPTIMIZED_OUT, EXECUTED };
    Status status = Status::EXECUTED;
    std::chrono::microseconds real_time{0};
    std::chrono::microseconds cpu_time{0};
    std::string node_name;
    std::string exec_type;
    std::string node_type;

    ProfilingInfo() = default;
    explicit ProfilingInfo(const fuseq::ProfilingInfo& info)
        : real_time(info.real_time_us),
          cpu_time(info.real_time_us),
          node_name(info.node_name),
          exec_type(info.exec_type),
          node_type(info.node_type) {}
};

}  // namespace ov
