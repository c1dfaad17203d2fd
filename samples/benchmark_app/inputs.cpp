// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "common/files.hpp"
#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/shapes.hpp"
#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

// Files of each input.
using FileLists = std::vector<std::vector<std::string>>;

bool is_data_file(const fs::path& path) {
    return path.extension() == ".npy" || path.extension() == ".bin" ||
           is_picture_file(path.string());
}

std::vector<std::string> files_of(const std::string& path) {
    if (!fs::exists(path)) {
        throw Error("read", fmt::format("-i: there is no '{}'", path));
    }
    if (!fs::is_directory(path)) {
        if (!is_data_file(path)) {
            throw Error("read",
                        fmt::format("-i: '{}' is neither .npy nor .bin nor a picture", path));
        }
        return {path};
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.is_regular_file() && is_data_file(entry.path())) {
            files.push_back(entry.path().string());
        }
    }
    if (files.empty()) {
        throw Error(
            "read",
            fmt::format("-i: folder '{}' has no .npy and no .bin files and no pictures", path));
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Position of the input that a file is named after.
std::size_t input_of_file(const std::vector<Output>& inputs, const std::string& file) {
    if (inputs.size() == 1) {
        return 0;
    }
    const std::string stem = fs::path(file).stem().string();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& names = inputs[i].get_names();
        if (stem == file_name_of(inputs[i].node->name()) ||
            std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return stem == file_name_of(name); })) {
            return i;
        }
    }
    throw UsageError(
        fmt::format("-i: the model has {} inputs, and '{}' is named after none: write <input>:{}",
                    inputs.size(), file, file));
}

// Splits "<input>:path"; the path alone may contain ':'.
std::pair<std::optional<std::size_t>, std::string> split_argument(const std::vector<Output>& inputs,
                                                                  const std::string& text) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::vector<std::string> names(inputs[i].get_names().begin(), inputs[i].get_names().end());
        names.push_back(inputs[i].node->name());
        for (const std::string& name : names) {
            if (text.starts_with(name + ":")) {
                return {i, text.substr(name.size() + 1)};
            }
        }
    }
    return {std::nullopt, text};
}

FileLists assign_files(const std::vector<Output>& inputs, const Options& options) {
    FileLists lists(inputs.size());
    std::vector<std::string> arguments;
    for (const std::string& argument : options.inputs) {
        std::istringstream parts(argument);  // as OpenVINO's tool, files may be listed by commas
        for (std::string part; std::getline(parts, part, ',');) {
            arguments.push_back(part);
        }
    }
    std::optional<std::size_t> last;
    for (const std::string& argument : arguments) {
        const auto [input, path] = split_argument(inputs, argument);
        last = input ? input : last;
        if (path == "random") {
            continue;
        }
        if (path == "image_info") {
            throw UsageError("-i: image_info is not supported, give the values in a file");
        }
        for (const std::string& file : files_of(path)) {
            lists[last ? *last : input_of_file(inputs, file)].push_back(file);
        }
    }
    return lists;
}

Tensor read_bytes(const std::string& path, const Output& port) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) {
        throw Error("read", fmt::format("'{}' cannot be read", path));
    }
    const std::string bytes = text.str();
    Shape shape = port.shape();
    std::size_t size = byte_size_of(port.type(), shape_size(shape));
    if (bytes.size() != size && !shape.empty() && shape[0] != 0) {
        shape[0] = 1;
        size = byte_size_of(port.type(), shape_size(shape));
    }
    if (bytes.size() != size) {
        throw Error("read", fmt::format("'{}' has {} bytes, input '{}' ({}{}) needs {}", path,
                                        bytes.size(), port.get_any_name(), to_string(port.type()),
                                        to_string(port.partial_shape()),
                                        byte_size_of(port.type(), shape_size(port.shape()))));
    }
    Tensor tensor(port.type(), shape);
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
    return tensor;
}

Tensor read_file(const std::string& path, const Output& port, const PictureOptions& pictures) {
    if (is_picture_file(path)) {
        return picture_tensor(read_picture(path), path, port, pictures);
    }
    if (fs::path(path).extension() == ".bin") {
        return read_bytes(path, port);
    }
    const Tensor given = read_npy(path);
    return given.get_element_type() == port.type() ? given : given.to(port.type());
}

// Tensor number `set` of an input: one file, or as many as the batch has elements.
Tensor read_tensor(const std::vector<std::string>& files,
                   std::size_t set,
                   const Output& port,
                   const PictureOptions& pictures) {
    const Tensor first = read_file(files[set % files.size()], port, pictures);
    if (port.partial_shape().contains(first.get_shape())) {
        return first;
    }
    Shape one;
    if (port.partial_shape().is_static() && port.partial_shape().rank() > 0) {
        one = port.shape();
        one[0] = 1;
    }
    if (one.empty() || first.get_shape() != one) {
        throw Error("read", fmt::format("'{}' has shape {}, input '{}' has {}",
                                        files[set % files.size()], to_string(first.get_shape()),
                                        port.get_any_name(), to_string(port.partial_shape())));
    }
    // An element of the batch need not end with a byte of a packed type.
    const ElementType type = unpacked_type(port.type());
    Tensor batch(type, port.shape());
    auto* to = static_cast<std::byte*>(batch.data());
    for (std::size_t i = 0; i < port.shape()[0]; ++i) {
        Tensor part = read_file(files[(set * port.shape()[0] + i) % files.size()], port, pictures);
        if (part.get_shape() != one) {
            throw Error("read", fmt::format("files of input '{}' have different shapes",
                                            port.get_any_name()));
        }
        part = type == port.type() ? part : part.to(type);
        std::memcpy(to + i * part.get_byte_size(), std::as_const(part).data(),
                    part.get_byte_size());
    }
    return type == port.type() ? batch : batch.to(port.type());
}

