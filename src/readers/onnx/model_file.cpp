// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/model_file.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace fuseq::onnx_reader {
namespace {

constexpr std::size_t kMaxFileBytes = std::numeric_limits<int>::max();
// Graphs within attributes of nodes take four levels each.
constexpr int kMaxNesting = 100;

void check_size(std::uint64_t size, const Place& place) {
    place.require(size <= kMaxFileBytes, "has ", size, " bytes, the limit of the format is ",
                  kMaxFileBytes, "; save the model with external data");
}

}  // namespace

std::shared_ptr<const ::onnx::ModelProto> parse_model(std::string_view bytes, const Place& place) {
    check_size(bytes.size(), place);
    place.require(!bytes.empty(), "is empty");
    auto model = std::make_shared<::onnx::ModelProto>();
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
    stream.SetRecursionLimit(kMaxNesting);
    const bool parsed = model->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
    place.require(parsed, "is no ONNX model, or is cut off: protobuf cannot parse its ",
                  bytes.size(), " bytes");
    place.require(model->has_graph() && model->has_ir_version(),
                  "is no ONNX model: it has no graph or no version of the format");
    return model;
}

std::string read_whole_file(const std::string& path) {
    const Place place{.file = path};
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    place.require(!failed, "cannot be read: ", failed.message());
    check_size(size, place);
    std::string bytes(size, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    place.require(file.good(), "cannot be read");
    return bytes;
}

bool may_be_model(std::string_view bytes) {
    // Keys of ModelProto's fields 1 to 8: ir_version and model_version are numbers, the rest is
    // counted bytes.
    constexpr std::string_view kKeys = "\x08\x12\x1a\x22\x28\x32\x3a\x42";
    // A TFLite file may begin with the same byte.
    const bool tflite = bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
    return !bytes.empty() && !tflite && kKeys.find(bytes.front()) != std::string_view::npos;
}

}  // namespace fuseq::onnx_reader
