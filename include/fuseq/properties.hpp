// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties as typed constants, with OpenVINO's names. docs/properties.md says what each does.
//
//   core.compile_model(model, "CPU", {fuseq::hint::performance_mode(PerformanceMode::THROUGHPUT),
//                                     fuseq::inference_num_threads(8)});
//   const auto mode = fuseq::hint::performance_mode.from(
//       compiled.get_property(fuseq::hint::performance_mode));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fuseq/any.hpp"
#include "fuseq/element_type.hpp"
#include "fuseq/error.hpp"

namespace fuseq {

enum class PropertyMutability { RO, RW };

namespace hint {
enum class PerformanceMode { LATENCY, THROUGHPUT, CUMULATIVE_THROUGHPUT };
enum class ExecutionMode { PERFORMANCE, ACCURACY };
enum class SchedulingCoreType { ANY_CORE, PCORE_ONLY, ECORE_ONLY };
}  // namespace hint

namespace log {
enum class Level { NO, ERR, WARNING, INFO, DEBUG, TRACE };
}  // namespace log

namespace device {
enum class Type { INTEGRATED, DISCRETE };
}  // namespace device

namespace streams {
// How many streams run at once.
struct Num {
    std::int32_t num = 0;
    constexpr Num() = default;
    constexpr Num(std::int32_t count) : num(count) {}        // NOLINT
    constexpr operator std::int32_t() const { return num; }  // NOLINT
};
inline constexpr Num AUTO{-1};  // NOLINT: the device decides
inline constexpr Num NUMA{-2};  // NOLINT: no device of Fuseq takes it
}  // namespace streams

namespace detail {

// Spelling of the values of an enumeration, in their order.
template <class E>
struct PropertyNames;
template <>
struct PropertyNames<hint::PerformanceMode> {
    static constexpr const char* kNames[] = {"LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT"};
};
template <>
struct PropertyNames<hint::ExecutionMode> {
    static constexpr const char* kNames[] = {"PERFORMANCE", "ACCURACY"};
};
template <>
struct PropertyNames<hint::SchedulingCoreType> {
    static constexpr const char* kNames[] = {"ANY_CORE", "PCORE_ONLY", "ECORE_ONLY"};
};
template <>
struct PropertyNames<log::Level> {
    static constexpr const char* kNames[] = {"LOG_NONE", "LOG_ERROR", "LOG_WARNING",
                                             "LOG_INFO", "LOG_DEBUG", "LOG_TRACE"};
};
template <>
struct PropertyNames<device::Type> {
    static constexpr const char* kNames[] = {"integrated", "discrete"};
};

// A value as it stands in an AnyMap, and back.
template <class T>
struct PropertyValue {
    static Any to_any(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            return PropertyNames<T>::kNames[static_cast<std::size_t>(value)];
        } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            return static_cast<std::int64_t>(value);
        } else {
            return value;
        }
    }
    static T from_any(const Any& value) {
        if constexpr (std::is_enum_v<T>) {
            const std::string text = value.as_string();
            std::size_t i = 0;
            for (const char* name : PropertyNames<T>::kNames) {
                if (text == name) {
                    return static_cast<T>(i);
                }
                ++i;
            }
            throw Error("property", "'" + text + "' is not a value of this property");
        } else {
            return value.template as<T>();
        }
    }
};
template <>
struct PropertyValue<streams::Num> {
    static Any to_any(const streams::Num& value) {
        return value.num == streams::AUTO.num ? Any("AUTO") : Any(value.num);
    }
    static streams::Num from_any(const Any& value) {
        return value.as_string() == "AUTO"
                   ? streams::AUTO
                   : streams::Num(static_cast<std::int32_t>(value.as_int()));
    }
};
template <>
struct PropertyValue<ElementType> {
    static Any to_any(const ElementType& value) { return to_string(value); }
    static ElementType from_any(const Any& value) {
        return parse_element_type(value.as_string()).value_or(ElementType::undefined);
    }
};
// Lists of numbers: "1 8 1".
template <class... Numbers>
struct PropertyValue<std::tuple<Numbers...>> {
    using Tuple = std::tuple<Numbers...>;
    static Any to_any(const Tuple& value) {
        return std::apply(
            [](const auto&... item) { return std::vector<std::string>{std::to_string(item)...}; },
            value);
    }
    static Tuple from_any(const Any& value) {
        const std::vector<std::string> list = value.as_list();
        if (list.size() != sizeof...(Numbers)) {
            throw Error("property", "'" + value.as_string() + "' is not a list of " +
                                        std::to_string(sizeof...(Numbers)) + " numbers");
        }
        std::size_t i = 0;
        Tuple numbers;
        std::apply([&](auto&... number) { ((number = Any(list[i++]).as<Numbers>()), ...); },
                   numbers);
        return numbers;
    }
};

}  // namespace detail

// A property: its name, and what its values are. A call gives an entry of an AnyMap.
template <class T, PropertyMutability M = PropertyMutability::RW>
class Property {
public:
    using value_type = T;
    static constexpr PropertyMutability kMutability = M;

    constexpr explicit Property(const char* name) : name_(name) {}
    constexpr const char* name() const { return name_; }
    operator std::string() const { return name_; }  // NOLINT(google-explicit-constructor)

    std::pair<std::string, Any> operator()(const T& value) const {
        static_assert(M == PropertyMutability::RW, "this property can be read only");
        return {name_, detail::PropertyValue<T>::to_any(value)};
    }
    // What get_property(name) gave, as the type of the property.
    T from(const Any& value) const { return detail::PropertyValue<T>::from_any(value); }

private:
    const char* name_;
};

template <class T>
using ReadOnlyProperty = Property<T, PropertyMutability::RO>;

