// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the programs in C do not call. Handles are freed by unique pointers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openvino/c/openvino.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "fuseq/fuseq.hpp"
#include "support/small_model.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T, void (*Free)(T*)>
struct Freer {
    void operator()(T* handle) const { Free(handle); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freer<T, Free>>;
using CorePtr = Handle<ov_core_t, ov_core_free>;
using ModelPtr = Handle<ov_model_t, ov_model_free>;
using Compiled = Handle<ov_compiled_model_t, ov_compiled_model_free>;
using Request = Handle<ov_infer_request_t, ov_infer_request_free>;
using TensorPtr = Handle<ov_tensor_t, ov_tensor_free>;
using Port = Handle<ov_output_port_t, ov_output_port_free>;
using ConstPort = Handle<ov_output_const_port_t, ov_output_const_port_free>;
using LayoutPtr = Handle<ov_layout_t, ov_layout_free>;
using Processor = Handle<ov_preprocess_prepostprocessor_t, ov_preprocess_prepostprocessor_free>;

// The handle that a function gives as its last argument.
template <class Pointer, class... Params, class... Args>
Pointer made(ov_status_e (*function)(Params...), Args... args) {
    typename Pointer::pointer handle = nullptr;
    EXPECT_EQ(function(args..., &handle), OK) << ov_get_last_err_msg();
    return Pointer(handle);
}

std::string taken(char* text) {
    const std::string copy = text;
    ov_free(text);
    return copy;
}

std::vector<int64_t> taken(ov_shape_t shape) {
    std::vector<int64_t> dims(shape.dims, shape.dims + shape.rank);
    EXPECT_EQ(ov_shape_free(&shape), OK);
    return dims;
}

std::vector<float> values_of(const ov_tensor_t* tensor) {
    void* data = nullptr;
    size_t size = 0;
    size_t bytes = 0;
    EXPECT_EQ(ov_tensor_data(tensor, &data), OK);
    EXPECT_EQ(ov_tensor_get_size(tensor, &size), OK);
    EXPECT_EQ(ov_tensor_get_byte_size(tensor, &bytes), OK);
    EXPECT_EQ(bytes, 4 * size);
    const auto* floats = static_cast<const float*>(data);
    return {floats, floats + size};
}

TensorPtr floats(std::vector<int64_t> dims, const std::vector<float>& values) {
    TensorPtr tensor = made<TensorPtr>(ov_tensor_create, F32,
                                       ov_shape_t{static_cast<int64_t>(dims.size()), dims.data()});
    void* data = nullptr;
    EXPECT_EQ(ov_tensor_data(tensor.get(), &data), OK);
    std::memcpy(data, values.data(), values.size() * sizeof(float));
    return tensor;
}

class CompatC : public testing::Test {
protected:
    // Of a file with the relu model, whose tensors are "in_tensor" and "out_tensor".
    ModelPtr relu(const fuseq::PartialShape& shape) {
        path_ = folder_.path("relu.xml");
        fuseq::save_model(*fuseq::test::relu_model(shape), path_);
        return made<ModelPtr>(ov_core_read_model, core_.get(), path_.c_str(), nullptr);
    }
    Request request_of(const ov_model_t* model) {
        compiled_.reset();
        ov_compiled_model_t* handle = nullptr;
        EXPECT_EQ(ov_core_compile_model(core_.get(), model, "AUTO", 0, &handle), OK)
            << ov_get_last_err_msg();
        compiled_.reset(handle);
        return made<Request>(ov_compiled_model_create_infer_request, compiled_.get());
    }

    fuseq::test::TemporaryFolder folder_;
    std::string path_;
    CorePtr core_ = made<CorePtr>(ov_core_create_with_config, "");
    Compiled compiled_;
};

TEST_F(CompatC, FindsPortsByPlaceAndName) {
    const ModelPtr model = relu({2, 3});
    std::vector<ConstPort> consts;
    consts.push_back(made<ConstPort>(ov_model_const_input_by_index, model.get(), 0));
    consts.push_back(made<ConstPort>(ov_model_const_input_by_name, model.get(), "in_tensor"));
    consts.push_back(made<ConstPort>(ov_model_const_output, model.get()));
    consts.push_back(made<ConstPort>(ov_model_const_output_by_index, model.get(), 0));
    consts.push_back(made<ConstPort>(ov_model_const_output_by_name, model.get(), "out_tensor"));
    std::vector<Port> ports;
    ports.push_back(made<Port>(ov_model_input, model.get()));
    ports.push_back(made<Port>(ov_model_input_by_index, model.get(), 0));
    ports.push_back(made<Port>(ov_model_input_by_name, model.get(), "in_tensor"));
    ports.push_back(made<Port>(ov_model_output, model.get()));
    ports.push_back(made<Port>(ov_model_output_by_index, model.get(), 0));
    ports.push_back(made<Port>(ov_model_output_by_name, model.get(), "out_tensor"));
    ov_shape_t shape;
    for (const ConstPort& port : consts) {
        ASSERT_EQ(ov_const_port_get_shape(port.get(), &shape), OK);
        EXPECT_THAT(taken(shape), ElementsAre(2, 3));
    }
    for (const Port& port : ports) {
        ASSERT_EQ(ov_port_get_shape(port.get(), &shape), OK);
        EXPECT_THAT(taken(shape), ElementsAre(2, 3));
    }
    size_t inputs = 0;
    size_t outputs = 0;
    EXPECT_EQ(ov_model_inputs_size(model.get(), &inputs), OK);
    EXPECT_EQ(ov_model_outputs_size(model.get(), &outputs), OK);
    EXPECT_EQ(inputs + outputs, 2u);
    ov_output_port_t* none = nullptr;
    EXPECT_EQ(ov_model_input_by_index(model.get(), 1, &none), GENERAL_ERROR);
    EXPECT_THAT(ov_get_last_err_msg(), HasSubstr("there is no input 1"));
}

TEST_F(CompatC, ReshapesInEveryForm) {
    const ModelPtr model = relu({2, 3});
    const auto shape_now = [&] {
        ov_partial_shape_t shape;
        const ConstPort port = made<ConstPort>(ov_model_const_input, model.get());
        EXPECT_EQ(ov_port_get_partial_shape(port.get(), &shape), OK);
        const std::string text = taken(const_cast<char*>(ov_partial_shape_to_string(shape)));
        ov_partial_shape_free(&shape);
        return text;
    };
    const ov_dimension_t open[2] = {{1, 4}, {-1, -1}};
    ov_partial_shape_t shape;
    ASSERT_EQ(ov_partial_shape_create_dynamic({2, 2}, open, &shape), OK);
    EXPECT_TRUE(ov_dimension_is_dynamic(open[0]));
    EXPECT_FALSE(ov_rank_is_dynamic(shape.rank));
    const char* name = "in_tensor";
    EXPECT_EQ(ov_model_reshape(model.get(), &name, &shape, 1), OK);
    EXPECT_EQ(shape_now(), "[1..4,?]");
    EXPECT_TRUE(ov_model_is_dynamic(model.get()));
    ov_shape_t fixed;
    EXPECT_EQ(ov_partial_shape_to_shape(shape, &fixed), PARAMETER_MISMATCH);
    ov_partial_shape_free(&shape);

    const int64_t dims[2] = {5, 6};
    ASSERT_EQ(ov_shape_create(2, dims, &fixed), OK);
    ASSERT_EQ(ov_shape_to_partial_shape(fixed, &shape), OK);
    EXPECT_THAT(taken(fixed), ElementsAre(5, 6));
    const size_t index = 0;
    EXPECT_EQ(ov_model_reshape_by_port_indexes(model.get(), &index, &shape, 1), OK);
    EXPECT_EQ(shape_now(), "[5,6]");
    shape.dims[0] = {7, 7};
    const Port port = made<Port>(ov_model_input, model.get());
    const ov_output_port_t* port_list[] = {port.get()};
    EXPECT_EQ(ov_model_reshape_by_ports(model.get(), port_list, &shape, 1), OK);
    EXPECT_EQ(shape_now(), "[7,6]");
    EXPECT_FALSE(ov_model_is_dynamic(model.get()));
    ov_partial_shape_free(&shape);
}

TEST_F(CompatC, SetsAndGetsTensorsInEveryForm) {
    const ModelPtr model = relu({2});
    const Request request = request_of(model.get());
    size_t count = 0;
    EXPECT_EQ(ov_compiled_model_inputs_size(compiled_.get(), &count), OK);
    EXPECT_EQ(ov_compiled_model_outputs_size(compiled_.get(), &count), OK);
    EXPECT_EQ(count, 1u);
    const ConstPort in = made<ConstPort>(ov_compiled_model_input, compiled_.get());
    const ConstPort out = made<ConstPort>(ov_compiled_model_output, compiled_.get());
    for (const ConstPort& same :
         {made<ConstPort>(ov_compiled_model_input_by_index, compiled_.get(), 0),
          made<ConstPort>(ov_compiled_model_input_by_name, compiled_.get(), "in_tensor"),
          made<ConstPort>(ov_compiled_model_output_by_index, compiled_.get(), 0),
          made<ConstPort>(ov_compiled_model_output_by_name, compiled_.get(), "out_tensor")}) {
        ov_element_type_e type = UNDEFINED;
        EXPECT_EQ(ov_port_get_element_type(same.get(), &type), OK);
        EXPECT_EQ(type, F32);
    }
    const Port of_model = made<Port>(ov_model_input, model.get());
    const TensorPtr input = floats({2}, {-1, 3});
    const TensorPtr output = floats({2}, {9, 9});
    ov_infer_request_t* r = request.get();
    EXPECT_EQ(ov_infer_request_set_tensor(r, "in_tensor", input.get()), OK);
    EXPECT_EQ(ov_infer_request_set_tensor_by_const_port(r, in.get(), input.get()), OK);
    EXPECT_EQ(ov_infer_request_set_input_tensor(r, input.get()), OK);
    EXPECT_EQ(ov_infer_request_set_output_tensor(r, output.get()), OK);
    EXPECT_EQ(ov_infer_request_set_output_tensor_by_index(r, 0, output.get()), OK);
    EXPECT_EQ(ov_infer_request_infer(r), OK);
    EXPECT_THAT(values_of(output.get()), ElementsAre(0, 3));
    EXPECT_THAT(values_of(made<TensorPtr>(ov_infer_request_get_input_tensor, r).get()),
                ElementsAre(-1, 3));
    EXPECT_THAT(values_of(made<TensorPtr>(ov_infer_request_get_input_tensor_by_index, r, 0).get()),
                ElementsAre(-1, 3));
    EXPECT_THAT(
        values_of(made<TensorPtr>(ov_infer_request_get_tensor_by_const_port, r, out.get()).get()),
        ElementsAre(0, 3));
    // Ports of the model that was compiled are known too.
    EXPECT_EQ(ov_infer_request_set_tensor_by_port(r, of_model.get(), input.get()), OK);
    EXPECT_THAT(
        values_of(made<TensorPtr>(ov_infer_request_get_tensor_by_port, r, of_model.get()).get()),
        ElementsAre(-1, 3));
    EXPECT_EQ(ov_infer_request_cancel(r), OK);  // nothing runs
    EXPECT_EQ(ov_infer_request_start_async(r), OK);
    EXPECT_EQ(ov_infer_request_wait_for(r, 10000), OK);
}

TEST_F(CompatC, TellsTheRequestOfANewShape) {
    const ModelPtr model = relu({-1});
    const Request request = request_of(model.get());
    const TensorPtr input = made<TensorPtr>(ov_infer_request_get_input_tensor, request.get());
    int64_t dims[1] = {3};
    ASSERT_EQ(ov_tensor_set_shape(input.get(), {1, dims}), OK);
    void* data = nullptr;
    ASSERT_EQ(ov_tensor_data(input.get(), &data), OK);
    std::fill_n(static_cast<float*>(data), 3, 2.0F);
    ASSERT_EQ(ov_infer_request_infer(request.get()), OK);
    const TensorPtr output = made<TensorPtr>(ov_infer_request_get_output_tensor, request.get());
    ov_shape_t shape;
    ov_element_type_e type = UNDEFINED;
    EXPECT_EQ(ov_tensor_get_shape(output.get(), &shape), OK);
    EXPECT_EQ(ov_tensor_get_element_type(output.get(), &type), OK);
    EXPECT_THAT(taken(shape), ElementsAre(3));
    EXPECT_EQ(type, F32);
    EXPECT_THAT(values_of(output.get()), ElementsAre(2, 2, 2));
}

TEST_F(CompatC, ReadsModelsFromMemoryAndCompilesFiles) {
    (void)relu({2});
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    const std::string xml = text.str();
    EXPECT_TRUE(made<ModelPtr>(ov_core_read_model_from_memory_buffer, core_.get(), xml.c_str(),
                               xml.size(), nullptr));
    ov_compiled_model_t* handle = nullptr;
    ASSERT_EQ(ov_core_compile_model_from_file(core_.get(), path_.c_str(), "CPU", 2, &handle,
                                              ov_property_key_hint_performance_mode, "THROUGHPUT"),
              OK);
    const Compiled compiled(handle);
    char* value = nullptr;
    ASSERT_EQ(ov_compiled_model_get_property(compiled.get(), ov_property_key_hint_performance_mode,
                                             &value),
              OK);
    EXPECT_EQ(taken(value), "THROUGHPUT");
    ov_core_version_list_t versions;
    ASSERT_EQ(ov_core_get_versions_by_device_name(core_.get(), "CPU", &versions), OK);
    ASSERT_EQ(versions.size, 1u);
    EXPECT_STREQ(versions.versions[0].device_name, "CPU");
    ov_core_versions_free(&versions);
}

// Every key is one that the device or a compiled model has.
TEST_F(CompatC, KeysOfPropertiesAreKnown) {
    const ModelPtr model = relu({2});
    const Request request = request_of(model.get());
    char* value = nullptr;
    for (const char* key :
         {ov_property_key_supported_properties, ov_property_key_available_devices,
          ov_property_key_range_for_async_infer_requests, ov_property_key_range_for_streams,
          ov_property_key_device_full_name, ov_property_key_device_capabilities,
          ov_property_key_cache_dir, ov_property_key_num_streams,
          ov_property_key_compilation_num_threads, ov_property_key_hint_num_requests,
          ov_property_key_hint_inference_precision, ov_property_key_hint_enable_cpu_pinning,
          ov_property_key_hint_enable_hyper_threading, ov_property_key_hint_scheduling_core_type,
          ov_property_key_hint_execution_mode, ov_property_key_log_level}) {
        ASSERT_EQ(ov_core_get_property(core_.get(), "CPU", key, &value), OK) << key;
        ov_free(value);
    }
    for (const char* key :
         {ov_property_key_optimal_number_of_infer_requests, ov_property_key_model_name,
          ov_property_key_execution_devices, ov_property_key_loaded_from_cache}) {
        ASSERT_EQ(ov_compiled_model_get_property(compiled_.get(), key, &value), OK) << key;
        ov_free(value);
    }
}

// --- preprocessing
// --------------------------------------------------------------------------------

class CompatCPreprocess : public CompatC {
protected:
    void start(const fuseq::PartialShape& shape) {
        model_ = relu(shape);
        processor_ = made<Processor>(ov_preprocess_prepostprocessor_create, model_.get());
        input_ = made<Input>(ov_preprocess_prepostprocessor_get_input_info, processor_.get());
        tensor_ = made<TensorInfo>(ov_preprocess_input_info_get_tensor_info, input_.get());
        steps_ = made<Steps>(ov_preprocess_input_info_get_preprocess_steps, input_.get());
        info_ = made<ModelInfo>(ov_preprocess_input_info_get_model_info, input_.get());
    }
    void layouts(const char* tensor, const char* model) {
        const LayoutPtr given = made<LayoutPtr>(ov_layout_create, tensor);
        const LayoutPtr wanted = made<LayoutPtr>(ov_layout_create, model);
        EXPECT_EQ(ov_preprocess_input_tensor_info_set_layout(tensor_.get(), given.get()), OK);
        EXPECT_EQ(ov_preprocess_input_model_info_set_layout(info_.get(), wanted.get()), OK);
    }
    std::vector<float> run(const ov_tensor_t* picture) {
        const ModelPtr built =
            made<ModelPtr>(ov_preprocess_prepostprocessor_build, processor_.get());
        const Request request = request_of(built.get());
        EXPECT_EQ(ov_infer_request_set_input_tensor(request.get(), picture), OK)
            << ov_get_last_err_msg();
        EXPECT_EQ(ov_infer_request_infer(request.get()), OK) << ov_get_last_err_msg();
        return values_of(made<TensorPtr>(ov_infer_request_get_output_tensor, request.get()).get());
    }

    using Input = Handle<ov_preprocess_input_info_t, ov_preprocess_input_info_free>;
    using TensorInfo =
        Handle<ov_preprocess_input_tensor_info_t, ov_preprocess_input_tensor_info_free>;
    using Steps = Handle<ov_preprocess_preprocess_steps_t, ov_preprocess_preprocess_steps_free>;
    using ModelInfo = Handle<ov_preprocess_input_model_info_t, ov_preprocess_input_model_info_free>;

    ModelPtr model_;
    Processor processor_;
    Input input_;
    TensorInfo tensor_;
    Steps steps_;
    ModelInfo info_;
};

// Bytes 20, 40, 60 in BGR become ((60, 40, 20) - (10, 20, 0)) / (5, 4, 2) - 1, times a half.
TEST_F(CompatCPreprocess, NormalisesColors) {
    start({1, 3, 1, 1});
    layouts("NHWC", "NCHW");
    const float mean[3] = {10, 20, 0};
    const float scale[3] = {5, 4, 2};
    EXPECT_EQ(ov_preprocess_input_tensor_info_set_element_type(tensor_.get(), U8), OK);
    EXPECT_EQ(ov_preprocess_input_tensor_info_set_color_format(tensor_.get(), BGR), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_convert_element_type(steps_.get(), F32), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_convert_color(steps_.get(), RGB), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_mean_multi_channels(steps_.get(), mean, 3), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_scale_multi_channels(steps_.get(), scale, 3), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_mean(steps_.get(), 1), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_scale(steps_.get(), 2), OK);
    int64_t dims[4] = {1, 1, 1, 3};
    std::uint8_t bytes[3] = {20, 40, 60};
    const TensorPtr picture =
        made<TensorPtr>(ov_tensor_create_from_host_ptr, U8, ov_shape_t{4, dims}, bytes);
    EXPECT_THAT(run(picture.get()), ElementsAre(4.5, 2, 4.5));
}

// Of 1 to 6 in three channels of two: cropped to 2, 4, 6, reversed, and a zero after each.
TEST_F(CompatCPreprocess, CropsReversesAndPads) {
    start({1, 3, 1, 2});
    const LayoutPtr layout = made<LayoutPtr>(ov_layout_create, "NCHW");
    EXPECT_EQ(taken(const_cast<char*>(ov_layout_to_string(layout.get()))), "[N,C,H,W]");
    layouts("NCHW", "NCHW");
    int32_t begin[4] = {0, 0, 0, 1};
    int32_t end[4] = {1, 3, 1, 2};
    const int32_t none[4] = {0, 0, 0, 0};
    const int32_t one[4] = {0, 0, 0, 1};
    EXPECT_EQ(ov_preprocess_preprocess_steps_crop(steps_.get(), begin, 4, end, 4), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_reverse_channels(steps_.get()), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_pad(steps_.get(), none, 4, one, 4, 0, CONSTANT), OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_convert_layout(steps_.get(), layout.get()), OK);
    EXPECT_EQ(ov_preprocess_input_tensor_info_set_spatial_static_shape(tensor_.get(), 1, 2), OK);
    EXPECT_THAT(run(floats({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6}).get()), ElementsAre(6, 0, 4, 0, 2, 0));
}

TEST_F(CompatCPreprocess, NamesPlanesAndFindsInfosByName) {
    start({1, 3, 2, 2});
    layouts("NHWC", "NCHW");
    EXPECT_EQ(ov_preprocess_input_tensor_info_set_color_format_with_subname(
                  tensor_.get(), NV12_TWO_PLANES, 2, "y", "uv"),
              OK);
    EXPECT_EQ(ov_preprocess_preprocess_steps_convert_color(steps_.get(), RGB), OK);
    EXPECT_TRUE(made<Input>(ov_preprocess_prepostprocessor_get_input_info_by_name, processor_.get(),
                            "in_tensor"));
    using OutputPtr = Handle<ov_preprocess_output_info_t, ov_preprocess_output_info_free>;
    EXPECT_TRUE(made<OutputPtr>(ov_preprocess_prepostprocessor_get_output_info, processor_.get()));
    EXPECT_TRUE(made<OutputPtr>(ov_preprocess_prepostprocessor_get_output_info_by_name,
                                processor_.get(), "out_tensor"));
    const ModelPtr built = made<ModelPtr>(ov_preprocess_prepostprocessor_build, processor_.get());
    EXPECT_TRUE(made<ConstPort>(ov_model_const_input_by_name, built.get(), "in_tensor/uv"));
}

TEST_F(CompatCPreprocess, RefusesWhatIsNull) {
    start({1, 3, 2, 2});
    EXPECT_EQ(ov_preprocess_input_tensor_info_set_layout(tensor_.get(), nullptr), INVALID_C_PARAM);
    EXPECT_EQ(ov_preprocess_preprocess_steps_mean_multi_channels(steps_.get(), nullptr, 3),
              INVALID_C_PARAM);
    EXPECT_EQ(ov_preprocess_preprocess_steps_scale(nullptr, 1), INVALID_C_PARAM);
    EXPECT_STREQ(ov_get_error_info(INVALID_C_PARAM), "invalid c input parameters");
}

}  // namespace
