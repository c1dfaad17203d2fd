// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The classes that collect what is stated about inputs and outputs.
#include <sstream>

#include "preprocess/step_state.hpp"

namespace fuseq::preprocess {
namespace {

PartialShape picture_size(std::size_t height, std::size_t width) {
    return {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width)};
}

// "1,2.5"
template <class T>
std::string listed(const std::vector<T>& values) {
    std::ostringstream text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        text << (i == 0 ? "" : ",") << values[i];
    }
    return text.str();
}

// "resize(RESIZE_LINEAR,224,224)"
template <class... Args>
std::string call(const char* name, const Args&... args) {
    std::string text;
    ((text += (text.empty() || detail::cat(args).empty() ? "" : ",") + detail::cat(args)), ...);
    return std::string(name) + "(" + text + ")";
}

std::string type_name(ElementType type) {
    return type == ElementType::undefined ? "" : fuseq::to_string(type);
}

const char* algorithm_name(ResizeAlgorithm algorithm) {
    constexpr const char* kNames[] = {"RESIZE_LINEAR", "RESIZE_CUBIC", "RESIZE_NEAREST",
                                      "RESIZE_BILINEAR_PILLOW", "RESIZE_BICUBIC_PILLOW"};
    return kNames[static_cast<std::size_t>(algorithm)];
}

}  // namespace

InputTensorInfo& InputTensorInfo::set_element_type(ElementType type) {
    type_ = type;
    return *this;
}
InputTensorInfo& InputTensorInfo::set_layout(const Layout& layout) {
    layout_ = layout;
    return *this;
}
InputTensorInfo& InputTensorInfo::set_color_format(ColorFormat format,
                                                   std::vector<std::string> sub_names) {
    color_ = format;
    sub_names_ = std::move(sub_names);
    return *this;
}
InputTensorInfo& InputTensorInfo::set_spatial_static_shape(std::size_t height, std::size_t width) {
    spatial_ = picture_size(height, width);
    return *this;
}
InputTensorInfo& InputTensorInfo::set_spatial_dynamic_shape() {
    spatial_ = PartialShape{Dimension::dynamic(), Dimension::dynamic()};
    return *this;
}
InputTensorInfo& InputTensorInfo::set_shape(const PartialShape& shape) {
    shape_ = shape;
    return *this;
}
InputTensorInfo& InputTensorInfo::set_from(const Tensor& tensor) {
    return set_element_type(tensor.get_element_type()).set_shape(tensor.get_shape());
}

PreProcessSteps& PreProcessSteps::convert_element_type(ElementType type) {
    steps_.push_back({call("convert_element_type", type_name(type)), convert_type_step(type)});
    return *this;
}
PreProcessSteps& PreProcessSteps::convert_color(ColorFormat format) {
    steps_.push_back({call("convert_color", to_string(format)), convert_color_step(format)});
    return *this;
}
PreProcessSteps& PreProcessSteps::convert_layout(const Layout& layout) {
    steps_.push_back({call("convert_layout", layout.to_string()), convert_layout_step(layout)});
    return *this;
}
PreProcessSteps& PreProcessSteps::convert_layout(const std::vector<std::uint64_t>& order) {
    orders_.push_back(order);
    steps_.push_back({call("convert_layout", listed(order)), convert_layout_step(order)});
    return *this;
}
PreProcessSteps& PreProcessSteps::resize(ResizeAlgorithm algorithm,
                                         std::size_t height,
                                         std::size_t width) {
    steps_.push_back({call("resize", algorithm_name(algorithm), height, width),
                      resize_step(algorithm, picture_size(height, width))});
    return *this;
}
PreProcessSteps& PreProcessSteps::resize(ResizeAlgorithm algorithm) {
    steps_.push_back(
        {call("resize", algorithm_name(algorithm)), resize_step(algorithm, std::nullopt)});
    return *this;
}
PreProcessSteps& PreProcessSteps::mean(float value) {
    return mean(std::vector<float>{value});
}
PreProcessSteps& PreProcessSteps::mean(const std::vector<float>& values) {
    steps_.push_back({call("mean", listed(values)), arithmetic_step("Subtract", "mean", values)});
    return *this;
}
PreProcessSteps& PreProcessSteps::scale(float value) {
    return scale(std::vector<float>{value});
}
PreProcessSteps& PreProcessSteps::scale(const std::vector<float>& values) {
    steps_.push_back({call("scale", listed(values)), arithmetic_step("Divide", "scale", values)});
    return *this;
}
PreProcessSteps& PreProcessSteps::crop(const std::vector<int>& begin, const std::vector<int>& end) {
    steps_.push_back({call("crop", listed(begin), listed(end)), crop_step(begin, end)});
    return *this;
}
PreProcessSteps& PreProcessSteps::pad(const std::vector<int>& begin,
                                      const std::vector<int>& end,
                                      float value,
                                      PaddingMode mode) {
    return pad(begin, end, std::vector<float>{value}, mode);
}
PreProcessSteps& PreProcessSteps::pad(const std::vector<int>& begin,
                                      const std::vector<int>& end,
                                      const std::vector<float>& values,
                                      PaddingMode mode) {
    steps_.push_back({call("pad", listed(begin), listed(end), listed(values)),
                      pad_step(begin, end, values, mode)});
    return *this;
}
PreProcessSteps& PreProcessSteps::reverse_channels() {
    steps_.push_back({call("reverse_channels"), reverse_channels_step()});
    return *this;
}
PreProcessSteps& PreProcessSteps::custom(std::function<Output(const Output&)> step) {
    steps_.push_back({call("custom"), custom_step(std::move(step))});
    return *this;
}

InputModelInfo& InputModelInfo::set_layout(const Layout& layout) {
    layout_ = layout;
    return *this;
}

OutputTensorInfo& OutputTensorInfo::set_element_type(ElementType type) {
    type_ = type;
    return *this;
}
OutputTensorInfo& OutputTensorInfo::set_layout(const Layout& layout) {
    layout_ = layout;
    return *this;
}

PostProcessSteps& PostProcessSteps::convert_element_type(ElementType type) {
    steps_.push_back({call("convert_element_type", type_name(type)), convert_type_step(type)});
    return *this;
}
PostProcessSteps& PostProcessSteps::convert_layout(const Layout& layout) {
    steps_.push_back({call("convert_layout", layout.to_string()), convert_layout_step(layout)});
    return *this;
}
PostProcessSteps& PostProcessSteps::convert_layout(const std::vector<std::uint64_t>& order) {
    steps_.push_back({call("convert_layout", listed(order)), convert_layout_step(order)});
    return *this;
}
PostProcessSteps& PostProcessSteps::custom(std::function<Output(const Output&)> step) {
    steps_.push_back({call("custom"), custom_step(std::move(step))});
    return *this;
}

OutputModelInfo& OutputModelInfo::set_layout(const Layout& layout) {
    layout_ = layout;
    return *this;
}

}  // namespace fuseq::preprocess