// NOLINTBEGIN(readability-identifier-naming): the names are OpenVINO's
inline constexpr ReadOnlyProperty<std::vector<std::string>> supported_properties{
    "SUPPORTED_PROPERTIES"};
inline constexpr ReadOnlyProperty<std::vector<std::string>> available_devices{"AVAILABLE_DEVICES"};
inline constexpr ReadOnlyProperty<std::string> model_name{"NETWORK_NAME"};
inline constexpr ReadOnlyProperty<std::uint32_t> optimal_number_of_infer_requests{
    "OPTIMAL_NUMBER_OF_INFER_REQUESTS"};
inline constexpr ReadOnlyProperty<bool> loaded_from_cache{"LOADED_FROM_CACHE"};
inline constexpr ReadOnlyProperty<std::vector<std::string>> execution_devices{"EXECUTION_DEVICES"};
inline constexpr ReadOnlyProperty<std::tuple<std::uint32_t, std::uint32_t>> range_for_streams{
    "RANGE_FOR_STREAMS"};
inline constexpr ReadOnlyProperty<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>
    range_for_async_infer_requests{"RANGE_FOR_ASYNC_INFER_REQUESTS"};
inline constexpr Property<bool> enable_profiling{"PERF_COUNT"};
inline constexpr Property<std::string> cache_dir{"CACHE_DIR"};
inline constexpr Property<streams::Num> num_streams{"NUM_STREAMS"};
inline constexpr Property<std::int32_t> inference_num_threads{"INFERENCE_NUM_THREADS"};
inline constexpr Property<std::int32_t> compilation_num_threads{"COMPILATION_NUM_THREADS"};

namespace hint {
inline constexpr Property<PerformanceMode> performance_mode{"PERFORMANCE_HINT"};
inline constexpr Property<std::uint32_t> num_requests{"PERFORMANCE_HINT_NUM_REQUESTS"};
inline constexpr Property<ExecutionMode> execution_mode{"EXECUTION_MODE_HINT"};
inline constexpr Property<ElementType> inference_precision{"INFERENCE_PRECISION_HINT"};
inline constexpr Property<bool> enable_cpu_pinning{"ENABLE_CPU_PINNING"};
inline constexpr Property<bool> enable_hyper_threading{"ENABLE_HYPER_THREADING"};
inline constexpr Property<SchedulingCoreType> scheduling_core_type{"SCHEDULING_CORE_TYPE"};
}  // namespace hint

namespace log {
inline constexpr Property<Level> level{"LOG_LEVEL"};
}  // namespace log

namespace device {
inline constexpr ReadOnlyProperty<std::string> full_name{"FULL_DEVICE_NAME"};
inline constexpr ReadOnlyProperty<std::string> architecture{"DEVICE_ARCHITECTURE"};
inline constexpr ReadOnlyProperty<Type> type{"DEVICE_TYPE"};
inline constexpr ReadOnlyProperty<std::vector<std::string>> capabilities{
    "OPTIMIZATION_CAPABILITIES"};
}  // namespace device

// Those that OpenVINO does not have (docs/properties.md). Only a few are for more than finding out
// what was done.
namespace own {
inline constexpr Property<bool> fusion{"FUSEQ_FUSION"};
inline constexpr Property<bool> low_precision{"FUSEQ_LOW_PRECISION"};
inline constexpr Property<bool> keep_intermediates{"FUSEQ_KEEP_INTERMEDIATES"};
inline constexpr Property<bool> float_fallback{"FUSEQ_FLOAT_FALLBACK"};
inline constexpr Property<bool> drop_middle_rounds{"FUSEQ_DROP_MIDDLE_ROUNDS"};
inline constexpr Property<bool> own_gemm{"FUSEQ_OWN_GEMM"};
inline constexpr Property<bool> tile_groups{"FUSEQ_TILE_GROUPS"};
inline constexpr Property<std::int64_t> plan_cache_bytes{"FUSEQ_PLAN_CACHE_BYTES"};
inline constexpr Property<std::int32_t> poison_memory{"FUSEQ_POISON_MEMORY"};
inline constexpr Property<std::vector<std::string>> keep_float{"FUSEQ_KEEP_FLOAT"};
inline constexpr Property<std::vector<std::string>> disable{"FUSEQ_DISABLE"};
inline constexpr Property<std::string> max_isa{"FUSEQ_MAX_ISA"};
inline constexpr Property<std::string> dump_dir{"FUSEQ_DUMP_DIR"};
inline constexpr Property<std::int32_t> compile_threads{"FUSEQ_COMPILE_THREADS"};
inline constexpr Property<std::string> quantize_method{"QUANTIZE_METHOD"};
inline constexpr Property<std::vector<std::string>> quantize_method_layers{
    "QUANTIZE_METHOD_LAYERS"};
inline constexpr ReadOnlyProperty<std::string> isa{"FUSEQ_ISA"};
inline constexpr ReadOnlyProperty<std::string> placement{"FUSEQ_PLACEMENT"};
inline constexpr ReadOnlyProperty<std::string> cache{"FUSEQ_CACHE"};
inline constexpr ReadOnlyProperty<std::string> report{"FUSEQ_REPORT"};
inline constexpr ReadOnlyProperty<std::string> execution_graph{"FUSEQ_EXECUTION_GRAPH"};
inline constexpr ReadOnlyProperty<std::int64_t> cached_plans{"FUSEQ_CACHED_PLANS"};
inline constexpr ReadOnlyProperty<std::int64_t> cached_plan_bytes{"FUSEQ_CACHED_PLAN_BYTES"};
}  // namespace own
// NOLINTEND(readability-identifier-naming)

}  // namespace fuseq
