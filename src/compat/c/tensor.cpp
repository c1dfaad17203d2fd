// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "compat/c/objects.hpp"

using namespace fuseq::compat;

ov_status_e ov_tensor_create(const ov_element_type_e type,
                             const ov_shape_t shape,
                             ov_tensor_t** tensor) {
    return guarded([&] {
        need_all(tensor);
        *tensor = new ov_tensor{fuseq::Tensor(to_own(type), to_own(shape))};
    });
}
ov_status_e ov_tensor_create_from_host_ptr(const ov_element_type_e type,
                                           const ov_shape_t shape,
                                           void* host_ptr,
                                           ov_tensor_t** tensor) {
    return guarded([&] {
        need_all(tensor, host_ptr);
        *tensor = new ov_tensor{fuseq::Tensor(to_own(type), to_own(shape), host_ptr)};
    });
}
ov_status_e ov_tensor_set_shape(ov_tensor_t* tensor, const ov_shape_t shape) {
    return guarded([&] {
        need_all(tensor);
        tensor->tensor.set_shape(to_own(shape));
        if (tensor->changed) {
            tensor->changed(tensor->tensor);
        }
    });
}
ov_status_e ov_tensor_get_shape(const ov_tensor_t* tensor, ov_shape_t* shape) {
    return guarded([&] {
        need_all(tensor, shape);
        *shape = from_own(tensor->tensor.get_shape());
    });
}
ov_status_e ov_tensor_get_element_type(const ov_tensor_t* tensor, ov_element_type_e* type) {
    return guarded([&] {
        need_all(tensor, type);
        *type = from_own(tensor->tensor.get_element_type());
    });
}
ov_status_e ov_tensor_get_size(const ov_tensor_t* tensor, size_t* elements_size) {
    return guarded([&] {
        need_all(tensor, elements_size);
        *elements_size = tensor->tensor.get_size();
    });
}
ov_status_e ov_tensor_get_byte_size(const ov_tensor_t* tensor, size_t* byte_size) {
    return guarded([&] {
        need_all(tensor, byte_size);
        *byte_size = tensor->tensor.get_byte_size();
    });
}
ov_status_e ov_tensor_data(const ov_tensor_t* tensor, void** data) {
    return guarded([&] {
        need_all(tensor, data);
        fuseq::Tensor handle = tensor->tensor;
        *data = handle.data();
    });
}
void ov_tensor_free(ov_tensor_t* tensor) {
    delete tensor;
}
