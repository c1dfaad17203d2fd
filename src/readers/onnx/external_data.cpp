// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/external_data.hpp"

#include <onnx/onnx_pb.h>

#include <charconv>
#include <fstream>
#include <optional>

namespace fuseq::onnx_reader {
namespace {

namespace fs = std::filesystem;

struct Location {
    std::string path;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
};

Location read_location(const ::onnx::TensorProto& proto, const Place& place) {
    const auto number = [&](const std::string& key, const std::string& text) {
        std::uint64_t value = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
        place.require(result.ec == std::errc() && result.ptr == text.data() + text.size(),
                      "external data of tensor '", proto.name(), "': ", key, " is '", text,
                      "', expected a number of bytes");
        return value;
    };
    Location location;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            location.path = entry.value();
        } else if (entry.key() == "offset") {
            location.offset = number("offset", entry.value());
        } else if (entry.key() == "length") {
            location.length = number("length", entry.value());
        }
    }
    place.require(!location.path.empty(), "external data of tensor '", proto.name(),
                  "' has no location");
    return location;
}

// A file of somebody else must not name any file of this machine.
fs::path inside(const fs::path& folder,
                const std::string& location,
                const std::string& tensor,
                const Place& place) {
    const fs::path relative = fs::path(location).lexically_normal();
    place.require(!relative.is_absolute() && !relative.empty() && *relative.begin() != "..",
                  "external data of tensor '", tensor, "': location '", location,
                  "' is not within the folder of the model");
    std::error_code failed;
    const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
    const fs::path real = failed ? fs::path() : fs::canonical(root / relative, failed);
    place.require(!failed && fs::is_regular_file(real), "external data of tensor '", tensor,
                  "': there is no file '", location, "' in the folder of the model");
    const fs::path from_root = real.lexically_relative(root);
    place.require(!from_root.empty() && *from_root.begin() != "..", "external data of tensor '",
                  tensor, "': location '", location, "' is a link out of the folder of the model");
    return real;
}

}  // namespace

Tensor read_external_data(const ::onnx::TensorProto& proto,
                          const fs::path& folder,
                          std::size_t bytes,
                          const Place& place) {
    const Location location = read_location(proto, place);
    place.require(!place.file.empty(), "tensor '", proto.name(),
                  "' has external data, and a model in memory has no folder");
    const fs::path path = inside(folder, location.path, proto.name(), place);
    const std::uint64_t size = fs::file_size(path);
    place.require(!location.length || *location.length == bytes, "external data of tensor '",
                  proto.name(), "': length is ", location.length.value_or(0), ", its values take ",
                  bytes);
    place.require(location.offset <= size && bytes <= size - location.offset,
                  "external data of tensor '", proto.name(), "': ", bytes, " bytes from offset ",
                  location.offset, " on do not lie in '", location.path, "' of ", size, " bytes");
    Tensor tensor(ElementType::u8, Shape{bytes});
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(location.offset));
    file.read(static_cast<char*>(tensor.data()), static_cast<std::streamsize>(bytes));
    place.require(file.good(), "external data of tensor '", proto.name(), "': cannot read '",
                  location.path, "'");
    return tensor;
}

}  // namespace fuseq::onnx_reader
