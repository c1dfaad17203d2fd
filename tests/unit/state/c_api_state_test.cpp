// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables through the C API.
#include "fuseq/c_api.h"
#include "ir/ir.hpp"
#include "support/small_model.hpp"
#include "unit/state/state_testing.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// out = sum + x; sum = out
class CState : public testing::Test {
protected:
    CState() {
        write_ir(*Model::from_text(R"(
            %x = Parameter : f32[1]
            %v = ReadValue.6 variable_id="sum" variable_type=f32 variable_shape=[1]
            %next = Add(%v, %x)
            %keep = Assign.6(%next) variable_id="sum"
            %out = Result(%next))"),
                 folder_.path("m.xml"));
        EXPECT_EQ(fuseq_core_create(nullptr, &core_), FUSEQ_OK);
        EXPECT_EQ(fuseq_core_read_model(core_, folder_.path("m.xml").c_str(), nullptr, &model_),
                  FUSEQ_OK);
        EXPECT_EQ(fuseq_core_compile_model(core_, model_, "REFERENCE", nullptr, 0, &compiled_),
                  FUSEQ_OK)
            << fuseq_last_error();
        EXPECT_EQ(fuseq_compiled_model_create_infer_request(compiled_, &request_), FUSEQ_OK);
        const size_t dims[] = {1};
        EXPECT_EQ(fuseq_tensor_create_from_host(FUSEQ_F32, dims, 1, &x_, &input_), FUSEQ_OK);
        EXPECT_EQ(fuseq_infer_request_set_input_tensor(request_, 0, input_), FUSEQ_OK);
    }
    ~CState() override {
        fuseq_tensor_free(input_);
        fuseq_infer_request_free(request_);
        fuseq_compiled_model_free(compiled_);
        fuseq_model_free(model_);
        fuseq_core_free(core_);
    }
    void run(float x) {
        x_ = x;
        ASSERT_EQ(fuseq_infer_request_infer(request_), FUSEQ_OK) << fuseq_last_error();
    }
    float value() {
        fuseq_tensor* tensor = nullptr;
        EXPECT_EQ(fuseq_infer_request_get_state(request_, 0, &tensor), FUSEQ_OK);
        void* data = nullptr;
        EXPECT_EQ(fuseq_tensor_data(tensor, &data), FUSEQ_OK);
        const float result = *static_cast<const float*>(data);
        fuseq_tensor_free(tensor);
        return result;
    }

    TemporaryFolder folder_;
    float x_ = 0;
    fuseq_core* core_ = nullptr;
    fuseq_model* model_ = nullptr;
    fuseq_compiled_model* compiled_ = nullptr;
    fuseq_infer_request* request_ = nullptr;
    fuseq_tensor* input_ = nullptr;
};

TEST_F(CState, IsKeptReadSetAndReset) {
    size_t count = 0;
    ASSERT_EQ(fuseq_infer_request_state_count(request_, &count), FUSEQ_OK);
    EXPECT_EQ(count, 1u);
    char name[8];
    ASSERT_EQ(fuseq_infer_request_state_name(request_, 0, name, sizeof name, nullptr), FUSEQ_OK);
    EXPECT_STREQ(name, "sum");
    run(2);
    run(3);
    EXPECT_EQ(value(), 5);
    x_ = 40;
    ASSERT_EQ(fuseq_infer_request_set_state(request_, 0, input_), FUSEQ_OK);
    run(2);
    EXPECT_EQ(value(), 42);
    ASSERT_EQ(fuseq_infer_request_reset_state(request_, 0), FUSEQ_OK);
    run(7);
    EXPECT_EQ(value(), 7);
    ASSERT_EQ(fuseq_infer_request_reset_all_states(request_), FUSEQ_OK);
    EXPECT_EQ(value(), 0);
}

TEST_F(CState, RefusesWhatIsNotThere) {
    size_t length = 0;
    EXPECT_EQ(fuseq_infer_request_state_name(request_, 0, nullptr, 0, &length),
              FUSEQ_BUFFER_TOO_SMALL);
    EXPECT_EQ(length, 4u);
    EXPECT_EQ(fuseq_infer_request_reset_state(request_, 1), FUSEQ_INVALID_ARGUMENT);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("there is no variable 1, the model has 1"));
    EXPECT_EQ(fuseq_infer_request_set_state(request_, 0, nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_infer_request_get_state(nullptr, 0, nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_infer_request_state_count(request_, nullptr), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_infer_request_reset_all_states(nullptr), FUSEQ_INVALID_ARGUMENT);
    const size_t dims[] = {2};
    fuseq_tensor* wrong = nullptr;
    ASSERT_EQ(fuseq_tensor_create(FUSEQ_F32, dims, 1, &wrong), FUSEQ_OK);
    EXPECT_EQ(fuseq_infer_request_set_state(request_, 0, wrong), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("the value has shape [2], expected [1]"));
    fuseq_tensor_free(wrong);
}

}  // namespace
}  // namespace fuseq::test
