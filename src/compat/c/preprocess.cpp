// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdarg>

#include "compat/c/objects.hpp"

namespace pp = fuseq::preprocess;
using namespace fuseq::compat;

// Parts keep the whole: a program may free it before them.
struct ov_preprocess_prepostprocessor {
    std::shared_ptr<pp::PrePostProcessor> own;
};
struct ov_preprocess_input_info {
    std::shared_ptr<pp::InputInfo> own;
};
struct ov_preprocess_input_tensor_info {
    std::shared_ptr<pp::InputTensorInfo> own;
};
struct ov_preprocess_input_model_info {
    std::shared_ptr<pp::InputModelInfo> own;
};
struct ov_preprocess_preprocess_steps {
    std::shared_ptr<pp::PreProcessSteps> own;
};
struct ov_preprocess_output_info {
    std::shared_ptr<pp::OutputInfo> own;
};
struct ov_preprocess_output_tensor_info {
    std::shared_ptr<pp::OutputTensorInfo> own;
};

namespace {

// A handle to part(*whole->own), which is of it.
template <class Handle, class Whole, class Part>
ov_status_e give_part(const Whole* whole, Handle** handle, const Part& part) {
    return guarded([&] {
        need_all(whole, handle);
        auto& own = part(*whole->own);
        *handle = new Handle{{whole->own, &own}};
    });
}

template <class Handle, class Body>
ov_status_e with(Handle* handle, const Body& body) {
    return guarded([&] {
        need_all(handle);
        body(*handle->own);
    });
}

// The same order as in the C++ API.
pp::ColorFormat color_of(ov_color_format_e format) {
    need(format <= BGRX);
    return static_cast<pp::ColorFormat>(format);
}

std::vector<int> list_of(const int32_t* values, size_t size) {
    need(size == 0 || values != nullptr);
    return {values, values + size};
}

size_t count_of(int32_t size) {
    need(size >= 0);
    return static_cast<size_t>(size);
}

std::vector<float> floats_of(const float* values, int32_t size) {
    need(values != nullptr);
    return {values, values + count_of(size)};
}

}  // namespace

ov_status_e ov_preprocess_prepostprocessor_create(const ov_model_t* model,
                                                  ov_preprocess_prepostprocessor_t** preprocess) {
    return guarded([&] {
        need_all(model, preprocess);
        *preprocess = new ov_preprocess_prepostprocessor{
            std::make_shared<pp::PrePostProcessor>(model->model)};
    });
}
void ov_preprocess_prepostprocessor_free(ov_preprocess_prepostprocessor_t* preprocess) {
    delete preprocess;
}
ov_status_e ov_preprocess_prepostprocessor_build(const ov_preprocess_prepostprocessor_t* preprocess,
                                                 ov_model_t** model) {
    return guarded([&] {
        need_all(preprocess, model);
        *model = new ov_model{preprocess->own->build()};
    });
}

ov_status_e ov_preprocess_prepostprocessor_get_input_info(
    const ov_preprocess_prepostprocessor_t* preprocess,
    ov_preprocess_input_info_t** preprocess_input_info) {
    return give_part(
        preprocess, preprocess_input_info, [](auto& p) -> auto& { return p.input(); });
}
ov_status_e ov_preprocess_prepostprocessor_get_input_info_by_name(
    const ov_preprocess_prepostprocessor_t* preprocess,
    const char* tensor_name,
    ov_preprocess_input_info_t** preprocess_input_info) {
    return give_part(
        preprocess, preprocess_input_info, [&](auto& p) -> auto& {
            need_all(tensor_name);
            return p.input(std::string_view(tensor_name));
        });
}
ov_status_e ov_preprocess_prepostprocessor_get_input_info_by_index(
    const ov_preprocess_prepostprocessor_t* preprocess,
    const size_t tensor_index,
    ov_preprocess_input_info_t** preprocess_input_info) {
    return give_part(
        preprocess, preprocess_input_info, [&](auto& p) -> auto& { return p.input(tensor_index); });
}
void ov_preprocess_input_info_free(ov_preprocess_input_info_t* input_info) {
    delete input_info;
}
ov_status_e ov_preprocess_input_info_get_tensor_info(
    const ov_preprocess_input_info_t* input_info, ov_preprocess_input_tensor_info_t** tensor_info) {
    return give_part(
        input_info, tensor_info, [](auto& i) -> auto& { return i.tensor(); });
}
void ov_preprocess_input_tensor_info_free(ov_preprocess_input_tensor_info_t* tensor_info) {
    delete tensor_info;
}
ov_status_e ov_preprocess_input_info_get_preprocess_steps(
    const ov_preprocess_input_info_t* input_info, ov_preprocess_preprocess_steps_t** steps) {
    return give_part(
        input_info, steps, [](auto& i) -> auto& { return i.preprocess(); });
}
void ov_preprocess_preprocess_steps_free(ov_preprocess_preprocess_steps_t* steps) {
    delete steps;
}
ov_status_e ov_preprocess_input_info_get_model_info(const ov_preprocess_input_info_t* input_info,
                                                    ov_preprocess_input_model_info_t** model_info) {
    return give_part(
        input_info, model_info, [](auto& i) -> auto& { return i.model(); });
}
void ov_preprocess_input_model_info_free(ov_preprocess_input_model_info_t* model_info) {
    delete model_info;
}
ov_status_e ov_preprocess_input_model_info_set_layout(ov_preprocess_input_model_info_t* model_info,
                                                      ov_layout_t* layout) {
    return with(model_info, [&](auto& info) {
        need_all(layout);
        info.set_layout(layout->layout);
    });
}

