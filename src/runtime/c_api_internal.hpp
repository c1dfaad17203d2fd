// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the C API share: the objects after the handles, and the way from exceptions
// to a status and a text.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/c_api.h"
#include "fuseq/fuseq.hpp"

struct fuseq_core {
    fuseq::Core value;
};
struct fuseq_model {
    std::shared_ptr<fuseq::Model> value;
};
struct fuseq_compiled_model {
    fuseq::CompiledModel value;
    // Names of ports, as C strings; filled once, for any number of readers.
    std::vector<std::string> input_names;
    std::vector<std::string> output_names;
};
struct fuseq_infer_request {
    fuseq::InferRequest value;
};
struct fuseq_tensor {
    fuseq::Tensor value;
};

namespace fuseq::c_api {

// Not a failure of the library but of the call.
class InvalidArgument : public std::exception {
public:
    explicit InvalidArgument(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// Keeps the text for fuseq_last_error() and returns the status.
fuseq_status failed(fuseq_status status, const char* text) noexcept;
// For a catch block.
fuseq_status status_of_current_exception() noexcept;
void forget_last_error() noexcept;

// No exception leaves the C API.
template <class Function>
fuseq_status call(Function&& function) noexcept {
    try {
        function();
        forget_last_error();
        return FUSEQ_OK;
    } catch (...) {
        return status_of_current_exception();
    }
}

// A result of the C API that is a text.
fuseq_status copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length);

// Throws InvalidArgument.
void require(const void* pointer, const char* what);

inline fuseq_element_type to_c(ElementType type) {
    return static_cast<fuseq_element_type>(type);
}

}  // namespace fuseq::c_api
