// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/config.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <set>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cpu/compile/disabled_passes.hpp"
#include "cpu/machine/cpu_count.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "fuseq/error.hpp"
#include "model/binary_attributes.hpp"
#include "model/nearest_name.hpp"
#include "model/property_choice.hpp"
#include "model/property_hint.hpp"

namespace fuseq::cpu {
namespace {

struct Row {
    const char* name;
    void (*set)(Config&, const Any&);
    Any (*get)(const Config&);
};

int number_of(const std::string& name, const Any& value) {
    return static_cast<int>(checked_number(name, value));
}

std::int64_t byte_count(const Any& value) {
    const std::int64_t bytes = value.as_int();
    if (bytes < 0) {
        throw Error("property",
                    fmt::format("FUSEQ_PLAN_CACHE_BYTES is {}, expected 0 or more", bytes));
    }
    return bytes;
}

int poison(const Any& value) {
    const std::int64_t byte = value.as_int();
    if (byte < -1 || byte > 255) {
        throw Error(
            "property",
            fmt::format("FUSEQ_POISON_MEMORY is {}, expected -1 (off) or a byte in [0, 255]",
                        byte));
    }
    return static_cast<int>(byte);
}

bool is_throughput(const Config& config) {
    return config.performance_hint == "THROUGHPUT" ||
           config.performance_hint == "CUMULATIVE_THROUGHPUT";
}

constexpr std::pair<std::string_view, CoreType> kCoreTypes[] = {
    {"ANY_CORE", CoreType::kAny},
    {"PCORE_ONLY", CoreType::kPerformance},
    {"ECORE_ONLY", CoreType::kEfficient}};

CoreType core_type(const Any& value) {
    const std::string text = checked_choice(kSchedulingCoreType, value);
    return std::find_if(std::begin(kCoreTypes), std::end(kCoreTypes),
                        [&](const auto& row) { return row.first == text; })
        ->second;
}

std::string core_type_text(CoreType type) {
    const auto row = std::find_if(std::begin(kCoreTypes), std::end(kCoreTypes),
                                  [type](const auto& r) { return r.second == type; });
    return std::string(row->first);
}

// What OpenVINO's devices can do about what floats are computed in: taken, so that programs need no
// change, and given back as what is in use.
constexpr const char* kPrecisionHint = "INFERENCE_PRECISION_HINT";

std::vector<std::string> pass_names(const Any& value) {
    std::vector<std::string> names = value.as_list();
    for (const std::string& name : names) {
        check_may_disable(name);
    }
    return names;
}

// Of the model and its bodies.
std::set<std::string> fake_quantize_names(const Model& model) {
    std::set<std::string> names;
    std::vector<const Model*> open{&model};
    while (!open.empty()) {
        const Model& graph = *open.back();
        open.pop_back();
        for (const Node* node : graph.ordered_nodes()) {
            if (node->is("FakeQuantize")) {
                names.insert(node->name());
            }
            const std::vector<const Model*> bodies = bodies_of(node->attributes());
            open.insert(open.end(), bodies.begin(), bodies.end());
        }
    }
    return names;
}

const Row kRows[] = {
    {property::kInferenceNumThreads,
     [](Config& c, const Any& v) { c.num_threads = number_of(property::kInferenceNumThreads, v); },
     [](const Config& c) { return Any(c.num_threads); }},
    {property::kNumStreams,
     [](Config& c, const Any& v) { c.num_streams = number_of(property::kNumStreams, v); },
     [](const Config& c) { return Any(c.streams()); }},
    {property::kPerformanceHint,
     [](Config& c, const Any& v) {
         c.performance_hint = checked_choice(property::kPerformanceHint, v);
     },
     [](const Config& c) { return Any(c.performance_hint); }},
    {kSchedulingCoreType, [](Config& c, const Any& v) { c.core_type = core_type(v); },
     [](const Config& c) { return Any(core_type_text(c.core_type.value_or(CoreType::kAny))); }},
    {kEnableHyperThreading, [](Config& c, const Any& v) { c.hyper_threading = v.as_bool(); },
     [](const Config& c) { return Any(c.hyper_threading.value_or(is_throughput(c))); }},
    {kEnableCpuPinning, [](Config& c, const Any& v) { c.pinning = v.as_bool(); },
     [](const Config& c) { return Any(c.pinning); }},
    {"PERFORMANCE_HINT_NUM_REQUESTS",
     [](Config& c, const Any& v) {
         c.hint_requests = number_of("PERFORMANCE_HINT_NUM_REQUESTS", v);
     },
     [](const Config& c) { return Any(c.hint_requests); }},
    {"EXECUTION_MODE_HINT",
     [](Config& c, const Any& v) { c.execution_mode = checked_choice("EXECUTION_MODE_HINT", v); },
     [](const Config& c) { return Any(c.execution_mode); }},
    {kPrecisionHint, [](Config&, const Any& v) { checked_choice(kPrecisionHint, v); },
     [](const Config&) { return Any("f32"); }},
    {property::kLogLevel, [](Config&, const Any& v) { checked_choice(property::kLogLevel, v); },
     [](const Config&) { return Any("LOG_NONE"); }},
    {"COMPILATION_NUM_THREADS",
     [](Config& c, const Any& v) { c.compile_threads = number_of("COMPILATION_NUM_THREADS", v); },
     [](const Config& c) { return Any(c.compile_threads); }},
    {"FUSEQ_COMPILE_THREADS",
     [](Config& c, const Any& v) { c.compile_threads = number_of("FUSEQ_COMPILE_THREADS", v); },
     [](const Config& c) { return Any(c.compile_threads); }},
    {property::kPerfCount, [](Config& c, const Any& v) { c.perf_count = v.as_bool(); },
     [](const Config& c) { return Any(c.perf_count); }},
    {"FUSEQ_PLAN_CACHE_BYTES", [](Config& c, const Any& v) { c.plan_cache_bytes = byte_count(v); },
     [](const Config& c) { return Any(c.plan_cache_bytes); }},
    {property::kFusion, [](Config& c, const Any& v) { c.fusion = v.as_bool(); },
     [](const Config& c) { return Any(c.fusion); }},
    {property::kLowPrecision, [](Config& c, const Any& v) { c.low_precision = v.as_bool(); },
     [](const Config& c) { return Any(c.low_precision); }},
    {"FUSEQ_OWN_GEMM", [](Config& c, const Any& v) { c.own_gemm = v.as_bool(); },
     [](const Config& c) { return Any(c.own_gemm); }},
    {"FUSEQ_TILE_GROUPS", [](Config& c, const Any& v) { c.tile_groups = v.as_bool(); },
     [](const Config& c) { return Any(c.tile_groups); }},
    {property::kKeepIntermediates,
     [](Config& c, const Any& v) { c.keep_intermediates = v.as_bool(); },
     [](const Config& c) { return Any(c.keep_intermediates); }},
    {"FUSEQ_POISON_MEMORY", [](Config& c, const Any& v) { c.poison = poison(v); },
     [](const Config& c) { return Any(c.poison); }},
    {"FUSEQ_KEEP_FLOAT", [](Config& c, const Any& v) { c.keep_float = v.as_list(); },
     [](const Config& c) { return Any(c.keep_float); }},
    {"FUSEQ_FLOAT_FALLBACK", [](Config& c, const Any& v) { c.float_fallback = v.as_bool(); },
     [](const Config& c) { return Any(c.float_fallback); }},
    {"FUSEQ_DISABLE", [](Config& c, const Any& v) { c.disabled = pass_names(v); },
     [](const Config& c) { return Any(c.disabled); }},
    {kQuantizeMethod,
     [](Config& c, const Any& v) {
         (void)parse_method_choice(v.as_string(), {});
         c.quantize_method = v.as_string();
     },
     [](const Config& c) { return Any(c.quantize_method); }},
    {kQuantizeMethodLayers,
     [](Config& c, const Any& v) {
         (void)parse_method_choice("", v.as_list());
         c.quantize_method_layers = v.as_list();
     },
     [](const Config& c) { return Any(c.quantize_method_layers); }},
    {property::kCacheDir, [](Config& c, const Any& v) { c.cache_dir = v.as_string(); },
     [](const Config& c) { return Any(c.cache_dir); }},
    {"FUSEQ_DROP_MIDDLE_ROUNDS",
     [](Config& c, const Any& v) { c.drop_middle_rounds = v.as_bool(); },
     [](const Config& c) { return Any(c.drop_middle_rounds); }},
    {kMaxIsa, [](Config& c, const Any& v) { c.max_isa = isa_level_of(v.as_string(), kMaxIsa); },
     [](const Config&) { return Any(to_string(max_isa())); }},
    {"FUSEQ_DUMP_DIR", [](Config& c, const Any& v) { c.dump_dir = v.as_string(); },
     [](const Config& c) { return Any(c.dump_dir); }},
};

// They decide what a model becomes.
const char* const kCompileOptions[] = {
    property::kFusion,  property::kLowPrecision, property::kKeepIntermediates,
    "FUSEQ_KEEP_FLOAT", "FUSEQ_DISABLE",         "FUSEQ_DROP_MIDDLE_ROUNDS",
    "FUSEQ_OWN_GEMM",   "FUSEQ_TILE_GROUPS",     "FUSEQ_FLOAT_FALLBACK",
    kQuantizeMethod,    kQuantizeMethodLayers};

// Names of layers may hold what options are separated by.
constexpr std::string_view kSeparators = " ,;=%";

std::string escaped(const std::string& item) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    std::string text;
    for (const char c : item) {
        if (kSeparators.find(c) == std::string_view::npos) {
            text += c;
        } else {
            text += {'%', kDigits[c / 16], kDigits[c % 16]};
        }
    }
    return text;
}

std::string unescaped(const std::string& text) {
    std::string item;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            item += text[i];
            continue;
        }
        int code = 0;
        const char* const digits = text.data() + i + 1;
        const char* const end = text.data() + std::min(i + 3, text.size());
        if (end - digits != 2 || std::from_chars(digits, end, code, 16).ptr != end) {
            throw Error("property", fmt::format("'{}' ends in the middle of a character", text));
        }
        item += static_cast<char>(code);
        i += 2;
    }
    return item;
}

