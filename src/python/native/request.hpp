// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.InferRequest.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "fuseq/infer_request.hpp"
#include "python/native/compiled_ports.hpp"
#include "python/native/py_tensor.hpp"
#include "python/native/results.hpp"

namespace fuseq::python {

// All functions are called with the GIL, which is released while the model runs and while
// something is waited for.
class PyRequest {
public:
    explicit PyRequest(std::shared_ptr<const CompiledPorts> ports);
    ~PyRequest();
    PyRequest(const PyRequest&) = delete;
    PyRequest& operator=(const PyRequest&) = delete;

    const CompiledPorts& ports() const { return *ports_; }
    const std::shared_ptr<const CompiledPorts>& shared_ports() const { return ports_; }
    InferRequest& native() { return request_; }

    PyResults infer(const pybind11::object& inputs, bool share_inputs, bool share_outputs);
    void start_async(const pybind11::object& inputs, const pybind11::object& userdata, bool share);
    void wait();
    bool wait_for(std::int64_t milliseconds);
    // `function` gets (userdata), or (userdata, error or None) where it wants errors.
    void set_callback(const pybind11::object& function,
                      const pybind11::object& userdata,
                      bool errors);
    pybind11::object userdata() const { return userdata_; }
    double latency_ms() const;

    void set_input(std::size_t index, const PyTensor& tensor);
    void set_output(std::size_t index, const PyTensor& tensor);
    PyTensor get_input(std::size_t index) const;
    PyTensor get_output(std::size_t index) const;
    PyResults results(bool share) const;

    // For Python's collector of cycles: what a callback captures may hold the request.
    int traverse(visitproc visit, void* arg) const;
    void clear();
    // At the end of the process: a callback must not begin when there is no interpreter any more.
    static void wait_for_all();

private:
    struct Callback;
    static std::set<PyRequest*>& all();
    void require_idle() const;
    void set_inputs(const pybind11::object& inputs, bool share);
    void use_copy(std::size_t index, const Tensor& values);
    void end_of_wait();

    std::shared_ptr<const CompiledPorts> ports_;
    InferRequest request_;
    // For tensors of inputs, which may live longer than the request.
    std::shared_ptr<PyRequest*> alive_ = std::make_shared<PyRequest*>(this);
    // Arrays whose memory the request uses.
    std::vector<pybind11::object> input_bases_;
    std::vector<pybind11::object> output_bases_;
    std::vector<Tensor> own_inputs_;
    std::shared_ptr<Callback> callback_;
    pybind11::object userdata_ = pybind11::none();
};

}  // namespace fuseq::python