ov_status_e ov_preprocess_input_tensor_info_set_element_type(
    ov_preprocess_input_tensor_info_t* tensor_info, const ov_element_type_e element_type) {
    return with(tensor_info, [&](auto& info) { info.set_element_type(to_own(element_type)); });
}
ov_status_e ov_preprocess_input_tensor_info_set_color_format(
    ov_preprocess_input_tensor_info_t* tensor_info, const ov_color_format_e color_format) {
    return with(tensor_info, [&](auto& info) { info.set_color_format(color_of(color_format)); });
}
ov_status_e ov_preprocess_input_tensor_info_set_color_format_with_subname(
    ov_preprocess_input_tensor_info_t* tensor_info,
    const ov_color_format_e color_format,
    const size_t sub_names_size,
    ...) {
    std::va_list list;
    va_start(list, sub_names_size);
    const ov_status_e status = with(tensor_info, [&](auto& info) {
        std::vector<std::string> names;
        for (size_t i = 0; i < sub_names_size; ++i) {
            const char* name = va_arg(list, const char*);
            need_all(name);
            names.emplace_back(name);
        }
        info.set_color_format(color_of(color_format), std::move(names));
    });
    va_end(list);
    return status;
}
ov_status_e ov_preprocess_input_tensor_info_set_spatial_static_shape(
    ov_preprocess_input_tensor_info_t* tensor_info,
    const size_t input_height,
    const size_t input_width) {
    return with(tensor_info,
                [&](auto& info) { info.set_spatial_static_shape(input_height, input_width); });
}
ov_status_e ov_preprocess_input_tensor_info_set_from(ov_preprocess_input_tensor_info_t* tensor_info,
                                                     const ov_tensor_t* tensor) {
    return with(tensor_info, [&](auto& info) {
        need_all(tensor);
        info.set_from(tensor->tensor);
    });
}
ov_status_e ov_preprocess_input_tensor_info_set_layout(
    ov_preprocess_input_tensor_info_t* tensor_info, ov_layout_t* layout) {
    return with(tensor_info, [&](auto& info) {
        need_all(layout);
        info.set_layout(layout->layout);
    });
}