std::size_t cpus_of(const Config& config) {
    return config.machine ? config.machine->cpus : count_cpus().cpus;
}

// `more`: properties that are not in the table, for the message.
const Row& find(const std::string& name, const std::vector<std::string>& more = {}) {
    for (const Row& row : kRows) {
        if (name == row.name) {
            return row;
        }
    }
    std::vector<std::string> names = Config::names();
    names.insert(names.end(), more.begin(), more.end());
    throw Error("property", fmt::format("the CPU device has no property '{}'{}; it has {}", name,
                                        property_hint(name, names), fmt::join(names, ", ")));
}

}  // namespace

void Config::set(const std::string& name, const Any& value) {
    const Row& row = find(name);
    try {
        row.set(*this, value);
    } catch (const Error& error) {
        const std::string& rule = error.info().rule;
        throw Error("property", rule.find(name) == std::string::npos
                                    ? fmt::format("{}: {}", name, rule)
                                    : rule);
    }
}

void Config::set(const AnyMap& properties) {
    Config changed = *this;  // all or nothing
    for (const auto& [name, value] : properties) {
        changed.set(name, value);
    }
    *this = std::move(changed);
}

void Config::check_layers(const Model& model) const {
    check_method_layers(model, method_choice());
    if (keep_float.empty()) {
        return;
    }
    const std::set<std::string> known = fake_quantize_names(model);
    for (const std::string& layer : keep_float) {
        if (!known.contains(layer)) {
            throw Error("property",
                        fmt::format("FUSEQ_KEEP_FLOAT: there is no FakeQuantize '{}'{}", layer,
                                    did_you_mean(layer, {known.begin(), known.end()})));
        }
    }
}

