// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/request.hpp"

#include <chrono>
#include <cstring>
#include <set>

#include "fuseq/error.hpp"
#include "python/native/arrays.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using Clock = std::chrono::steady_clock;

bool is_finalizing() {
    return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
}

// "cancelled", "the device failed": what a run threw, as the Python exception of that.
py::object python_error(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& found) {
        return py::module_::import("fuseq").attr("Error")(found.what());
    } catch (const std::exception& found) {
        return py::module_::import("fuseq").attr("Error")(found.what());
    }
}

}  // namespace

// What the device's thread needs, and what it leaves. Used with the GIL.
struct PyRequest::Callback {
    py::object function = py::none();
    py::object userdata = py::none();
    bool wants_errors = false;
    Clock::time_point started;
    Clock::time_point ended;
    py::object thrown = py::none();  // what the function raised

    void call(const std::exception_ptr& error) {
        ended = Clock::now();
        if (function.is_none() || (error && !wants_errors)) {
            return;  // wait() throws the error
        }
        try {
            wants_errors ? function(userdata, error ? python_error(error) : py::none())
                         : function(userdata);
        } catch (py::error_already_set& raised) {
            thrown = raised.value();
            if (raised.trace()) {
                thrown.attr("__traceback__") = raised.trace();
            }
        }
    }
    // The last handle may go in a thread of the device.
    static void release(Callback* callback) {
        if (is_finalizing()) {
            return;  // the process ends, and the objects with it
        }
        const py::gil_scoped_acquire gil;
        delete callback;
    }
};

// Requests that exist; used with the GIL.
std::set<PyRequest*>& PyRequest::all() {
    static std::set<PyRequest*> requests;
    return requests;
}

void PyRequest::wait_for_all() {
    std::vector<InferRequest> handles;
    for (PyRequest* request : all()) {
        handles.push_back(request->request_);
    }
    const py::gil_scoped_release free;
    for (InferRequest& request : handles) {
        try {
            request.wait();
        } catch (const std::exception&) {
            // Nobody is left who would want to know.
        }
    }
}

PyRequest::PyRequest(std::shared_ptr<const CompiledPorts> ports)
    : ports_(std::move(ports)),
      request_(ports_->model().create_infer_request()),
      input_bases_(ports_->inputs().size(), py::none()),
      output_bases_(ports_->outputs().size(), py::none()),
      own_inputs_(ports_->inputs().size()),
      callback_(new Callback, Callback::release) {
    request_.set_callback([callback = callback_](const std::exception_ptr& error) {
        if (is_finalizing()) {
            return;
        }
        const py::gil_scoped_acquire gil;
        callback->call(error);
    });
    all().insert(this);
}

PyRequest::~PyRequest() {
    all().erase(this);
    alive_.reset();
    // Waits for a run and its callback, which needs the GIL.
    const py::gil_scoped_release free;
    request_ = InferRequest();
}

void PyRequest::set_input(std::size_t index, const PyTensor& tensor) {
    request_.set_input_tensor(index, tensor.tensor);
    input_bases_[index] = tensor.base;
}

void PyRequest::set_output(std::size_t index, const PyTensor& tensor) {
    request_.set_output_tensor(index, tensor.tensor);
    output_bases_[index] = tensor.base;
}

PyTensor PyRequest::get_input(std::size_t index) const {
    const auto memory_of = [](const Tensor& tensor) { return tensor.data(); };
    const Tensor tensor = request_.get_input_tensor(index);
    // Only while the request still uses this tensor.
    const auto resized = [=, alive = std::weak_ptr<PyRequest*>(alive_),
                          memory = memory_of(tensor)](const PyTensor& changed) mutable {
        const auto request = alive.lock();
        if (request != nullptr && memory_of((*request)->get_input(index).tensor) == memory) {
            (*request)->set_input(index, changed);
            memory = memory_of(changed.tensor);
        }
    };
    return {tensor, input_bases_[index], resized};
}

