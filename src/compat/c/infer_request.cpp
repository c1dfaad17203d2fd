// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "compat/c/objects.hpp"

using namespace fuseq::compat;

namespace {

// set(request) puts a tensor into it.
template <class Set>
ov_status_e put(ov_infer_request_t* request, const ov_tensor_t* tensor, const Set& set) {
    return guarded([&] {
        need_all(request, tensor);
        set(request->request, tensor->tensor);
    });
}

const void* memory_of(const fuseq::Tensor& tensor) {
    return tensor.data();
}

// get(request) gives a tensor; a new shape of it goes back by set(request, tensor), as long as the
// request uses the tensor.
template <class Get, class Set>
ov_status_e give(const ov_infer_request_t* request,
                 ov_tensor_t** tensor,
                 const Get& get,
                 const Set& set) {
    return guarded([&] {
        need_all(request, tensor);
        fuseq::InferRequest own = request->request;
        const fuseq::Tensor got = get(own);
        *tensor = new ov_tensor{
            got, [own, get, set, memory = memory_of(got)](const fuseq::Tensor& changed) mutable {
                if (memory_of(get(own)) == memory) {
                    set(own, changed);
                    memory = memory_of(changed);
                }
            }};
    });
}

template <class Body>
ov_status_e with(const ov_infer_request_t* request, const Body& body) {
    return guarded([&] {
        need_all(request);
        fuseq::InferRequest own = request->request;
        body(own);
    });
}

}  // namespace

ov_status_e ov_infer_request_set_tensor(ov_infer_request_t* infer_request,
                                        const char* tensor_name,
                                        const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [&](auto& r, const auto& t) {
        need_all(tensor_name);
        r.set_tensor(tensor_name, t);
    });
}
ov_status_e ov_infer_request_set_tensor_by_port(ov_infer_request_t* infer_request,
                                                const ov_output_port_t* port,
                                                const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [&](auto& r, const auto& t) {
        need_all(port);
        r.set_tensor(port->port, t);
    });
}
ov_status_e ov_infer_request_set_tensor_by_const_port(ov_infer_request_t* infer_request,
                                                      const ov_output_const_port_t* port,
                                                      const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [&](auto& r, const auto& t) {
        need_all(port);
        r.set_tensor(port->port, t);
    });
}
ov_status_e ov_infer_request_set_input_tensor_by_index(ov_infer_request_t* infer_request,
                                                       const size_t idx,
                                                       const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [&](auto& r, const auto& t) { r.set_input_tensor(idx, t); });
}
ov_status_e ov_infer_request_set_input_tensor(ov_infer_request_t* infer_request,
                                              const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [](auto& r, const auto& t) { r.set_input_tensor(t); });
}
ov_status_e ov_infer_request_set_output_tensor_by_index(ov_infer_request_t* infer_request,
                                                        const size_t idx,
                                                        const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [&](auto& r, const auto& t) { r.set_output_tensor(idx, t); });
}
ov_status_e ov_infer_request_set_output_tensor(ov_infer_request_t* infer_request,
                                               const ov_tensor_t* tensor) {
    return put(infer_request, tensor, [](auto& r, const auto& t) { r.set_output_tensor(t); });
}

