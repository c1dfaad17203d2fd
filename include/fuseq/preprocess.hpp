// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Preprocessing as part of a model, with the names of ov::preprocess: what the user's tensor is,
// what happens to it, and what the model expects. build() puts ordinary operations between the
// inputs and their readers; a device makes of them what it can (the CPU device: one pass from the
// user's picture to the integers of the first layer).
//
//   fuseq::preprocess::PrePostProcessor ppp(model);
//   ppp.input().tensor().set_element_type(fuseq::ElementType::u8).set_layout("NHWC")
//       .set_color_format(fuseq::preprocess::ColorFormat::BGR).set_spatial_dynamic_shape();
//   ppp.input().preprocess().convert_element_type(fuseq::ElementType::f32)
//       .convert_color(fuseq::preprocess::ColorFormat::RGB)
//       .resize(fuseq::preprocess::ResizeAlgorithm::RESIZE_LINEAR).mean(127.5f).scale(127.5f);
//   ppp.input().model().set_layout("NCHW");
//   ppp.output().tensor().set_element_type(fuseq::ElementType::f32);
//   model = ppp.build();
//
// Steps run in the order in which they are stated; conversions to the type and the layout of the
// model follow by themselves. All failures are Error (stage "preprocess") and name the input.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/layout.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::preprocess {

enum class ColorFormat {
    UNDEFINED,
    NV12_SINGLE_PLANE,  // [N, H * 3 / 2, W, 1]
    NV12_TWO_PLANES,    // Y [N, H, W, 1], UV [N, H / 2, W / 2, 2]
    I420_SINGLE_PLANE,  // [N, H * 3 / 2, W, 1]
    I420_THREE_PLANES,  // Y [N, H, W, 1], U and V [N, H / 2, W / 2, 1]
    RGB,
    BGR,
    GRAY,
    RGBX,  // four channels, the last of which is dropped
    BGRX
};

enum class ResizeAlgorithm {
    RESIZE_LINEAR,
    RESIZE_CUBIC,
    RESIZE_NEAREST,
    RESIZE_BILINEAR_PILLOW,
    RESIZE_BICUBIC_PILLOW
};

enum class PaddingMode { CONSTANT, EDGE, REFLECT, SYMMETRIC };

// Not for programs.
struct Step {
    std::string text;  // "mean(1,2,3)"
    std::function<void(struct StepState&)> run;
};

// What the user gives.
class InputTensorInfo {
public:
    InputTensorInfo& set_element_type(ElementType type);
    InputTensorInfo& set_layout(const Layout& layout);
    // `sub_names`: of the planes, where there are several; they become inputs "<name>/<sub name>",
    // without names "<name>/0", "<name>/1", ...
    InputTensorInfo& set_color_format(ColorFormat format, std::vector<std::string> sub_names = {});
    // Height and width of the picture (not of its planes); both need a layout with H and W, which
    // color formats of planes imply.
    InputTensorInfo& set_spatial_static_shape(std::size_t height, std::size_t width);
    InputTensorInfo& set_spatial_dynamic_shape();
    // The whole shape; for one plane only.
    InputTensorInfo& set_shape(const PartialShape& shape);
    // Type and shape of a tensor.
    InputTensorInfo& set_from(const Tensor& tensor);

private:
    friend class InputBuilder;
    friend class Description;
    std::optional<ElementType> type_;
    Layout layout_;
    ColorFormat color_ = ColorFormat::UNDEFINED;
    std::vector<std::string> sub_names_;
    std::optional<PartialShape> spatial_;  // height, width
    std::optional<PartialShape> shape_;
};

