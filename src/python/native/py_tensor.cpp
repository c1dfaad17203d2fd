// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/py_tensor.hpp"

#include <fmt/core.h>

#include <cstring>

#include <pybind11/stl.h>

#include "python/native/bindings.hpp"
#include "python/native/errors.hpp"
#include "python/native/ports.hpp"
#include "python/native/shapes.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

py::object to_shape_object(const Shape& shape) {
    return py::module_::import("fuseq").attr("Shape")(std::vector<std::size_t>(shape));
}

PyTensor over_memory(ElementType type, const Shape& shape, const py::array& array) {
    if (array.writeable()) {
        return {Tensor(type, shape, const_cast<void*>(array.data())), array};
    }
    // Nothing is to be freed: `base` keeps the array.
    return {
        Tensor(type, shape, array.data(), std::shared_ptr<const void>(array.data(), [](auto) {})),
        array};
}

PyTensor copied(const PyTensor& from) {
    Tensor own(from.tensor.get_element_type(), from.tensor.get_shape());
    from.tensor.copy_to(own);
    return {std::move(own), py::none()};
}

PyTensor from_array(const py::array& array, bool shared_memory) {
    if (!type_of(array.dtype())) {
        throw Error("tensor", fmt::format("no tensor holds {}", describe(array)));
    }
    if (shared_memory) {
        return tensor_over(array);
    }
    return copied(tensor_over(py::array::ensure(array, py::array::c_style)));
}

// Of a packed type: the bytes of the array are the elements.
PyTensor from_bytes(const py::array& array, const py::object& shape, const py::object& type) {
    const ElementType wanted = type_from(type);
    const Shape sizes = shape_from(shape);
    const std::size_t bytes = byte_size_of(wanted, shape_size(sizes));
    if (!in_c_order(array) || static_cast<std::size_t>(array.nbytes()) != bytes) {
        throw Error("tensor", fmt::format("got {}, {} bytes; {} {} takes {} bytes in C order",
                                          describe(array), array.nbytes(), to_string(wanted),
                                          to_string(sizes), bytes));
    }
    return over_memory(wanted, sizes, array);
}

PyTensor from_port(const PyPort& port) {
    return {Tensor(port.output.type(), port.output.shape()), py::none()};
}

void copy_into(PyTensor& self, const py::object& source) {
    const PyTensor other = py::isinstance<PyTensor>(source)
                               ? source.cast<PyTensor>()
                               : from_array(py::array::ensure(source), false);
    const Tensor& from = other.tensor;
    Tensor& to = self.tensor;
    if (from.get_element_type() != to.get_element_type() ||
        from.get_byte_size() != to.get_byte_size()) {
        throw Error("tensor",
                    fmt::format("got {} {}, this tensor is {} {}",
                                to_string(from.get_element_type()), to_string(from.get_shape()),
                                to_string(to.get_element_type()), to_string(to.get_shape())));
    }
    if (from.get_byte_size() > 0) {
        std::memcpy(to.data(), from.data(), from.get_byte_size());
    }
}

void set_shape(PyTensor& self, const py::object& shape) {
    self.tensor.set_shape(shape_from(shape));
    if (self.changed) {
        self.changed(self);
    }
}

std::string text_of(const PyTensor& self) {
    return fmt::format("<Tensor: {} {}>", to_string(self.tensor.get_element_type()),
                       to_string(self.tensor.get_shape()));
}

constexpr const char* kTensorDoc =
    "Memory with an element type and a shape, in C order.\n\n"
    "Tensor(array, shared_memory=False): a copy of a numpy array of any order, or, with\n"
    "    shared_memory=True, over its memory: no copy is made in either direction, and the array "
    "is\n"
    "    kept alive. The array must be in C order then.\n"
    "Tensor(array, shape, type): over the bytes of the array, for packed types such as u4.\n"
    "Tensor(type, shape): new memory, zeros.\n"
    "Tensor(port): new memory for a port with a known shape.\n\n"
    "Raises Error for an array of a dtype that no tensor has, that is not in C order, or whose\n"
    "number of bytes is wrong.";

}  // namespace

bool in_c_order(const py::array& array) {
    constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    constexpr int kWanted = static_cast<int>(py::array::c_style) | kAligned;
    return (array.flags() & kWanted) == kWanted;
}

Shape shape_of(const py::array& array) {
    return Shape(std::vector<std::size_t>(array.shape(), array.shape() + array.ndim()));
}

std::string describe(const py::array& array) {
    const char* order = in_c_order(array)                           ? "in C order"
                        : (array.flags() & py::array::f_style) != 0 ? "in Fortran order"
                                                                    : "with gaps (a view)";
    return fmt::format("{} {} {}", py::str(array.dtype()).cast<std::string>(),
                       to_string(shape_of(array)), order);
}

PyTensor tensor_over(const py::array& array) {
    const auto type = type_of(array.dtype());
    if (!type) {
        throw Error("tensor", fmt::format("no tensor holds {}", describe(array)));
    }
    if (!in_c_order(array)) {
        throw Error("tensor", fmt::format("got {}; to share memory it must be in C order: "
                                          "numpy.ascontiguousarray() makes such a copy",
                                          describe(array)));
    }
    return over_memory(*type, shape_of(array), array);
}

