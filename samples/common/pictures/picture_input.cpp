// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/picture_input.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

#include "common/checks.hpp"
#include "common/files.hpp"
#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/shapes.hpp"
#include "common/tool.hpp"
#include "fuseq/fuseq.hpp"
#include "fuseq/preprocess.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;
using preprocess::ColorFormat;
using preprocess::ResizeAlgorithm;

// The text of an option for an input: "NHWC", "[NHWC]" or "in[NHWC]".
std::string text_for(const std::string& text, const char* option, const Output& port) {
    const bool plain = !text.empty() && text.find('[') == std::string::npos;
    const auto texts = texts_for(split_by_name(plain ? "[" + text + "]" : text, option), port);
    return texts.empty() ? "" : texts.front();
}

bool is_channel_count(const Dimension& dimension) {
    return dimension.is_static() && (dimension.get_length() == 1 || dimension.get_length() == 3);
}

// [N,C,H,W], [N,H,W,C] or the same without N, as -layout, the model or the shape says.
Layout layout_of_picture(const Output& port, const PictureOptions& options) {
    const PartialShape& shape = port.partial_shape();
    const std::string name = port.get_any_name();
    if (!shape.rank_is_static() || (shape.rank() != 3 && shape.rank() != 4)) {
        throw UsageError(
            fmt::format("input '{}' has shape {}: a picture needs one of 3 or 4 dimensions", name,
                        to_string(shape)));
    }
    const std::string given = text_for(options.layout, "-layout", port);
    const Layout layout = given.empty() ? get_layout(port) : Layout(given);
    const auto channels = layout.index_in("C", shape.rank());
    if (channels && layout.index_in("H", shape.rank()) && layout.index_in("W", shape.rank())) {
        return *channels + 1 == shape.rank() ? (shape.rank() == 4 ? "NHWC" : "HWC")
                                             : (shape.rank() == 4 ? "NCHW" : "CHW");
    }
    if (!given.empty()) {
        throw UsageError(fmt::format(
            "-layout: '{}' does not say where C, H and W of the {} dimensions of input '{}' are",
            given, shape.rank(), name));
    }
    const bool first = is_channel_count(shape[shape.rank() - 3]);
    const bool last = is_channel_count(shape[shape.rank() - 1]);
    if (first == last) {
        throw UsageError(fmt::format(
            "input '{}' has shape {}: say with -layout NCHW or NHWC where its channels are", name,
            to_string(shape)));
    }
    return last ? (shape.rank() == 4 ? "NHWC" : "HWC") : (shape.rank() == 4 ? "NCHW" : "CHW");
}

ColorFormat color_of_input(std::size_t channels,
                           const Output& port,
                           const PictureOptions& options) {
    const std::string& text = options.color;
    const std::size_t needs = text == "GRAY" ? 1 : 3;
    if (!text.empty() && needs != channels) {
        throw UsageError(fmt::format("-color {} has {} channels, input '{}' has {}", text, needs,
                                     port.get_any_name(), channels));
    }
    if (channels != 1 && channels != 3) {
        throw UsageError(fmt::format("input '{}' has {} channels, a picture has 3 (or 1: grey)",
                                     port.get_any_name(), channels));
    }
    return channels == 1 ? ColorFormat::GRAY : text == "BGR" ? ColorFormat::BGR : ColorFormat::RGB;
}

ResizeAlgorithm algorithm_of(const std::string& text) {
    return text == "nearest" ? ResizeAlgorithm::RESIZE_NEAREST
           : text == "cubic" ? ResizeAlgorithm::RESIZE_CUBIC
                             : ResizeAlgorithm::RESIZE_LINEAR;
}

// Where things are in the shape of the input, and the shape of the tensor.
struct Place {
    Layout layout;
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t channels = 0;
    Shape shape;
};

