// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/property_hint.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "model/nearest_name.hpp"

namespace fuseq {
namespace {

struct Absent {
    const char* name;
    const char* reason;
};

constexpr const char* kOneDevice = "there is one device, which takes one request a stream";
constexpr const char* kStreams = "NUM_STREAMS has its place";
constexpr const char* kPinning = "ENABLE_CPU_PINNING has its place";
constexpr const char* kSupported = "SUPPORTED_PROPERTIES has its place";
constexpr Absent kAbsent[] = {
    {"AFFINITY", kPinning},
    {"ALLOW_AUTO_BATCHING", kOneDevice},
    {"AUTO_BATCH_DEVICE_CONFIG", kOneDevice},
    {"AUTO_BATCH_TIMEOUT", kOneDevice},
    {"CACHE_ENCRYPTION_CALLBACKS", "compiled models are stored as they are"},
    {"CACHE_MODE", "compiled models are stored in one form"},
    {"CPU_BIND_THREAD", kPinning},
    {"CPU_DENORMALS_OPTIMIZATION", "integers have no such numbers"},
    {"CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE", "weights are stored densely"},
    {"CPU_THREADS_NUM", "INFERENCE_NUM_THREADS has its place"},
    {"CPU_THROUGHPUT_STREAMS", kStreams},
    {"DEVICE_ID", kOneDevice},
    {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "the model says what is quantized"},
    {"ENABLE_MMAP", "weights are always mapped"},
    {"ENFORCE_BF16", "INFERENCE_PRECISION_HINT has its place"},
    {"EXCLUSIVE_ASYNC_REQUESTS", kStreams},
    {"KV_CACHE_PRECISION", "states have the types of the model"},
    {"MODEL_PRIORITY", kOneDevice},
    {"MULTI_DEVICE_PRIORITIES", kOneDevice},
    {"SUPPORTED_CONFIG_KEYS", kSupported},
    {"SUPPORTED_METRICS", kSupported},
};

}  // namespace

std::string property_hint(const std::string& name, const std::vector<std::string>& names) {
    const auto* const absent = std::find_if(std::begin(kAbsent), std::end(kAbsent),
                                            [&](const Absent& row) { return name == row.name; });
    return absent == std::end(kAbsent)
               ? fmt::format("; the nearest is '{}'", nearest_name(name, names))
               : fmt::format("; it is OpenVINO's, and absent here: {}", absent->reason);
}

}  // namespace fuseq