PyTensor PyRequest::get_output(std::size_t index) const {
    return {request_.get_output_tensor(index), output_bases_[index]};
}

// Never into memory of the user's.
void PyRequest::use_copy(std::size_t index, const Tensor& values) {
    (void)request_.get_input_tensor(index);  // throws while the request runs
    Tensor& own = own_inputs_[index];
    const CompiledPort& port = ports_->inputs()[index];
    if (values.get_element_type() != port.type || !port.shape.contains(values.get_shape())) {
        request_.set_input_tensor(index, values);  // throws what is wrong
        return;
    }
    if (!own || own.get_shape() != values.get_shape()) {
        own = Tensor(port.type, values.get_shape());
    }
    if (values.get_byte_size() > 0 && own.data() != static_cast<const Tensor&>(values).data()) {
        std::memcpy(own.data(), values.data(), values.get_byte_size());
    }
    request_.set_input_tensor(index, own);
    input_bases_[index] = py::none();
}

void PyRequest::set_inputs(const py::object& inputs, bool share) {
    for_each_input(*ports_, inputs, [&](std::size_t index, const py::handle& value) {
        bool copied = false;
        const PyTensor tensor = tensor_for(ports_->inputs()[index], value, copied);
        if (share || copied) {
            set_input(index, tensor);
        } else {
            use_copy(index, tensor.tensor);
        }
    });
}

PyResults PyRequest::results(bool share) const {
    PyResults results{ports_, {}};
    for (std::size_t i = 0; i < output_bases_.size(); ++i) {
        const PyTensor tensor = get_output(i);
        results.arrays.push_back(share ? view_of(tensor) : copy_of(tensor.tensor));
    }
    return results;
}

PyResults PyRequest::infer(const py::object& inputs, bool share_inputs, bool share_outputs) {
    set_inputs(inputs, share_inputs);
    callback_->started = Clock::now();
    {
        const py::gil_scoped_release free;
        request_.infer();
    }
    callback_->ended = Clock::now();
    return results(share_outputs);
}

void PyRequest::start_async(const py::object& inputs, const py::object& userdata, bool share) {
    require_idle();
    set_inputs(inputs, share);
    if (!userdata.is_none()) {
        userdata_ = userdata;
        callback_->userdata = userdata;
    }
    callback_->thrown = py::none();
    callback_->started = Clock::now();
    const py::gil_scoped_release free;  // a device may run the model here
    request_.start_async();
}

void PyRequest::end_of_wait() {
    if (!callback_->thrown.is_none()) {
        const py::object thrown = std::move(callback_->thrown);
        callback_->thrown = py::none();
        PyErr_SetObject(py::type::of(thrown).ptr(), thrown.ptr());
        throw py::error_already_set();
    }
}

void PyRequest::wait() {
    {
        const py::gil_scoped_release free;
        request_.wait();
    }
    end_of_wait();
}

bool PyRequest::wait_for(std::int64_t milliseconds) {
    bool ended = false;
    {
        const py::gil_scoped_release free;
        ended = request_.wait_for(std::chrono::milliseconds(milliseconds));
    }
    if (ended) {
        end_of_wait();
    }
    return ended;
}

void PyRequest::set_callback(const py::object& function, const py::object& userdata, bool errors) {
    require_idle();
    callback_->function = function;
    callback_->userdata = userdata;
    callback_->wants_errors = errors;
    userdata_ = userdata;
}

int PyRequest::traverse(visitproc visit, void* arg) const {
    Py_VISIT(callback_->function.ptr());
    Py_VISIT(callback_->userdata.ptr());
    Py_VISIT(userdata_.ptr());
    return 0;
}

void PyRequest::clear() {
    callback_->function = py::none();
    callback_->userdata = py::none();
    userdata_ = py::none();
}

void PyRequest::require_idle() const {
    (void)request_.query_state();  // throws while the request runs
}

double PyRequest::latency_ms() const {
    return std::chrono::duration<double, std::milli>(callback_->ended - callback_->started).count();
}

}  // namespace fuseq::python