Place place_of_picture(const Output& port, const Picture& picture, const PictureOptions& options) {
    Place place;
    place.layout = layout_of_picture(port, options);
    const PartialShape& shape = port.partial_shape();
    place.height = *place.layout.index_in("H", shape.rank());
    place.width = *place.layout.index_in("W", shape.rank());
    const std::size_t channels = *place.layout.index_in("C", shape.rank());
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        const Dimension& dimension = shape[i];
        const std::size_t open = i == place.height  ? picture.height
                                 : i == place.width ? picture.width
                                 : i == channels    ? 3
                                                    : 1;
        const bool batch = i == 0 && shape.rank() == 4;
        place.shape.push_back(batch ? 1
                              : dimension.is_static()
                                  ? static_cast<std::size_t>(dimension.get_length())
                                  : open);
    }
    place.channels = place.shape[channels];
    return place;
}

void require_size(const Picture& picture,
                  const std::string& file,
                  const Output& port,
                  const Place& place) {
    if (place.shape[place.height] != picture.height || place.shape[place.width] != picture.width) {
        throw Error(
            "picture",
            fmt::format("'{}' is {} x {} (width x height), input '{}' takes {} x {}: -resize "
                        "nearest, linear or cubic brings it to that size",
                        file, picture.width, picture.height, port.get_any_name(),
                        place.shape[place.width], place.shape[place.height]));
    }
}

void add_values(preprocess::PreProcessSteps& steps,
                const Output& port,
                const PictureOptions& options) {
    const std::string mean = text_for(options.mean, "-mean_values", port);
    if (!mean.empty()) {
        steps.mean(parse_numbers(mean, "-mean_values"));
    }
    const std::string scale = text_for(options.scale, "-scale_values", port);
    if (!scale.empty()) {
        steps.scale(parse_numbers(scale, "-scale_values"));
    }
}

// The steps as a model of their own: the user's model stays as it is.
std::shared_ptr<Model> steps_model(const Picture& picture,
                                   const Output& port,
                                   const Place& place,
                                   const PictureOptions& options) {
    auto model = std::make_shared<Model>("picture");
    Node* input = model->add_parameter(port.get_any_name(), port.type(), PartialShape(place.shape));
    model->add_result("result", input->output());
    preprocess::PrePostProcessor ppp(model);
    const bool batch = place.shape.size() == 4;
    Shape given = {picture.height, picture.width, 3};
    given.insert(given.begin(), batch ? 1 : 0, 1);
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout(batch ? "NHWC" : "HWC")
        .set_color_format(ColorFormat::RGB)
        .set_shape(PartialShape(given));
    ppp.input().model().set_layout(place.layout);
    preprocess::PreProcessSteps& steps = ppp.input().preprocess();
    if (is_real(port.type()) || !options.mean.empty() || !options.scale.empty()) {
        steps.convert_element_type(ElementType::f32);
    }
    if (const ColorFormat color = color_of_input(place.channels, port, options);
        color != ColorFormat::RGB) {
        steps.convert_color(color);
    }
    if (!options.resize.empty()) {
        steps.resize(algorithm_of(options.resize), place.shape[place.height],
                     place.shape[place.width]);
    }
    add_values(steps, port, options);
    return ppp.build();
}

// Files that an input may be named as in a folder, without the ending.
std::vector<std::string> stems_of(const Output& port) {
    std::vector<std::string> stems;
    std::vector<std::string> names(port.get_names().begin(), port.get_names().end());
    names.push_back(port.node->name());
    for (const std::string& name : names) {
        stems.push_back(file_name_of(name));
        stems.push_back(short_file_name_of(name));
    }
    return stems;
}

bool is_named_after(const fs::path& file, const Output& port) {
    const std::vector<std::string> stems = stems_of(port);
    return std::find(stems.begin(), stems.end(), file.stem().string()) != stems.end();
}

bool holds_an_input(const std::string& folder, const std::vector<Output>& inputs) {
    return std::any_of(
        fs::directory_iterator(folder), fs::directory_iterator(), [&](const auto& entry) {
            const fs::path& file = entry.path();
            return (file.extension() == ".npy" || is_picture_file(file.string())) &&
                   std::any_of(inputs.begin(), inputs.end(),
                               [&](const Output& port) { return is_named_after(file, port); });
        });
}

