// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The reader API: what a front end for another model format implements. A reader is a shared
// library libfuseq_<format>_reader.so beside the runtime library, where <format> is the extension
// of its files in lower case (of the project's own ones: caffe2 reads .pb, mxnet .json), with one C
// entry point,
//
//   extern "C" int fuseq_create_reader(unsigned abi_version, fuseq::IReader** reader,
//                                      char* error, std::size_t error_size);
//
// which returns 0 and a new reader, or another value and a text, for instance when `abi_version` is
// not the kReaderAbiVersion that it was built with. FUSEQ_DEFINE_READER writes the entry point.
//
// The library of a reader stays in memory until the process ends, so a Model may hold memory that
// the reader has allocated. Exceptions are copied by the runtime before they reach the user.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fuseq/model.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq {

inline constexpr unsigned kReaderAbiVersion = 2;
inline constexpr const char* kReaderEntryPoint = "fuseq_create_reader";

// Thread-safe: a reader keeps nothing between two calls.
class IReader {
public:
    // Told what was odd in a file and could be passed over: one sentence a call.
    using WarningHandler = std::function<void(const std::string&)>;

    virtual ~IReader() = default;
    // "ONNX"
    virtual std::string format_name() const = 0;
    // Whether these could be the bytes of a model of this format; looks at the first few only.
    virtual bool recognizes(std::string_view bytes) const = 0;
    // All types and shapes of the model are inferred. Throws Error (stage "read").
    virtual std::shared_ptr<Model> read_file(const std::string& path,
                                             const WarningHandler& on_warning) const = 0;
    // `bytes` are not used after the call.
    virtual std::shared_ptr<Model> read_memory(std::string_view bytes,
                                               const WarningHandler& on_warning) const = 0;

    // Whether a model is two files, one with its parameters. Where it is, read_file() finds the
    // second one by its name, and these two take what the user has named.
    virtual bool has_weights_file() const { return false; }
    virtual std::shared_ptr<Model> read_files(const std::string& path,
                                              const std::string& /*weights_path*/,
                                              const WarningHandler& on_warning) const {
        return read_file(path, on_warning);
    }
    virtual std::shared_ptr<Model> read_memory_with_weights(
        std::string_view bytes,
        std::string_view /*weights*/,
        const WarningHandler& on_warning) const {
        return read_memory(bytes, on_warning);
    }
};

namespace detail {

// The body of an entry point: no exception leaves it.
template <class Reader>
int create_reader(unsigned abi_version, IReader** reader, char* error, std::size_t error_size) {
    if (abi_version != kReaderAbiVersion) {
        return entry_point_failed(error, error_size,
                                  cat("built for reader ABI ", kReaderAbiVersion,
                                      ", the runtime has reader ABI ", abi_version));
    }
    try {
        *reader = new Reader();
        return 0;
    } catch (const std::exception& exception) {
        return entry_point_failed(error, error_size, exception.what());
    }
}

}  // namespace detail
}  // namespace fuseq

// Once in a reader library, outside of every namespace: FUSEQ_DEFINE_READER(my::Reader)
#define FUSEQ_DEFINE_READER(Class)                                                             \
    FUSEQ_PLUGIN_EXPORT int fuseq_create_reader(unsigned abi_version, fuseq::IReader** reader, \
                                                char* error, std::size_t error_size) {         \
        return fuseq::detail::create_reader<Class>(abi_version, reader, error, error_size);    \
    }
