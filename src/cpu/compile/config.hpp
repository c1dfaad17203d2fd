// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the CPU device and of its compiled models.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/machine/isa.hpp"
#include "cpu/machine/placement.hpp"
#include "fuseq/any.hpp"
#include "fuseq/model.hpp"
#include "ops/quantized/rules/method_choice.hpp"

namespace fuseq::cpu {

// OpenVINO's names (docs/threads.md).
inline constexpr const char* kSchedulingCoreType = "SCHEDULING_CORE_TYPE";
inline constexpr const char* kEnableHyperThreading = "ENABLE_HYPER_THREADING";
inline constexpr const char* kEnableCpuPinning = "ENABLE_CPU_PINNING";

// Processors of the process, and the quota of its cgroup.
struct Machine {
    Topology topology;
    std::optional<double> quota;
    std::size_t cpus = 1;  // that it may use

    static Machine read();
};

struct Config {
    int num_threads = 0;  // in all; 0: what the machine gives
    int num_streams = 0;  // 0: one for latency, one a CPU for throughput
    std::string performance_hint = "LATENCY";
    std::optional<CoreType> core_type;    // of a hybrid processor
    std::optional<bool> hyper_threading;  // two threads a core
    bool pinning = false;                 // each thread to a processor
    int hint_requests = 0;                // most requests that will run at once; 0: not known
    std::string execution_mode =
        "PERFORMANCE";        // changes nothing: integers are what the model says
    int compile_threads = 0;  // to compile with; 0: all CPUs of the process
    bool perf_count = false;
    // Plans of other input shapes that a dynamic model keeps, in bytes; the one in use is kept
    // whatever its size.
    std::int64_t plan_cache_bytes = std::int64_t{256} << 20;
    bool fusion = true;
    bool low_precision = true;
    bool own_gemm = true;
    bool tile_groups = true;
    bool keep_intermediates = false;
    // Byte that all memory a plan writes to is filled with before each inference; -1: it is not.
    int poison = -1;
    bool drop_middle_rounds = false;      // faster residual blocks, other results
    bool float_fallback = false;          // layers that int8 makes slower may run in float
    std::vector<std::string> keep_float;  // FakeQuantize layers to run in float
    std::vector<std::string> disabled;    // passes to skip
    std::string quantize_method;          // of all layers; empty: that of the model
    std::vector<std::string> quantize_method_layers;  // "name:METHOD"
    std::string cache_dir;                            // folder of compiled models; empty: none
    std::string dump_dir;                             // dump the model after each pass
    // Asked for by these properties; of the process, and no model's own (isa_limit.hpp).
    std::optional<IsaLevel> max_isa;
    // What the process has; none: read whenever somebody asks, which takes reading some files.
    std::shared_ptr<const Machine> machine;

    // Throws Error("property") for an unknown name or a value out of range.
    void set(const std::string& name, const Any& value);
    void set(const AnyMap& properties);
    // Whether FUSEQ_DISABLE names that pass.
    bool disables(std::string_view pass) const;
    MethodChoice method_choice() const {
        return parse_method_choice(quantize_method, quantize_method_layers);
    }
    // Throws Error("property") where a property names a layer that the model does not have.
    void check_layers(const Model& model) const;
    // `read_only`: what else can be read where this is asked, for the message about an unknown name.
    Any get(const std::string& name, const std::vector<std::string>& read_only = {}) const;
    static std::vector<std::string> names();

    // The properties that decide what a model becomes, as "NAME=value" separated by "; ".
    std::string compile_options() const;
    // Sets them from such text.
    void set_compile_options(const std::string& text);

    // What that comes to on this machine.
    Placement placement() const;
    int streams() const;
    int threads_per_stream() const;
    std::size_t threads_to_compile() const;
};

}  // namespace fuseq::cpu
