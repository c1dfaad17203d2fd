// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/c_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "ir/ir.hpp"
#include "unit/runtime/runtime_fixture.hpp"

extern "C" int fuseq_c_program(const char* xml,
                               const char* device,
                               float* input,
                               float* output,
                               size_t count,
                               char* error,
                               size_t error_size);

namespace fuseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "in" f32[2] -> ReLU -> Result, compiled by a device.
class CApi : public testing::Test {
protected:
    CApi() {
        write_ir(*test::relu_model(), folder_.path("m.xml"));
        EXPECT_EQ(fuseq_core_create(nullptr, &core_), FUSEQ_OK);
        EXPECT_EQ(
            fuseq_core_register_plugin(core_, test::plugin_path("test_device").c_str(), "TEST"),
            FUSEQ_OK);
        EXPECT_EQ(fuseq_core_read_model(core_, folder_.path("m.xml").c_str(), nullptr, &model_),
                  FUSEQ_OK);
    }
    ~CApi() override {
        fuseq_infer_request_free(request_);
        fuseq_compiled_model_free(compiled_);
        fuseq_model_free(model_);
        fuseq_core_free(core_);
    }
    void compile(const char* device, const std::vector<fuseq_property>& properties = {}) {
        ASSERT_EQ(fuseq_core_compile_model(core_, model_, device, properties.data(),
                                           properties.size(), &compiled_),
                  FUSEQ_OK)
            << fuseq_last_error();
        ASSERT_EQ(fuseq_compiled_model_create_infer_request(compiled_, &request_), FUSEQ_OK);
    }

    test::TemporaryFolder folder_;
    fuseq_core* core_ = nullptr;
    fuseq_model* model_ = nullptr;
    fuseq_compiled_model* compiled_ = nullptr;
    fuseq_infer_request* request_ = nullptr;
};

TEST_F(CApi, RunsAProgramWrittenInC) {
    float input[2] = {-1, 2.5f};
    float output[2] = {};
    char error[256] = "";
    EXPECT_EQ(fuseq_c_program(folder_.path("m.xml").c_str(), "REFERENCE", input, output, 2, error,
                              sizeof error),
              0)
        << error;
    EXPECT_THAT(output, ElementsAre(0, 2.5f));
    EXPECT_EQ(fuseq_c_program(folder_.path("m.xml").c_str(), "REFERENCE", input, output, 1, error,
                              sizeof error),
              1);
    EXPECT_STREQ(error, "infer: input 'in_tensor': got shape [1], expected [2]");
}

TEST_F(CApi, TellsPorts) {
    const int64_t open[] = {-1};
    ASSERT_EQ(fuseq_model_reshape_input(model_, "in", open, 1), FUSEQ_OK) << fuseq_last_error();
    compile("REFERENCE");
    size_t count = 0;
    EXPECT_EQ(fuseq_compiled_model_input_count(compiled_, &count), FUSEQ_OK);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(fuseq_compiled_model_output_count(compiled_, &count), FUSEQ_OK);
    EXPECT_EQ(count, 1u);
    fuseq_port port;
    ASSERT_EQ(fuseq_compiled_model_output(compiled_, 0, &port), FUSEQ_OK);
    EXPECT_STREQ(port.name, "out_tensor");
    EXPECT_EQ(port.type, FUSEQ_F32);
    EXPECT_EQ(port.rank, 1u);
    EXPECT_EQ(port.dims[0], -1);
    EXPECT_EQ(fuseq_compiled_model_input(compiled_, 1, &port), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("no input 1"));
}

TEST_F(CApi, SharesTensorsWithTheRequest) {
    compile("REFERENCE");
    fuseq_tensor* tensor = nullptr;
    ASSERT_EQ(fuseq_infer_request_get_input_tensor(request_, 0, &tensor), FUSEQ_OK);
    void* data = nullptr;
    ASSERT_EQ(fuseq_tensor_data(tensor, &data), FUSEQ_OK);
    static_cast<float*>(data)[1] = 7;
    fuseq_tensor_free(tensor);
    ASSERT_EQ(fuseq_infer_request_infer(request_), FUSEQ_OK);
    ASSERT_EQ(fuseq_infer_request_get_tensor(request_, "relu", &tensor), FUSEQ_OK);
    ASSERT_EQ(fuseq_tensor_data(tensor, &data), FUSEQ_OK);
    EXPECT_EQ(static_cast<float*>(data)[1], 7);
    size_t dims[FUSEQ_MAX_RANK];
    size_t rank = 0;
    fuseq_element_type type{};
    EXPECT_EQ(fuseq_tensor_shape(tensor, dims, &rank), FUSEQ_OK);
    EXPECT_EQ(fuseq_tensor_type(tensor, &type), FUSEQ_OK);
    EXPECT_EQ(rank, 1u);
    EXPECT_EQ(dims[0], 2u);
    EXPECT_EQ(type, FUSEQ_F32);
    fuseq_tensor_free(tensor);
}