class PreProcessSteps {
public:
    // Without a type: that of the model's input.
    PreProcessSteps& convert_element_type(ElementType type = ElementType::undefined);
    PreProcessSteps& convert_color(ColorFormat format);
    // Without a layout: that of the model's input. Dimensions that the tensor does not have become
    // ones in front.
    PreProcessSteps& convert_layout(const Layout& layout = {});
    // Dimension i of the result is dimension order[i] before.
    PreProcessSteps& convert_layout(const std::vector<std::uint64_t>& order);
    // To a size, or to that of the model's input.
    PreProcessSteps& resize(ResizeAlgorithm algorithm, std::size_t height, std::size_t width);
    PreProcessSteps& resize(ResizeAlgorithm algorithm);
    // x - value and x / value; one value, or one a channel (the layout says which dimension that
    // is). Of real types only.
    PreProcessSteps& mean(float value);
    PreProcessSteps& mean(const std::vector<float>& values);
    PreProcessSteps& scale(float value);
    PreProcessSteps& scale(const std::vector<float>& values);
    // One value a dimension; negative ones count from the end.
    PreProcessSteps& crop(const std::vector<int>& begin, const std::vector<int>& end);
    PreProcessSteps& pad(const std::vector<int>& begin,
                         const std::vector<int>& end,
                         float value,
                         PaddingMode mode);
    // One value a channel.
    PreProcessSteps& pad(const std::vector<int>& begin,
                         const std::vector<int>& end,
                         const std::vector<float>& values,
                         PaddingMode mode);
    PreProcessSteps& reverse_channels();
    // Operations of the caller's: gets the tensor and returns what it became, of the same model.
    PreProcessSteps& custom(std::function<Output(const Output&)> step);

private:
    friend class InputBuilder;
    friend class Description;
    std::vector<Step> steps_;
    std::vector<std::vector<std::uint64_t>> orders_;  // of convert_layout
};

// What the model expects.
class InputModelInfo {
public:
    InputModelInfo& set_layout(const Layout& layout);

private:
    friend class InputBuilder;
    friend class Description;
    Layout layout_;
};

class InputInfo {
public:
    InputTensorInfo& tensor() { return tensor_; }
    PreProcessSteps& preprocess() { return steps_; }
    InputModelInfo& model() { return model_; }

private:
    friend class InputBuilder;
    friend class Description;
    InputTensorInfo tensor_;
    PreProcessSteps steps_;
    InputModelInfo model_;
};

// What the user gets.
class OutputTensorInfo {
public:
    OutputTensorInfo& set_element_type(ElementType type);
    OutputTensorInfo& set_layout(const Layout& layout);

private:
    friend class OutputBuilder;
    friend class Description;
    std::optional<ElementType> type_;
    Layout layout_;
};

class PostProcessSteps {
public:
    PostProcessSteps& convert_element_type(ElementType type = ElementType::undefined);
    PostProcessSteps& convert_layout(const Layout& layout = {});
    PostProcessSteps& convert_layout(const std::vector<std::uint64_t>& order);
    PostProcessSteps& custom(std::function<Output(const Output&)> step);

private:
    friend class OutputBuilder;
    friend class Description;
    std::vector<Step> steps_;
};

class OutputModelInfo {
public:
    OutputModelInfo& set_layout(const Layout& layout);

private:
    friend class OutputBuilder;
    friend class Description;
    Layout layout_;
};

class OutputInfo {
public:
    OutputTensorInfo& tensor() { return tensor_; }
    PostProcessSteps& postprocess() { return steps_; }
    OutputModelInfo& model() { return model_; }

private:
    friend class OutputBuilder;
    friend class Description;
    OutputTensorInfo tensor_;
    PostProcessSteps steps_;
    OutputModelInfo model_;
};

class PrePostProcessor {
public:
    explicit PrePostProcessor(std::shared_ptr<Model> model);

    // Inputs and outputs of the model as it was given; by name: a tensor name or a layer name. The
    // forms without argument are for models with one.
    InputInfo& input();
    InputInfo& input(std::size_t index);
    InputInfo& input(std::string_view name);
    OutputInfo& output();
    OutputInfo& output(std::size_t index);
    OutputInfo& output(std::string_view name);

    // What was stated, one line an input or output: "input 'x': u8 [N,H,W,C] BGR -> mean(1) ->
    // f32".
    std::string to_string() const;

    // Changes the model and returns it. On an error the model is as before.
    std::shared_ptr<Model> build();

private:
    std::shared_ptr<Model> model_;
    std::deque<InputInfo> inputs_;
    std::deque<OutputInfo> outputs_;
};

}  // namespace fuseq::preprocess
