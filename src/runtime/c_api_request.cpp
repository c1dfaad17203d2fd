// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The C API: tensors and requests.
#include <algorithm>
#include <chrono>

#include <fmt/core.h>

#include "runtime/c_api_internal.hpp"

namespace fuseq::c_api {
namespace {

// fuseq_element_type numbers the types as ElementType does, from boolean on.
static_assert(static_cast<int>(fuseq::ElementType::boolean) == FUSEQ_BOOLEAN);
static_assert(static_cast<int>(fuseq::ElementType::u8) == FUSEQ_U8);
static_assert(static_cast<int>(fuseq::ElementType::i8) == FUSEQ_I8);
static_assert(static_cast<int>(fuseq::ElementType::i32) == FUSEQ_I32);
static_assert(static_cast<int>(fuseq::ElementType::i64) == FUSEQ_I64);
static_assert(static_cast<int>(fuseq::ElementType::f16) == FUSEQ_F16);
static_assert(static_cast<int>(fuseq::ElementType::f32) == FUSEQ_F32);
static_assert(static_cast<int>(fuseq::ElementType::f64) == FUSEQ_F64);
static_assert(static_cast<int>(fuseq::ElementType::u1) == FUSEQ_U1);
static_assert(static_cast<int>(fuseq::ElementType::nf4) == FUSEQ_NF4);

fuseq::ElementType to_element_type(fuseq_element_type type) {
    const int number = static_cast<int>(type);
    if (number < FUSEQ_BOOLEAN || number > FUSEQ_NF4) {
        throw InvalidArgument(fmt::format("there is no element type {}", number));
    }
    return static_cast<fuseq::ElementType>(number);
}

fuseq::Shape to_shape(const size_t* dims, size_t rank) {
    if (rank > FUSEQ_MAX_RANK) {
        throw InvalidArgument(fmt::format("rank {} is above {}", rank, FUSEQ_MAX_RANK));
    }
    if (rank != 0) {
        require(dims, "dims");
    }
    return fuseq::Shape(std::vector<std::size_t>(dims, dims + rank));
}

}  // namespace
}  // namespace fuseq::c_api

using namespace fuseq::c_api;

fuseq_status fuseq_tensor_create(fuseq_element_type type,
                                 const size_t* dims,
                                 size_t rank,
                                 fuseq_tensor** tensor) {
    return call([&] {
        require(tensor, "tensor");
        *tensor = new fuseq_tensor{fuseq::Tensor(to_element_type(type), to_shape(dims, rank))};
    });
}

fuseq_status fuseq_tensor_create_from_host(
    fuseq_element_type type, const size_t* dims, size_t rank, void* memory, fuseq_tensor** tensor) {
    return call([&] {
        require(tensor, "tensor");
        *tensor =
            new fuseq_tensor{fuseq::Tensor(to_element_type(type), to_shape(dims, rank), memory)};
    });
}

fuseq_status fuseq_tensor_data(fuseq_tensor* tensor, void** data) {
    return call([&] {
        require(tensor, "tensor");
        require(data, "data");
        *data = tensor->value.data();
    });
}

fuseq_status fuseq_tensor_byte_size(const fuseq_tensor* tensor, size_t* size) {
    return call([&] {
        require(tensor, "tensor");
        require(size, "size");
        *size = tensor->value.get_byte_size();
    });
}

fuseq_status fuseq_tensor_type(const fuseq_tensor* tensor, fuseq_element_type* type) {
    return call([&] {
        require(tensor, "tensor");
        require(type, "type");
        *type = to_c(tensor->value.get_element_type());
    });
}

fuseq_status fuseq_tensor_shape(const fuseq_tensor* tensor, size_t* dims, size_t* rank) {
    return call([&] {
        require(tensor, "tensor");
        require(dims, "dims");
        require(rank, "rank");
        const fuseq::Shape& shape = tensor->value.get_shape();
        if (shape.size() > FUSEQ_MAX_RANK) {
            throw fuseq::Error("c api", fmt::format("the tensor has rank {}", shape.size()));
        }
        std::copy(shape.begin(), shape.end(), dims);
        *rank = shape.size();
    });
}

