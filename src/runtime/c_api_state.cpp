// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The C API: variables of a request.

#include "runtime/c_api_internal.hpp"

#include <fmt/core.h>

namespace fuseq::c_api {
namespace {

fuseq::VariableState state_of(const fuseq_infer_request* request, size_t index) {
    require(request, "request");
    std::vector<fuseq::VariableState> states = request->value.query_state();
    if (index >= states.size()) {
        throw InvalidArgument(
            fmt::format("there is no variable {}, the model has {}", index, states.size()));
    }
    return states[index];
}

}  // namespace
}  // namespace fuseq::c_api

using namespace fuseq::c_api;

fuseq_status fuseq_infer_request_state_count(const fuseq_infer_request* request, size_t* count) {
    return call([&] {
        require(request, "request");
        require(count, "count");
        *count = request->value.query_state().size();
    });
}

fuseq_status fuseq_infer_request_state_name(const fuseq_infer_request* request,
                                            size_t index,
                                            char* buffer,
                                            size_t capacity,
                                            size_t* length) {
    std::string text;
    const fuseq_status status = call([&] { text = state_of(request, index).get_name(); });
    return status == FUSEQ_OK ? copy_text(text, buffer, capacity, length) : status;
}

fuseq_status fuseq_infer_request_get_state(const fuseq_infer_request* request,
                                           size_t index,
                                           fuseq_tensor** value) {
    return call([&] {
        require(value, "value");
        *value = new fuseq_tensor{state_of(request, index).get_state()};
    });
}

fuseq_status fuseq_infer_request_set_state(fuseq_infer_request* request,
                                           size_t index,
                                           const fuseq_tensor* value) {
    return call([&] {
        require(value, "value");
        state_of(request, index).set_state(value->value);
    });
}

fuseq_status fuseq_infer_request_reset_state(fuseq_infer_request* request, size_t index) {
    return call([&] { state_of(request, index).reset(); });
}

fuseq_status fuseq_infer_request_reset_all_states(fuseq_infer_request* request) {
    return call([&] {
        require(request, "request");
        request->value.reset_state();
    });
}
