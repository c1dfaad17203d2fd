// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the handles of OpenVINO's C API are, and how its functions fail.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "fuseq/fuseq.hpp"
#include "openvino/c/openvino.h"

struct ov_core {
    fuseq::Core core;
};
struct ov_model {
    std::shared_ptr<fuseq::Model> model;
};
struct ov_compiled_model {
    fuseq::CompiledModel model;
};
struct ov_infer_request {
    fuseq::InferRequest request;
};
struct ov_tensor {
    fuseq::Tensor tensor;
    std::function<void(const fuseq::Tensor&)> changed{};  // told of a new shape
};
struct ov_layout {
    fuseq::Layout layout;
};
struct ov_output_const_port {
    fuseq::Output port;
    std::shared_ptr<const void> owner;
};
struct ov_output_port {
    fuseq::Output port;
    std::shared_ptr<const void> owner;
};

namespace fuseq::compat {

// Thrown for a pointer that must not be null and the like.
struct InvalidArgument {};

inline void need(bool holds) {
    if (!holds) {
        throw InvalidArgument();
    }
}
template <class... Pointers>
void need_all(const Pointers*... pointers) {
    need(((pointers != nullptr) && ...));
}

// Keeps the text for ov_get_last_err_msg(); returns the status that stands for the error.
ov_status_e failed_with(const Error& error);
ov_status_e failed_with(ov_status_e status, const char* text);

// No exception leaves a function.
template <class Body>
ov_status_e guarded(const Body& body) {
    try {
        body();
        return OK;
    } catch (const InvalidArgument&) {
        return failed_with(INVALID_C_PARAM, "a pointer is null, or a number out of range");
    } catch (const Error& error) {
        return failed_with(error);
    } catch (const std::bad_alloc&) {
        return failed_with(NOT_ALLOCATED, "out of memory");
    } catch (const std::exception& error) {
        return failed_with(UNEXPECTED, error.what());
    } catch (...) {
        return failed_with(UNKNOW_EXCEPTION, "an exception of unknown type");
    }
}

// Text for the caller, who frees it by ov_free().
char* copy_of(const std::string& text);
ElementType to_own(ov_element_type_e type);
ov_element_type_e from_own(ElementType type);
Shape to_own(const ov_shape_t& shape);
ov_shape_t from_own(const Shape& shape);
PartialShape to_own(const ov_partial_shape_t& shape);
ov_partial_shape_t from_own(const PartialShape& shape);
// AUTO is the CPU device.
std::string device_of(const char* name);

}  // namespace fuseq::compat
