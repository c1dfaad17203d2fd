// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// convert_color: planes to channels, channels in another order, and gray.
#include <numeric>

#include "ops/reduce.hpp"
#include "ops/round.hpp"
#include "preprocess/step_state.hpp"

namespace fuseq::preprocess {
namespace {

constexpr float kRedWeight = 0.299F;  // of ITU-R BT.601
constexpr float kGreenWeight = 0.587F;
constexpr float kBlueWeight = 0.114F;

bool is_rgb_like(ColorFormat format) {
    return format == ColorFormat::RGB || format == ColorFormat::RGBX;
}

bool is_nv12(ColorFormat format) {
    return format == ColorFormat::NV12_SINGLE_PLANE || format == ColorFormat::NV12_TWO_PLANES;
}

// The first rows of the one plane.
Output brightness_rows(const StepState& state) {
    const Dimension& rows = state.tensors[0].partial_shape()[1];
    if (!rows.is_static()) {
        state.fail("convert_color to GRAY needs to know the height of the picture");
    }
    return state.add("Slice", 8,
                     {state.tensors[0], state.ints({0}), state.ints({rows.get_length() / 3 * 2}),
                      state.ints({1}), state.ints({1})});
}

void from_planes(StepState& state, ColorFormat to) {
    if (to == ColorFormat::GRAY) {
        state.tensors = {state.tensors.size() == 1 ? brightness_rows(state) : state.tensors[0]};
        return;
    }
    if (to != ColorFormat::RGB && to != ColorFormat::BGR) {
        state.fail("convert_color from ", to_string(state.color), " to ", to_string(to),
                   " is not possible; expected RGB, BGR or GRAY");
    }
    const std::string type =
        std::string(is_nv12(state.color) ? "NV12to" : "I420to") + to_string(to);
    state.tensors = {state.add(type.c_str(), 8, state.tensors)};
}

// Three of the four channels.
void drop_fourth(StepState& state) {
    const auto axis = static_cast<std::int64_t>(state.dimension("convert_color", "C"));
    state.tensors = {state.add(
        "Slice", 8,
        {state.tensors[0], state.ints({0}), state.ints({3}), state.ints({1}), state.ints({axis})})};
    state.color = is_rgb_like(state.color) ? ColorFormat::RGB : ColorFormat::BGR;
}

// The weighted sum of the channels; integers are rounded half to even.
void to_gray(StepState& state) {
    const std::size_t axis = state.dimension("convert_color", "C");
    const ElementType type = state.tensors[0].type();
    if (!is_real(type)) {
        state.tensors = {state.converted(state.tensors[0], ElementType::f32)};
    }
    const std::vector<float> weights =
        is_rgb_like(state.color) ? std::vector<float>{kRedWeight, kGreenWeight, kBlueWeight}
                                 : std::vector<float>{kBlueWeight, kGreenWeight, kRedWeight};
    const Output parts =
        state.add("Multiply", 1, {state.tensors[0], state.per_channel("convert_color", weights)});
    ReduceAttrs attributes;
    attributes.keep_dims = true;
    Output gray = state.add_with(
        "ReduceSum", 1, {parts, state.ints({static_cast<std::int64_t>(axis)})}, attributes);
    if (!is_real(type)) {
        gray = state.converted(state.add_with("Round", 5, {gray}, RoundAttrs{}), type);
    }
    state.tensors = {gray};
}

void between_channels(StepState& state, ColorFormat to) {
    const bool possible =
        to == ColorFormat::RGB || to == ColorFormat::BGR || to == ColorFormat::GRAY;
    if (!possible || state.color == ColorFormat::GRAY) {
        state.fail("convert_color from ", to_string(state.color), " to ", to_string(to),
                   " is not possible");
    }
    if (channels_of(state.color) == 4) {
        drop_fourth(state);
    }
    if (to == ColorFormat::GRAY) {
        to_gray(state);
    } else if (to != state.color) {
        reverse_channels_step()(state);
    }
}

}  // namespace

StepFunction convert_color_step(ColorFormat format) {
    return [format](StepState& state) {
        if (state.color == ColorFormat::UNDEFINED || format == ColorFormat::UNDEFINED) {
            state.fail("convert_color to ", to_string(format), " from a tensor whose format is ",
                       to_string(state.color), "; tensor().set_color_format()");
        }
        if (state.color == format) {
            return;
        }
        if (is_yuv(state.color)) {
            from_planes(state, format);
        } else {
            between_channels(state, format);
        }
        state.color = format;
    };
}

std::optional<std::size_t> channels_of(ColorFormat format) {
    switch (format) {
        case ColorFormat::RGB:
        case ColorFormat::BGR: return 3;
        case ColorFormat::RGBX:
        case ColorFormat::BGRX: return 4;
        case ColorFormat::GRAY: return 1;
        default: return std::nullopt;
    }
}

std::size_t plane_count(ColorFormat format) {
    switch (format) {
        case ColorFormat::NV12_TWO_PLANES: return 2;
        case ColorFormat::I420_THREE_PLANES: return 3;
        default: return 1;
    }
}

bool is_yuv(ColorFormat format) {
    return is_nv12(format) || format == ColorFormat::I420_SINGLE_PLANE ||
           format == ColorFormat::I420_THREE_PLANES;
}

std::string to_string(ColorFormat format) {
    constexpr const char* kNames[] = {"UNDEFINED",
                                      "NV12_SINGLE_PLANE",
                                      "NV12_TWO_PLANES",
                                      "I420_SINGLE_PLANE",
                                      "I420_THREE_PLANES",
                                      "RGB",
                                      "BGR",
                                      "GRAY",
                                      "RGBX",
                                      "BGRX"};
    return kNames[static_cast<std::size_t>(format)];
}

}  // namespace fuseq::preprocess
