// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/reader_registry.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "runtime/shared_library.hpp"

namespace fuseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReaderPrefix = "libfuseq_";
constexpr std::string_view kReaderSuffix = "_reader.so";
// Formats that the project has readers for, which a build may leave out.
struct KnownFormat {
    const char* extension;
    const char* format;    // of its library
    const char* packages;  // that the build needs
};
constexpr KnownFormat kKnown[] = {
    {"json", "mxnet", "the packages of the build"},
    {"onnx", "onnx", "libonnx-dev and libprotobuf-dev"},
    {"pb", "caffe2", "protobuf-compiler and libprotobuf-dev"},
    {"tflite", "tflite", "flatbuffers-compiler and libflatbuffers-dev"}};

std::string lower_extension(const std::string& path) {
    std::string extension = fs::path(path).extension().string();
    if (!extension.empty()) {
        extension.erase(0, 1);
    }
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

}  // namespace

ReaderRegistry::ReaderRegistry(std::string folder) : folder_(std::move(folder)) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
        const std::string file = entry.path().filename().string();
        if (file.size() > kReaderPrefix.size() + kReaderSuffix.size() &&
            file.starts_with(kReaderPrefix) && file.ends_with(kReaderSuffix)) {
            libraries_[file.substr(kReaderPrefix.size(),
                                   file.size() - kReaderPrefix.size() - kReaderSuffix.size())] = {
                entry.path().string(), nullptr};
        }
    }
}

const IReader* ReaderRegistry::for_path(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const std::string extension = lower_extension(path);
    if (const auto found = libraries_.find(extension); found != libraries_.end()) {
        return &load(found->second);
    }
    const auto known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const auto& format) {
        return extension == format.extension;
    });
    if (known != std::end(kKnown)) {
        if (const auto found = libraries_.find(known->format); found != libraries_.end()) {
            return &load(found->second);
        }
    }
    if (known != std::end(kKnown)) {
        throw Error(Error::Info{.stage = "read",
                                .file = path,
                                .layer_id = {},
                                .layer = {},
                                .op = {},
                                .rule = missing(extension)});
    }
    return nullptr;
}

const IReader& ReaderRegistry::for_bytes(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    for (auto& [format, library] : libraries_) {
        const IReader& reader = load(library);
        if (reader.recognizes(bytes)) {
            return reader;
        }
    }
    std::string text = "the model in memory is no IR: it does not begin with '<'";
    for (const KnownFormat& format : kKnown) {
        if (!libraries_.contains(format.format)) {
            text += "; " + missing(format.extension);
        }
    }
    throw Error("read", text);
}

const IReader& ReaderRegistry::load(Library& library) const {
    if (library.reader) {
        return *library.reader;
    }
    const SharedLibrary opened(library.path, SharedLibrary::Unload::kNever);
    using EntryPoint = int (*)(unsigned, IReader**, char*, std::size_t);
    const auto create = reinterpret_cast<EntryPoint>(opened.symbol(kReaderEntryPoint));
    char text[512] = "";
    IReader* reader = nullptr;
    const int status = create(kReaderAbiVersion, &reader, text, sizeof text);
    library.reader.reset(reader);
    if (status != 0 || reader == nullptr) {
        library.reader.reset();
        throw Error("read",
                    fmt::format("'{}' refused reader ABI {} of this runtime: {}", library.path,
                                kReaderAbiVersion, text[0] == '\0' ? "no reason given" : text));
    }
    return *library.reader;
}

std::string ReaderRegistry::missing(const std::string& extension) const {
    const auto known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                    [&](const auto& one) { return extension == one.extension; });
    return fmt::format(
        "there is no reader of .{} files: {}{}{} is not in '{}'; it is built where {} are "
        "installed (samples/install_deps.sh)",
        extension, kReaderPrefix, known->format, kReaderSuffix, folder_, known->packages);
}

}  // namespace fuseq