TEST_F(CApi, GivesTextsInBuffersThatFit) {
    char buffer[256];
    size_t length = 0;
    ASSERT_EQ(fuseq_core_get_available_devices(core_, buffer, sizeof buffer, &length), FUSEQ_OK);
    EXPECT_THAT(buffer, HasSubstr("REFERENCE"));
    EXPECT_EQ(length, std::string(buffer).size() + 1);
    EXPECT_EQ(fuseq_core_get_available_devices(core_, buffer, length - 1, &length),
              FUSEQ_BUFFER_TOO_SMALL);
    EXPECT_STREQ(fuseq_last_error(), "the buffer is too small");
    compile("REFERENCE");
    EXPECT_EQ(
        fuseq_compiled_model_get_property(compiled_, "PERF_COUNT", buffer, sizeof buffer, nullptr),
        FUSEQ_OK);
    EXPECT_STREQ(buffer, "NO");
    EXPECT_EQ(
        fuseq_compiled_model_get_property(compiled_, "COLOUR", buffer, sizeof buffer, nullptr),
        FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("COLOUR"));
}

TEST_F(CApi, SavesModelsAndExecutionGraphs) {
    compile("REFERENCE");
    fuseq_model* graph = nullptr;
    ASSERT_EQ(fuseq_compiled_model_get_runtime_model(compiled_, &graph), FUSEQ_OK);
    ASSERT_EQ(fuseq_model_save(graph, folder_.path("graph.xml").c_str(), nullptr), FUSEQ_OK);
    fuseq_model_free(graph);
    std::ifstream in(folder_.path("graph.xml"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(text, HasSubstr("primitiveType=\"reference\""));

    fuseq_model* again = nullptr;
    ASSERT_EQ(fuseq_model_save(model_, folder_.path("a.xml").c_str(), folder_.path("b").c_str()),
              FUSEQ_OK);
    ASSERT_EQ(fuseq_core_read_model(core_, folder_.path("a.xml").c_str(), folder_.path("b").c_str(),
                                    &again),
              FUSEQ_OK);
    fuseq_model_free(again);
    EXPECT_EQ(fuseq_model_save(model_, folder_.path("no/where.xml").c_str(), nullptr), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("where"));
    EXPECT_EQ(fuseq_model_save(nullptr, "m.xml", nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_compiled_model_get_runtime_model(compiled_, nullptr), FUSEQ_INVALID_ARGUMENT);
}

TEST_F(CApi, ReadsModelsFromMemory) {
    Model model("m");
    Node* x = model.add_parameter("x", ElementType::f32, PartialShape{2});
    Node* w = model.add_constant("w", Tensor::of<float>({2}, {10, 20}));
    model.add_result("r", model.add("Add", 1, "y", {x->output(), w->output()})->output());
    write_ir(model, folder_.path("add.xml"));
    const auto bytes_of = [&](const char* file) {
        std::ifstream in(folder_.path(file), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string xml = bytes_of("add.xml");
    const std::string bin = bytes_of("add.bin");
    fuseq_model_free(model_);
    model_ = nullptr;
    ASSERT_EQ(
        fuseq_core_read_model_from_memory(core_, xml.c_str(), bin.data(), bin.size(), &model_),
        FUSEQ_OK)
        << fuseq_last_error();
    compile("REFERENCE");
    ASSERT_EQ(fuseq_infer_request_infer(request_), FUSEQ_OK);
    fuseq_tensor* tensor = nullptr;
    ASSERT_EQ(fuseq_infer_request_get_output_tensor(request_, 0, &tensor), FUSEQ_OK);
    void* data = nullptr;
    ASSERT_EQ(fuseq_tensor_data(tensor, &data), FUSEQ_OK);
    EXPECT_EQ(static_cast<float*>(data)[1], 20);
    fuseq_tensor_free(tensor);
}

struct Seen {
    std::atomic<int> calls = 0;
    fuseq_status status = FUSEQ_OK;
    std::string text;
};

TEST_F(CApi, RunsAsynchronously) {
    compile("TEST", {{"FAIL", "no ink"}, {"DELAY_MS", "30"}});
    Seen seen;
    ASSERT_EQ(fuseq_infer_request_set_callback(
                  request_,
                  [](void* user, fuseq_status status) {
                      auto* to = static_cast<Seen*>(user);
                      to->status = status;
                      to->text = fuseq_last_error();
                      ++to->calls;
                  },
                  &seen),
              FUSEQ_OK);
    ASSERT_EQ(fuseq_infer_request_start_async(request_), FUSEQ_OK);
    int done = 1;
    EXPECT_EQ(fuseq_infer_request_wait_for(request_, 1, &done), FUSEQ_OK);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(fuseq_infer_request_infer(request_), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("busy"));
    EXPECT_EQ(fuseq_infer_request_wait(request_), FUSEQ_ERROR);
    EXPECT_STREQ(fuseq_last_error(), "infer: no ink");
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.status, FUSEQ_ERROR);
    EXPECT_EQ(seen.text, "infer: no ink");
    EXPECT_EQ(fuseq_infer_request_cancel(request_), FUSEQ_OK);
    EXPECT_EQ(fuseq_infer_request_set_callback(request_, nullptr, nullptr), FUSEQ_OK);
}

TEST_F(CApi, SetsProperties) {
    EXPECT_EQ(fuseq_core_set_property(core_, nullptr, {"PERF_COUNT", "YES"}), FUSEQ_OK);
    EXPECT_EQ(fuseq_core_set_property(core_, "TEST", {"DELAY_MS", "1"}), FUSEQ_OK);
    EXPECT_EQ(fuseq_core_set_property(core_, "TEST", {"COLOUR", "red"}), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("TEST has no property 'COLOUR'"));
    EXPECT_EQ(fuseq_core_set_property(core_, "TEST", {"DELAY_MS", nullptr}),
              FUSEQ_INVALID_ARGUMENT);
}

TEST_F(CApi, RefusesWhatIsNotThere) {
    fuseq_core* core = nullptr;
    EXPECT_EQ(fuseq_core_create("/nowhere/plugins.xml", &core), FUSEQ_ERROR);
    EXPECT_EQ(core, nullptr);
    EXPECT_EQ(fuseq_core_create(nullptr, nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_STREQ(fuseq_last_error(), "core is NULL");
    fuseq_model* model = nullptr;
    EXPECT_EQ(fuseq_core_read_model(core_, "/nowhere/m.xml", nullptr, &model), FUSEQ_ERROR);
    EXPECT_EQ(fuseq_core_read_model(core_, nullptr, nullptr, &model), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_core_compile_model(core_, model_, "ABACUS", nullptr, 0, &compiled_),
              FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("no device 'ABACUS'"));
    fuseq_tensor* tensor = nullptr;
    const size_t dims[] = {2};
    EXPECT_EQ(fuseq_tensor_create(static_cast<fuseq_element_type>(99), dims, 1, &tensor),
              FUSEQ_INVALID_ARGUMENT);
    EXPECT_STREQ(fuseq_last_error(), "there is no element type 99");
    EXPECT_EQ(fuseq_tensor_create(FUSEQ_U8, dims, FUSEQ_MAX_RANK + 1, &tensor),
              FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_tensor_create_from_host(FUSEQ_U8, dims, 1, nullptr, &tensor), FUSEQ_ERROR);
    EXPECT_EQ(tensor, nullptr);
    EXPECT_EQ(fuseq_infer_request_infer(nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_tensor_create(FUSEQ_U8, dims, 1, &tensor), FUSEQ_OK);
    EXPECT_STREQ(fuseq_last_error(), "");
    fuseq_tensor_free(tensor);
    fuseq_tensor_free(nullptr);
}

}  // namespace
}  // namespace fuseq