bool Config::disables(std::string_view pass) const {
    return std::find(disabled.begin(), disabled.end(), pass) != disabled.end();
}

Any Config::get(const std::string& name, const std::vector<std::string>& read_only) const {
    return find(name, read_only).get(*this);
}

std::string Config::compile_options() const {
    std::string text;
    for (const char* name : kCompileOptions) {
        text += fmt::format("{}{}=", text.empty() ? "" : "; ", name);
        for (const std::string& item : get(name).as_list()) {
            text += fmt::format("{}{}", text.back() == '=' ? "" : " ", escaped(item));
        }
    }
    return text;
}

void Config::set_compile_options(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("; ", at), text.size());
        const std::string option = text.substr(at, end - at);
        const std::size_t equals = option.find('=');
        if (equals == std::string::npos) {
            throw Error("property", fmt::format("'{}' is no option", option));
        }
        const std::string name = option.substr(0, equals);
        std::vector<std::string> items = Any(option.substr(equals + 1)).as_list();
        try {
            std::transform(items.begin(), items.end(), items.begin(), unescaped);
        } catch (const Error& error) {
            throw Error("property", fmt::format("{}: {}", name, error.info().rule));
        }
        const bool one = items.size() == 1 && escaped(items[0]) == items[0];
        set(name, one ? Any(items[0]) : Any(std::move(items)));
        at = end + 2;
    }
}

Machine Machine::read() {
    const CpuCount count = count_cpus();
    return {.topology = allowed_topology(), .quota = count.cgroup_quota, .cpus = count.cpus};
}

Placement Config::placement() const {
    const Machine found = machine ? Machine{} : Machine::read();
    const Machine& m = machine ? *machine : found;
    PlacementRequest request{.throughput = is_throughput(*this),
                             .threads = num_threads,
                             .streams = num_streams,
                             .core_type = core_type,
                             .hyper_threading = hyper_threading,
                             .pinning = pinning,
                             .quota = m.quota};
    Placement placement = place(m.topology, request);
    // More streams than requests would have nothing to do.
    if (num_streams == 0 && request.throughput && hint_requests > 0 &&
        hint_requests < placement.streams) {
        request.streams = hint_requests;
        placement = place(m.topology, request);
    }
    return placement;
}

int Config::streams() const {
    return placement().streams;
}

int Config::threads_per_stream() const {
    return placement().threads;
}

std::size_t Config::threads_to_compile() const {
    return compile_threads > 0 ? static_cast<std::size_t>(compile_threads) : cpus_of(*this);
}

std::vector<std::string> Config::names() {
    std::vector<std::string> names;
    for (const Row& row : kRows) {
        names.emplace_back(row.name);
    }
    return names;
}

}  // namespace fuseq::cpu