py::array view_of(const PyTensor& tensor) {
    const Tensor& from = tensor.tensor;
    const ElementType type = from.get_element_type();
    const Shape shape = is_packed(type) ? Shape{from.get_byte_size()} : from.get_shape();
    // The capsule holds a handle, and with it the memory.
    auto* held = new PyTensor(tensor);
    const py::capsule owner(held, [](void* p) { delete static_cast<PyTensor*>(p); });
    py::array view(dtype_of(type), shape, static_cast<const Tensor&>(from).data(), owner);
    if (from.is_read_only()) {
        view.attr("flags").attr("writeable") = false;
    }
    return view;
}

py::array copy_of(const Tensor& tensor) {
    const ElementType type = tensor.get_element_type();
    if (!is_in_numpy(type)) {
        return copy_of(tensor.to(is_packed(type) ? unpacked_type(type) : ElementType::f32));
    }
    py::array copy(dtype_of(type), tensor.get_shape());
    if (tensor.get_byte_size() > 0) {
        std::memcpy(copy.mutable_data(), tensor.data(), tensor.get_byte_size());
    }
    return copy;
}

namespace {

void define_constructors(py::class_<PyTensor>& tensor) {
    tensor.def(py::init([](const PyPort& port) { return from_port(port); }), py::arg("port"))
        .def(py::init([](const PyTensor& other) { return copied(other); }), py::arg("other"))
        .def(py::init([](const py::array& array, bool shared, const py::kwargs& unknown) {
                 refuse_unknown(unknown, "Tensor()", {"array", "shared_memory", "shape", "type"});
                 return from_array(array, shared);
             }),
             py::arg("array"), py::arg("shared_memory") = false)
        .def(py::init([](const py::array& array, const py::object& shape, const py::object& type) {
                 return from_bytes(array, shape, type);
             }),
             py::arg("array"), py::arg("shape"), py::arg("type"))
        .def(py::init([](const py::object& type, const py::object& shape) {
                 return PyTensor{Tensor(type_from(type), shape_from(shape)), py::none()};
             }),
             py::arg("type"), py::arg("shape"));
}

}  // namespace

void define_tensor(py::module_& module) {
    py::class_<PyTensor> tensor(module, "Tensor", kTensorDoc);
    define_constructors(tensor);
    tensor
        .def_property_readonly("data", &view_of,
                               "A numpy array over the memory, without a copy: what is written to "
                               "it is in the tensor. bf16 is uint16, packed types are their bytes.")
        .def_property_readonly("bytes_data",
                               [](const PyTensor& self) {
                                   return view_of(self).attr("reshape")(-1).attr("view")("uint8");
                               })
        .def(
            "to_numpy", [](const PyTensor& self) { return copy_of(self.tensor); },
            "A copy of the values: bf16 as float32, packed integers unpacked.")
        .def(
            "__array__",
            [](const PyTensor& self, const py::object& dtype) -> py::object {
                const py::array values = is_in_numpy(self.tensor.get_element_type())
                                             ? view_of(self)
                                             : copy_of(self.tensor);
                return dtype.is_none() ? py::object(values) : values.attr("astype")(dtype);
            },
            py::arg("dtype") = py::none())
        .def_property(
            "shape", [](const PyTensor& self) { return to_shape_object(self.tensor.get_shape()); },
            &set_shape)
        .def("get_shape",
             [](const PyTensor& self) { return to_shape_object(self.tensor.get_shape()); })
        .def("set_shape", &set_shape, py::arg("shape"),
             "Raises Error when memory that is shared would have to grow.")
        .def_property_readonly(
            "element_type",
            [](const PyTensor& self) { return PyType{self.tensor.get_element_type()}; })
        .def("get_element_type",
             [](const PyTensor& self) { return PyType{self.tensor.get_element_type()}; })
        .def_property_readonly("size", [](const PyTensor& self) { return self.tensor.get_size(); })
        .def("get_size", [](const PyTensor& self) { return self.tensor.get_size(); })
        .def_property_readonly("byte_size",
                               [](const PyTensor& self) { return self.tensor.get_byte_size(); })
        .def("get_byte_size", [](const PyTensor& self) { return self.tensor.get_byte_size(); })
        .def_property_readonly("strides",
                               [](const PyTensor& self) { return view_of(self).attr("strides"); })
        .def("get_strides", [](const PyTensor& self) { return view_of(self).attr("strides"); })
        .def(
            "is_continuous", [](const PyTensor& /*self*/) { return true; },
            "Always: there are no tensors over a region of another one.")
        .def("copy_from", &copy_into, py::arg("source"),
             "Copies a Tensor or an array of the same type and number of bytes.")
        .def(
            "copy_to",
            [](const PyTensor& self, PyTensor& target) { copy_into(target, py::cast(self)); },
            py::arg("target"))
        .def("__repr__", &text_of);
}

}  // namespace fuseq::python
