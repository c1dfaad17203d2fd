// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/caffe2/net_file.hpp"

#include <google/protobuf/io/coded_stream.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace fuseq::caffe2_reader {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = std::numeric_limits<int>::max();
constexpr int kMaxNesting = 16;

ElementType element_type(std::int64_t number, const Place& place) {
    switch (number) {
        case 1: return ElementType::f32;
        case 2: return ElementType::i32;
        case 3:
        case 6: return ElementType::u8;
        case 7: return ElementType::i8;
        case 10: return ElementType::i64;
        default: place.fail("the data type ", number, " is not supported");
    }
}

}  // namespace

std::string read_whole_file(const std::string& path) {
    const Place place{.file = path};
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    place.require(!failed, "cannot be read: ", failed.message());
    place.require(size <= kMaxFileBytes, "has ", size, " bytes, the limit of the format is ",
                  kMaxFileBytes);
    std::string bytes(size, 0);
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    place.require(file.good(), "cannot be read");
    return bytes;
}

NetDef parse_net(std::string_view bytes, const Place& place) {
    place.require(!bytes.empty(), "is empty");
    place.require(bytes.size() <= kMaxFileBytes, "has ", bytes.size(),
                  " bytes, the limit of the format is ", kMaxFileBytes);
    NetDef net;
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
    stream.SetRecursionLimit(kMaxNesting);
    place.require(net.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage(),
                  "is no NetDef of Caffe2, or is cut off: protobuf cannot parse its ", bytes.size(),
                  " bytes");
    for (int i = 0; i < net.op_size(); ++i) {
        place.require(net.op(i).has_type() && !net.op(i).type().empty(), "operator ", i,
                      " has no type");
    }
    return net;
}

bool may_be_net(std::string_view bytes) {
    // The name, field 1, comes first; an ONNX file begins with a number.
    const bool tflite = bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
    return bytes.size() > 2 && !tflite && bytes[0] == 0x0a;
}

std::string init_net_of(const std::string& predict_net) {
    const Place place{.file = predict_net};
    const fs::path path(predict_net);
    std::string name = path.filename().string();
    constexpr std::string_view kPredict = "predict";
    const std::size_t at = name.find(kPredict);
    place.require(at != std::string::npos,
                  "the file with the parameters must be named beside it: the name of the file has "
                  "no \"predict\" that \"init\" could stand for, as in predict_net.pb");
    name.replace(at, kPredict.size(), "init");
    const fs::path init = path.parent_path() / name;
    std::error_code ignored;
    place.require(fs::exists(init, ignored), "the file with the parameters, '", init.string(),
                  "', does not exist; name it as the second file");
    return init.string();
}

std::map<std::string, InputInfo> parse_value_info(const std::string& text, const Place& place) {
    std::map<std::string, InputInfo> inputs;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    place.require(json.is_object(), "is no JSON object of inputs");
    for (const auto& [name, info] : json.items()) {
        const bool pair = info.is_array() && info.size() == 2 && info[0].is_number_integer() &&
                          info[1].is_array();
        place.require(pair, "input '", name,
                      "' is not [data type, [dimensions]], as in [1, [1, 3, 224, 224]]");
        InputInfo& made = inputs[name];
        Place here = place;
        here.layer = name;
        here.op = "input";
        made.type = element_type(info[0].get<std::int64_t>(), here);
        for (const auto& size : info[1]) {
            constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;
            here.require(size.is_number_integer() && size.get<std::int64_t>() >= -1 &&
                             size.get<std::int64_t>() <= kLargestSize,
                         "a dimension is ", size.dump(), ", expected a size, or -1 for any");
            made.shape.push_back(size.get<std::int64_t>());
        }
    }
    return inputs;
}

std::map<std::string, InputInfo> read_value_info(const std::string& predict_net) {
    const std::string path = (fs::path(predict_net).parent_path() / "value_info.json").string();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return {};
    }
    return parse_value_info(read_whole_file(path), {.file = path});
}

}  // namespace fuseq::caffe2_reader