ov_status_e ov_infer_request_get_tensor(const ov_infer_request_t* infer_request,
                                        const char* tensor_name,
                                        ov_tensor_t** tensor) {
    const std::string name = tensor_name == nullptr ? "" : tensor_name;
    return give(
        infer_request, tensor, [name](auto& r) { return r.get_tensor(name); },
        [name](auto& r, const auto& t) { r.set_tensor(name, t); });
}
ov_status_e ov_infer_request_get_tensor_by_port(const ov_infer_request_t* infer_request,
                                                const ov_output_port_t* port,
                                                ov_tensor_t** tensor) {
    const fuseq::Output own = port == nullptr ? fuseq::Output() : port->port;
    return give(
        infer_request, tensor, [own](auto& r) { return r.get_tensor(own); },
        [own](auto& r, const auto& t) { r.set_tensor(own, t); });
}
ov_status_e ov_infer_request_get_tensor_by_const_port(const ov_infer_request_t* infer_request,
                                                      const ov_output_const_port_t* port,
                                                      ov_tensor_t** tensor) {
    const fuseq::Output own = port == nullptr ? fuseq::Output() : port->port;
    return give(
        infer_request, tensor, [own](auto& r) { return r.get_tensor(own); },
        [own](auto& r, const auto& t) { r.set_tensor(own, t); });
}
ov_status_e ov_infer_request_get_input_tensor_by_index(const ov_infer_request_t* infer_request,
                                                       const size_t idx,
                                                       ov_tensor_t** tensor) {
    return give(
        infer_request, tensor, [idx](auto& r) { return r.get_input_tensor(idx); },
        [idx](auto& r, const auto& t) { r.set_input_tensor(idx, t); });
}
ov_status_e ov_infer_request_get_input_tensor(const ov_infer_request_t* infer_request,
                                              ov_tensor_t** tensor) {
    return give(
        infer_request, tensor, [](auto& r) { return r.get_input_tensor(); },
        [](auto& r, const auto& t) { r.set_input_tensor(t); });
}
ov_status_e ov_infer_request_get_output_tensor_by_index(const ov_infer_request_t* infer_request,
                                                        const size_t idx,
                                                        ov_tensor_t** tensor) {
    return give(
        infer_request, tensor, [idx](auto& r) { return r.get_output_tensor(idx); },
        [idx](auto& r, const auto& t) { r.set_output_tensor(idx, t); });
}
ov_status_e ov_infer_request_get_output_tensor(const ov_infer_request_t* infer_request,
                                               ov_tensor_t** tensor) {
    return give(
        infer_request, tensor, [](auto& r) { return r.get_output_tensor(); },
        [](auto& r, const auto& t) { r.set_output_tensor(t); });
}

ov_status_e ov_infer_request_infer(ov_infer_request_t* infer_request) {
    return with(infer_request, [](auto& r) { r.infer(); });
}
ov_status_e ov_infer_request_cancel(ov_infer_request_t* infer_request) {
    return with(infer_request, [](auto& r) { r.cancel(); });
}
ov_status_e ov_infer_request_start_async(ov_infer_request_t* infer_request) {
    return with(infer_request, [](auto& r) { r.start_async(); });
}
ov_status_e ov_infer_request_wait(ov_infer_request_t* infer_request) {
    return with(infer_request, [](auto& r) { r.wait(); });
}
ov_status_e ov_infer_request_wait_for(ov_infer_request_t* infer_request, const int64_t timeout) {
    bool ended = false;
    const ov_status_e status = with(
        infer_request, [&](auto& r) { ended = r.wait_for(std::chrono::milliseconds(timeout)); });
    return status == OK && !ended ? RESULT_NOT_READY : status;
}
ov_status_e ov_infer_request_set_callback(ov_infer_request_t* infer_request,
                                          const ov_callback_t* callback) {
    return with(infer_request, [&](auto& r) {
        need_all(callback);
        need(callback->callback_func != nullptr);
        r.set_callback(
            [told = *callback](const std::exception_ptr&) { told.callback_func(told.args); });
    });
}
void ov_infer_request_free(ov_infer_request_t* infer_request) {
    delete infer_request;
}

ov_status_e ov_infer_request_get_profiling_info(const ov_infer_request_t* infer_request,
                                                ov_profiling_info_list_t* profiling_infos) {
    return with(infer_request, [&](auto& r) {
        need_all(profiling_infos);
        const std::vector<fuseq::ProfilingInfo> steps = r.get_profiling_info();
        profiling_infos->profiling_infos = new ov_profiling_info_t[steps.size() + 1];
        profiling_infos->size = steps.size();
        std::transform(steps.begin(), steps.end(), profiling_infos->profiling_infos,
                       [](const fuseq::ProfilingInfo& step) {
                           return ov_profiling_info_t{ov_profiling_info_t::EXECUTED,
                                                      step.real_time_us,
                                                      step.real_time_us,
                                                      copy_of(step.node_name),
                                                      copy_of(step.exec_type),
                                                      copy_of(step.node_type)};
                       });
    });
}
void ov_profiling_info_list_free(ov_profiling_info_list_t* profiling_infos) {
    if (profiling_infos != nullptr) {
        for (size_t i = 0; i < profiling_infos->size; ++i) {
            ov_free(profiling_infos->profiling_infos[i].node_name);
            ov_free(profiling_infos->profiling_infos[i].exec_type);
            ov_free(profiling_infos->profiling_infos[i].node_type);
        }
        delete[] profiling_infos->profiling_infos;
        *profiling_infos = {nullptr, 0};
    }
}
