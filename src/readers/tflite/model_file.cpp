// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/model_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

namespace fuseq::tflite_reader {
namespace {

// Tables nest five deep: model, subgraph, operator or tensor, options or quantization.
constexpr flatbuffers::uoffset_t kDeepest = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 20'000'000;
constexpr std::uint32_t kVersion = 3;

}  // namespace

bool may_be_model(std::string_view bytes) {
    return bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
}

FileBytes copy_bytes(std::string_view bytes) {
    auto memory = std::make_shared<Tensor>(ElementType::u8, Shape{bytes.size()});
    if (!bytes.empty()) {
        std::memcpy(memory->data(), bytes.data(), bytes.size());
    }
    return {memory};
}

FileBytes read_whole_file(const std::string& path) {
    const Place place{.file = path};
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    place.require(!failed, "cannot be read: ", failed.message());
    auto memory = std::make_shared<Tensor>(ElementType::u8, Shape{size});
    std::ifstream file(path, std::ios::binary);
    file.read(static_cast<char*>(memory->data()), static_cast<std::streamsize>(size));
    place.require(file.good(), "cannot be read");
    return {memory};
}

const ::tflite::Model& verify_model(const FileBytes& file, const Place& place) {
    const auto bytes = file.bytes();
    place.require(!bytes.empty(), "is empty");
    place.require(may_be_model({reinterpret_cast<const char*>(bytes.data()), bytes.size()}),
                  "is no TFLite model: it does not have the identifier TFL3 at offset 4");
    // Data of format 3c lie after the FlatBuffer, whose own offsets have 31 bits.
    const std::size_t checked =
        std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier verifier(bytes.data(), checked, kDeepest, kMaxTables);
    place.require(::tflite::VerifyModelBuffer(verifier),
                  "is damaged or cut off: an offset, size or string of its tables is wrong (",
                  bytes.size(), " bytes)");
    const ::tflite::Model& model = *::tflite::GetModel(bytes.data());
    place.require(model.version() == kVersion, "is of version ", model.version(),
                  " of the format, version ", kVersion, " is supported");
    return model;
}

}  // namespace fuseq::tflite_reader
