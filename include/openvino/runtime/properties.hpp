// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties as typed constants. Those of other devices, and the hints that Fuseq has nothing to do
// for, are not declared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fuseq/properties.hpp"
#include "openvino/core/any.hpp"

// Found by argument, so they stand where the types are.
namespace fuseq::hint {
template <class E>
requires requires {
    fuseq::detail::PropertyNames<E>::kNames;
}
std::ostream& operator<<(std::ostream& out, E value) {
    return out << fuseq::detail::PropertyValue<E>::to_any(value).as_string();
}
}  // namespace fuseq::hint
namespace fuseq::log {
using fuseq::hint::operator<<;
}  // namespace fuseq::log
namespace fuseq::device {
using fuseq::hint::operator<<;
}  // namespace fuseq::device

namespace ov {

using fuseq::PropertyMutability;

// A name in supported_properties.
struct PropertyName : std::string {
    PropertyName(const std::string& name, PropertyMutability mutability = PropertyMutability::RW)
        : std::string(name), mutability_(mutability) {}
    bool is_mutable() const { return mutability_ == PropertyMutability::RW; }

private:
    PropertyMutability mutability_;
};

template <class T, PropertyMutability M = PropertyMutability::RW>
class Property {
public:
    using value_type = T;
    static constexpr bool is_mutable() { return M == PropertyMutability::RW; }

    constexpr Property(const char* name) : name_(name) {}
    constexpr const char* name() const { return name_; }
    operator std::string() const { return name_; }
    template <class... Args>
    std::pair<std::string, Any> operator()(Args&&... args) const {
        static_assert(M == PropertyMutability::RW, "this property can be read only");
        return {name_, Any(T(std::forward<Args>(args)...))};
    }
    bool operator==(const std::string& name) const { return name == name_; }

private:
    const char* name_;
};

namespace detail {

template <class T, PropertyMutability M>
constexpr auto of(const fuseq::Property<T, M>& own) {
    return Property<T, M>(own.name());
}

// What get_property() gives for supported_properties.
class PropertyNameList : public std::vector<PropertyName> {
public:
    PropertyNameList() = default;
    explicit PropertyNameList(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const bool metric = is_read_only(name);
            emplace_back(name, metric ? PropertyMutability::RO : PropertyMutability::RW);
        }
    }

private:
    static bool is_read_only(const std::string& name) {
        for (const char* metric :
             {"SUPPORTED_PROPERTIES", "AVAILABLE_DEVICES", "NETWORK_NAME",
              "OPTIMAL_NUMBER_OF_INFER_REQUESTS", "LOADED_FROM_CACHE", "EXECUTION_DEVICES",
              "RANGE_FOR_STREAMS", "RANGE_FOR_ASYNC_INFER_REQUESTS", "FULL_DEVICE_NAME",
              "DEVICE_ARCHITECTURE", "DEVICE_TYPE", "OPTIMIZATION_CAPABILITIES", "FUSEQ_ISA",
              "FUSEQ_CACHE", "FUSEQ_REPORT", "FUSEQ_EXECUTION_GRAPH", "FUSEQ_PLACEMENT",
              "FUSEQ_CACHED_PLANS", "FUSEQ_CACHED_PLAN_BYTES"}) {
            if (name == metric) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace detail

inline constexpr Property<detail::PropertyNameList, PropertyMutability::RO> supported_properties{
    "SUPPORTED_PROPERTIES"};
inline constexpr auto available_devices = detail::of(fuseq::available_devices);
inline constexpr auto model_name = detail::of(fuseq::model_name);
inline constexpr auto optimal_number_of_infer_requests =
    detail::of(fuseq::optimal_number_of_infer_requests);
inline constexpr auto loaded_from_cache = detail::of(fuseq::loaded_from_cache);
inline constexpr auto execution_devices = detail::of(fuseq::execution_devices);
inline constexpr auto range_for_streams = detail::of(fuseq::range_for_streams);
inline constexpr auto range_for_async_infer_requests =
    detail::of(fuseq::range_for_async_infer_requests);
inline constexpr auto enable_profiling = detail::of(fuseq::enable_profiling);
inline constexpr auto cache_dir = detail::of(fuseq::cache_dir);
inline constexpr auto num_streams = detail::of(fuseq::num_streams);
inline constexpr auto inference_num_threads = detail::of(fuseq::inference_num_threads);
inline constexpr auto compilation_num_threads = detail::of(fuseq::compilation_num_threads);

namespace streams {
using Num = fuseq::streams::Num;
using fuseq::streams::AUTO;
using fuseq::streams::NUMA;
inline constexpr auto num = ov::num_streams;
}  // namespace streams

namespace hint {
using fuseq::hint::ExecutionMode;
using fuseq::hint::PerformanceMode;
using fuseq::hint::SchedulingCoreType;
inline constexpr auto performance_mode = detail::of(fuseq::hint::performance_mode);
inline constexpr auto num_requests = detail::of(fuseq::hint::num_requests);
inline constexpr auto execution_mode = detail::of(fuseq::hint::execution_mode);
inline constexpr Property<element::Type> inference_precision{"INFERENCE_PRECISION_HINT"};
inline constexpr auto enable_cpu_pinning = detail::of(fuseq::hint::enable_cpu_pinning);
inline constexpr auto enable_hyper_threading = detail::of(fuseq::hint::enable_hyper_threading);
inline constexpr auto scheduling_core_type = detail::of(fuseq::hint::scheduling_core_type);
}  // namespace hint

namespace log {
using fuseq::log::Level;
inline constexpr auto level = detail::of(fuseq::log::level);
}  // namespace log

namespace device {
using fuseq::device::Type;
inline constexpr auto full_name = detail::of(fuseq::device::full_name);
inline constexpr auto architecture = detail::of(fuseq::device::architecture);
inline constexpr auto type = detail::of(fuseq::device::type);
inline constexpr auto capabilities = detail::of(fuseq::device::capabilities);
namespace capability {
inline constexpr const char* FP32 = "FP32";
inline constexpr const char* BF16 = "BF16";
inline constexpr const char* FP16 = "FP16";
inline constexpr const char* INT8 = "INT8";
inline constexpr const char* BIN = "BIN";
inline constexpr const char* EXPORT_IMPORT = "EXPORT_IMPORT";
}  // namespace capability
}  // namespace device

}  // namespace ov