Tensor read_array(const std::string& path) {
    if (!fs::exists(path)) {
        throw Error("read", fmt::format("'{}': there is no such file or folder", path));
    }
    if (fs::path(path).extension() != ".npy") {
        throw Error("read", fmt::format("'{}' is neither a picture (.png, .jpg, .jpeg, .bmp), a "
                                        ".npy file nor a folder of such files",
                                        path));
    }
    return read_npy(path);
}

}  // namespace

void add_look_options(CLI::App& app, PictureOptions& options) {
    app.add_option(
           "--color", options.color,
           "Colors of a picture as the model wants them: RGB, BGR or GRAY; without: RGB, or "
           "GRAY for one channel")
        ->check(one_of({"RGB", "BGR", "GRAY"}));
    app.add_option("--resize", options.resize,
                   "Bring a picture to the size of the input: nearest, linear or cubic; without, "
                   "another size is an error")
        ->check(one_of({"nearest", "linear", "cubic"}));
}

void add_picture_options(CLI::App& app, PictureOptions& options) {
    add_look_options(app, options);
    app.add_option("--layout", options.layout,
                   "Dimensions of an input that gets pictures, where its shape does not show them: "
                   "NCHW, NHWC, or in[NHWC]");
    app.add_option("--mean_values", options.mean,
                   "Subtracted from a picture, one value or one a channel in the order of -color: "
                   "[104,117,123] or in[104,117,123]");
    app.add_option("--scale_values", options.scale, "Divides a picture, after the mean");
}

bool channels_are_last(const Output& port, const PictureOptions& options) {
    const std::size_t rank = port.partial_shape().rank();
    return layout_of_picture(port, options).index_in("C", rank) == rank - 1;
}

Tensor picture_tensor(const Picture& picture,
                      const std::string& file,
                      const Output& port,
                      const PictureOptions& options) {
    const Place place = place_of_picture(port, picture, options);
    if (options.resize.empty()) {
        require_size(picture, file, port, place);
    }
    const std::shared_ptr<Model> model = steps_model(picture, port, place, options);
    InferRequest request = Core().compile_model(model, "REFERENCE").create_infer_request();
    const Tensor bytes = request.get_input_tensor();
    std::memcpy(request.get_input_tensor().data(), picture.bytes(), bytes.get_byte_size());
    request.infer();
    return request.get_output_tensor();
}

std::vector<std::string> runs_of(const std::string& path, const std::vector<Output>& inputs) {
    if (!fs::is_directory(path) || holds_an_input(path, inputs)) {
        return {path};
    }
    const std::vector<std::string> pictures = picture_files(path);
    return pictures.empty() ? std::vector{path} : pictures;
}

std::string picture_of_run(const std::string& path, const Output& port) {
    if (!fs::is_directory(path)) {
        return is_picture_file(path) ? path : "";
    }
    for (const std::string& file : picture_files(path)) {
        if (is_named_after(file, port)) {
            return file;
        }
    }
    return "";
}

Tensor read_run_input(const std::string& path,
                      const std::vector<Output>& inputs,
                      std::size_t index,
                      const PictureOptions& options) {
    const Output& port = inputs[index];
    const std::string file = picture_of_run(path, port);
    if (fs::is_regular_file(path) && inputs.size() > 1) {
        throw UsageError(
            fmt::format("-i: the model has {} inputs, so it takes folders with a file "
                        "for each, such as '{}.png', not the file '{}'",
                        inputs.size(), file_name_of(port.node->name()), path));
    }
    if (file.empty()) {
        return fs::is_directory(path) ? read_input(path, port) : read_array(path);
    }
    const PartialShape& shape = port.partial_shape();
    if (shape.rank_is_static() && shape.rank() == 4 && !shape[0].contains(1)) {
        throw Error("picture", fmt::format("input '{}' is a batch {}, '{}' is one picture",
                                           port.get_any_name(), to_string(shape), file));
    }
    return picture_tensor(read_picture(file), file, port, options);
}

}  // namespace fuseq::samples