// Shapes of the data of an input, one a set.
std::vector<Shape> data_shapes(const std::map<std::string, std::vector<std::string>>& by_name,
                               const Output& port) {
    std::vector<Shape> shapes;
    for (const std::string& text : texts_for(by_name, port)) {
        try {
            shapes.push_back(PartialShape::parse("[" + text + "]").to_shape());
        } catch (const Error& error) {
            throw UsageError(std::string("-data_shape: ") + error.what());
        }
        if (!port.partial_shape().contains(shapes.back())) {
            throw UsageError(fmt::format("-data_shape: input '{}' allows {}, not [{}]",
                                         port.get_any_name(), to_string(port.partial_shape()),
                                         text));
        }
    }
    return shapes;
}

std::size_t set_count(const FileLists& files,
                      const std::vector<std::vector<Shape>>& shapes,
                      const std::vector<Output>& inputs,
                      const PictureOptions& pictures) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::size_t own = std::max(files[i].size(), shapes[i].size());
        const PartialShape& shape = inputs[i].partial_shape();
        if (!files[i].empty() && shape.is_static() && shape.rank() > 0 &&
            shape_size(shape.to_shape()) != 0) {
            // Files may hold one element of the batch each.
            const Tensor first = read_file(files[i].front(), inputs[i], pictures);
            const std::size_t elements = std::max<std::size_t>(
                shape_size(shape.to_shape()) / std::max<std::size_t>(first.get_size(), 1), 1);
            own = (own + elements - 1) / elements;
        }
        count = std::max(count, own);
    }
    return count;
}

struct RandomRange {
    float scale = 1;
    float offset = 0;
};

// Reals: those of images, else [0, 1), nf4 [-1, 1). Integers of at most 8 bits: all values;
// larger ones: 0 to 9.
RandomRange range_of(ElementType type, const Shape& shape) {
    if (type == ElementType::nf4) {
        return {2, -1};
    }
    if (is_real(type)) {
        const bool image =
            shape.size() == 4 && (shape[1] == 3 || shape[1] == 1 || shape[3] == 3 || shape[3] == 1);
        return {image ? 255.0f : 1.0f, 0};
    }
    const std::size_t bits = bits_of(type);
    if (bits > 8) {
        return {10, 0};
    }
    const auto count = static_cast<float>(1u << bits);
    return {count, is_signed(type) ? -count / 2 : 0};
}

}  // namespace

Tensor random_tensor(ElementType type, const Shape& shape, unsigned seed) {
    std::mt19937 random(seed);
    Tensor reals(ElementType::f32, shape);
    const auto [scale, offset] = range_of(type, shape);
    constexpr float kUnit = 1.0f / 4294967296.0f;
    for (float& value : reals.values<float>()) {
        const float unit = static_cast<float>(random()) * kUnit * 0.999f;
        const float number = unit * scale + offset;
        value = type == ElementType::boolean ? std::round(unit)
                : is_real(type)              ? number
                                             : std::floor(number);
    }
    return type == ElementType::f32 ? reals : reals.to(type);
}

std::vector<InputSet> make_inputs(const Model& model, const Options& options) {
    const std::vector<Output> inputs = model.inputs();
    const FileLists files = assign_files(inputs, options);
    const auto by_name = split_by_name(options.data_shape, "-data_shape");
    require_known_names(by_name, inputs, "-data_shape");
    std::vector<std::vector<Shape>> shapes;
    for (const Output& port : inputs) {
        shapes.push_back(data_shapes(by_name, port));
        if (shapes.back().empty() && port.partial_shape().is_static()) {
            shapes.back().push_back(port.shape());
        }
    }
    PictureOptions pictures = options.pictures;
    pictures.layout = options.layout;
    std::vector<InputSet> sets(set_count(files, shapes, inputs, pictures));
    for (std::size_t set = 0; set < sets.size(); ++set) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!files[i].empty()) {
                sets[set].push_back(read_tensor(files[i], set, inputs[i], pictures));
            } else if (!shapes[i].empty()) {
                const auto seed = static_cast<unsigned>(set * inputs.size() + i);
                sets[set].push_back(
                    random_tensor(inputs[i].type(), shapes[i][set % shapes[i].size()], seed));
            } else {
                throw UsageError(
                    fmt::format("input '{}' has shape {}: give -data_shape, -shape or files",
                                inputs[i].get_any_name(), to_string(inputs[i].partial_shape())));
            }
        }
    }
    return sets;
}

}  // namespace fuseq::samples