void fuseq_tensor_free(fuseq_tensor* tensor) {
    delete tensor;
}

fuseq_status fuseq_infer_request_set_tensor(fuseq_infer_request* request,
                                            const char* name,
                                            const fuseq_tensor* tensor) {
    return call([&] {
        require(request, "request");
        require(name, "name");
        require(tensor, "tensor");
        request->value.set_tensor(name, tensor->value);
    });
}

fuseq_status fuseq_infer_request_set_input_tensor(fuseq_infer_request* request,
                                                  size_t index,
                                                  const fuseq_tensor* tensor) {
    return call([&] {
        require(request, "request");
        require(tensor, "tensor");
        request->value.set_input_tensor(index, tensor->value);
    });
}

fuseq_status fuseq_infer_request_set_output_tensor(fuseq_infer_request* request,
                                                   size_t index,
                                                   const fuseq_tensor* tensor) {
    return call([&] {
        require(request, "request");
        require(tensor, "tensor");
        request->value.set_output_tensor(index, tensor->value);
    });
}

fuseq_status fuseq_infer_request_get_tensor(const fuseq_infer_request* request,
                                            const char* name,
                                            fuseq_tensor** tensor) {
    return call([&] {
        require(request, "request");
        require(name, "name");
        require(tensor, "tensor");
        *tensor = new fuseq_tensor{request->value.get_tensor(name)};
    });
}

fuseq_status fuseq_infer_request_get_input_tensor(const fuseq_infer_request* request,
                                                  size_t index,
                                                  fuseq_tensor** tensor) {
    return call([&] {
        require(request, "request");
        require(tensor, "tensor");
        *tensor = new fuseq_tensor{request->value.get_input_tensor(index)};
    });
}

fuseq_status fuseq_infer_request_get_output_tensor(const fuseq_infer_request* request,
                                                   size_t index,
                                                   fuseq_tensor** tensor) {
    return call([&] {
        require(request, "request");
        require(tensor, "tensor");
        *tensor = new fuseq_tensor{request->value.get_output_tensor(index)};
    });
}

fuseq_status fuseq_infer_request_infer(fuseq_infer_request* request) {
    return call([&] {
        require(request, "request");
        request->value.infer();
    });
}

fuseq_status fuseq_infer_request_start_async(fuseq_infer_request* request) {
    return call([&] {
        require(request, "request");
        request->value.start_async();
    });
}

fuseq_status fuseq_infer_request_wait(fuseq_infer_request* request) {
    return call([&] {
        require(request, "request");
        request->value.wait();
    });
}

fuseq_status fuseq_infer_request_wait_for(fuseq_infer_request* request,
                                          int64_t milliseconds,
                                          int* done) {
    return call([&] {
        require(request, "request");
        require(done, "done");
        *done = request->value.wait_for(std::chrono::milliseconds(milliseconds)) ? 1 : 0;
    });
}

fuseq_status fuseq_infer_request_cancel(fuseq_infer_request* request) {
    return call([&] {
        require(request, "request");
        request->value.cancel();
    });
}

fuseq_status fuseq_infer_request_set_callback(fuseq_infer_request* request,
                                              void (*callback)(void*, fuseq_status),
                                              void* user) {
    return call([&] {
        require(request, "request");
        if (callback == nullptr) {
            request->value.set_callback({});
            return;
        }
        request->value.set_callback([callback, user](const std::exception_ptr& error) {
            const fuseq_status status = call([&] {
                if (error) {
                    std::rethrow_exception(error);
                }
            });
            callback(user, status);
        });
    });
}

void fuseq_infer_request_free(fuseq_infer_request* request) {
    delete request;
}