ov_status_e ov_preprocess_preprocess_steps_resize(
    ov_preprocess_preprocess_steps_t* steps,
    const ov_preprocess_resize_algorithm_e resize_algorithm) {
    return with(steps, [&](auto& s) {
        need(resize_algorithm <= RESIZE_NEAREST);
        s.resize(static_cast<pp::ResizeAlgorithm>(resize_algorithm));
    });
}
ov_status_e ov_preprocess_preprocess_steps_scale(ov_preprocess_preprocess_steps_t* steps,
                                                 float value) {
    return with(steps, [&](auto& s) { s.scale(value); });
}
ov_status_e ov_preprocess_preprocess_steps_scale_multi_channels(
    ov_preprocess_preprocess_steps_t* steps, const float* values, const int32_t value_size) {
    return with(steps, [&](auto& s) { s.scale(floats_of(values, value_size)); });
}
ov_status_e ov_preprocess_preprocess_steps_mean(ov_preprocess_preprocess_steps_t* steps,
                                                float value) {
    return with(steps, [&](auto& s) { s.mean(value); });
}
ov_status_e ov_preprocess_preprocess_steps_mean_multi_channels(
    ov_preprocess_preprocess_steps_t* steps, const float* values, const int32_t value_size) {
    return with(steps, [&](auto& s) { s.mean(floats_of(values, value_size)); });
}
ov_status_e ov_preprocess_preprocess_steps_crop(ov_preprocess_preprocess_steps_t* steps,
                                                int32_t* begin,
                                                int32_t begin_size,
                                                int32_t* end,
                                                int32_t end_size) {
    return with(steps, [&](auto& s) {
        s.crop(list_of(begin, count_of(begin_size)), list_of(end, count_of(end_size)));
    });
}
ov_status_e ov_preprocess_preprocess_steps_pad(ov_preprocess_preprocess_steps_t* steps,
                                               const int32_t* pads_begin,
                                               size_t pads_begin_size,
                                               const int32_t* pads_end,
                                               size_t pads_end_size,
                                               float value,
                                               ov_padding_mode_e mode) {
    return with(steps, [&](auto& s) {
        need(mode <= SYMMETRIC);
        s.pad(list_of(pads_begin, pads_begin_size), list_of(pads_end, pads_end_size), value,
              static_cast<pp::PaddingMode>(mode));
    });
}
ov_status_e ov_preprocess_preprocess_steps_convert_layout(ov_preprocess_preprocess_steps_t* steps,
                                                          ov_layout_t* layout) {
    return with(steps, [&](auto& s) {
        need_all(layout);
        s.convert_layout(layout->layout);
    });
}
ov_status_e ov_preprocess_preprocess_steps_reverse_channels(
    ov_preprocess_preprocess_steps_t* steps) {
    return with(steps, [](auto& s) { s.reverse_channels(); });
}
ov_status_e ov_preprocess_preprocess_steps_convert_element_type(
    ov_preprocess_preprocess_steps_t* steps, const ov_element_type_e element_type) {
    return with(steps, [&](auto& s) { s.convert_element_type(to_own(element_type)); });
}
ov_status_e ov_preprocess_preprocess_steps_convert_color(ov_preprocess_preprocess_steps_t* steps,
                                                         const ov_color_format_e color_format) {
    return with(steps, [&](auto& s) { s.convert_color(color_of(color_format)); });
}

ov_status_e ov_preprocess_prepostprocessor_get_output_info(
    const ov_preprocess_prepostprocessor_t* preprocess,
    ov_preprocess_output_info_t** preprocess_output_info) {
    return give_part(
        preprocess, preprocess_output_info, [](auto& p) -> auto& { return p.output(); });
}
ov_status_e ov_preprocess_prepostprocessor_get_output_info_by_index(
    const ov_preprocess_prepostprocessor_t* preprocess,
    const size_t tensor_index,
    ov_preprocess_output_info_t** preprocess_output_info) {
    return give_part(
        preprocess,
        preprocess_output_info, [&](auto& p) -> auto& { return p.output(tensor_index); });
}
ov_status_e ov_preprocess_prepostprocessor_get_output_info_by_name(
    const ov_preprocess_prepostprocessor_t* preprocess,
    const char* tensor_name,
    ov_preprocess_output_info_t** preprocess_output_info) {
    return give_part(
        preprocess, preprocess_output_info, [&](auto& p) -> auto& {
            need_all(tensor_name);
            return p.output(std::string_view(tensor_name));
        });
}
void ov_preprocess_output_info_free(ov_preprocess_output_info_t* output_info) {
    delete output_info;
}
ov_status_e ov_preprocess_output_info_get_tensor_info(
    const ov_preprocess_output_info_t* output_info,
    ov_preprocess_output_tensor_info_t** tensor_info) {
    return give_part(
        output_info, tensor_info, [](auto& o) -> auto& { return o.tensor(); });
}
void ov_preprocess_output_tensor_info_free(ov_preprocess_output_tensor_info_t* tensor_info) {
    delete tensor_info;
}
ov_status_e ov_preprocess_output_set_element_type(ov_preprocess_output_tensor_info_t* tensor_info,
                                                  const ov_element_type_e element_type) {
    return with(tensor_info, [&](auto& info) { info.set_element_type(to_own(element_type)); });
}
