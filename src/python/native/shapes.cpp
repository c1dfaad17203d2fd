// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/shapes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

std::string value_text(const py::handle& value) {
    return py::repr(value).cast<std::string>();
}

bool is_whole_number(const py::handle& value) {
    return PyIndex_Check(value.ptr()) != 0;
}

Dimension dimension_from(const py::handle& value) {
    if (py::isinstance<Dimension>(value)) {
        return value.cast<Dimension>();
    }
    if (py::isinstance<py::str>(value)) {
        return Dimension::parse(value.cast<std::string>());
    }
    if (py::isinstance<py::slice>(value)) {
        throw py::type_error("a range of sizes is (min, max), not a slice");
    }
    if (py::isinstance<py::tuple>(value) || py::isinstance<py::list>(value)) {
        const auto ends = py::reinterpret_borrow<py::sequence>(value);
        if (ends.size() == 2) {
            return {ends[0].cast<std::int64_t>(), ends[1].cast<std::int64_t>()};
        }
    }
    if (is_whole_number(value)) {
        return Dimension(py::int_(py::reinterpret_borrow<py::object>(value)).cast<std::int64_t>());
    }
    throw py::type_error(value_text(value) +
                         " is no dimension: a size, -1, (min, max), a Dimension or text is needed");
}

std::size_t place(const PartialShape& shape, std::int64_t index) {
    const auto rank = static_cast<std::int64_t>(shape.rank());
    if (index < -rank || index >= rank) {
        throw py::index_error(
            fmt::format("there is no dimension {} in {}", index, to_string(shape)));
    }
    return static_cast<std::size_t>(index < 0 ? index + rank : index);
}

// Upper or lower ends; -1 for none, as in OpenVINO.
std::vector<std::int64_t> ends_of(const PartialShape& shape, bool upper) {
    std::vector<std::int64_t> ends;
    for (const Dimension& dimension : shape) {
        ends.push_back(upper ? dimension.get_max_length() : dimension.get_min_length());
    }
    return ends;
}

bool contains(const PartialShape& wide, const PartialShape& narrow) {
    if (!wide.rank_is_static() || !narrow.rank_is_static()) {
        return !wide.rank_is_static();
    }
    return std::equal(wide.begin(), wide.end(), narrow.begin(), narrow.end(),
                      [](const Dimension& a, const Dimension& b) { return a.contains(b); });
}

void define_dimension(py::module_& module) {
    py::class_<Dimension>(module, "Dimension",
                          "A size in [min, max]: Dimension(3), Dimension(-1), Dimension(1, 8), "
                          "Dimension('1..8').")
        .def(py::init([] { return Dimension(); }))
        .def(py::init([](const py::object& value) { return dimension_from(value); }),
             py::arg("dimension"))
        .def(py::init<std::int64_t, std::int64_t>(), py::arg("min"), py::arg("max"))
        .def_static("dynamic", &Dimension::dynamic)
        .def_property_readonly("is_static", &Dimension::is_static)
        .def_property_readonly("is_dynamic", &Dimension::is_dynamic)
        .def_property_readonly("min_length", &Dimension::get_min_length)
        .def_property_readonly("max_length", &Dimension::get_max_length)
        .def("get_length", &Dimension::get_length, "The size; raises Error when it is not known.")
        .def("__len__", &Dimension::get_length)
        .def("get_min_length", &Dimension::get_min_length)
        .def("get_max_length", &Dimension::get_max_length)
        .def("compatible", &Dimension::compatible, py::arg("other"))
        .def("__eq__",
             [](const Dimension& self, const py::object& other) {
                 try {
                     return self == dimension_from(other);
                 } catch (const py::type_error&) {
                     return false;
                 }
             })
        .def("__hash__",
             [](const Dimension& self) {
                 return py::hash(py::make_tuple(self.get_min_length(), self.get_max_length()));
             })
        .def("to_string", [](const Dimension& self) { return to_string(self); })
        .def("__str__", [](const Dimension& self) { return to_string(self); })
        .def("__repr__",
             [](const Dimension& self) { return fmt::format("<Dimension: {}>", to_string(self)); });
}

void define_sequence(py::class_<PartialShape>& partial_shape) {
    partial_shape.def("__len__", &PartialShape::rank)
        .def("__getitem__",
             [](const PartialShape& self, std::int64_t i) { return self[place(self, i)]; })
        .def("__getitem__",
             [](const PartialShape& self, const py::slice& range) {
                 return PartialShape(
                     py::list(py::cast(self.dims()))[range].cast<std::vector<Dimension>>());
             })
        .def("__setitem__",
             [](PartialShape& self, std::int64_t i, const py::object& value) {
                 self[place(self, i)] = dimension_from(value);
             })
        .def("__iter__", [](const PartialShape& self) { return py::iter(py::cast(self.dims())); });
}

void define_comparisons_and_copies(py::class_<PartialShape>& partial_shape) {
    partial_shape
        .def(
            "compatible",
            [](const PartialShape& self, const py::object& other) {
                return self.compatible(partial_shape_from(other));
            },
            py::arg("shape"), "Whether a shape could be both.")
        .def(
            "relaxes",
            [](const PartialShape& self, const py::object& other) {
                return contains(self, partial_shape_from(other));
            },
            py::arg("shape"), "Whether every shape of the other one is one of this.")
        .def(
            "refines",
            [](const PartialShape& self, const py::object& other) {
                return contains(partial_shape_from(other), self);
            },
            py::arg("shape"), "Whether every shape of this one is one of the other.")
        .def("__copy__", [](const PartialShape& self) { return PartialShape(self); })
        .def("__deepcopy__", [](const PartialShape& self, const py::object& /*memo*/) {
            return PartialShape(self);
        });
}

void define_partial_shape(py::module_& module) {
    py::class_<PartialShape> partial_shape(
        module, "PartialShape",
        "Sizes of which some may be open: PartialShape([1, 3, -1, (2, 8)]), "
        "PartialShape('[1,3,?,2..8]').\n\nRaises Error for text that is no shape, TypeError for "
        "what is no size.");
    partial_shape
        .def(py::init([](const py::object& value) { return partial_shape_from(value); }),
             py::arg("shape"))
        .def_static(
            "dynamic",
            [](const py::object& rank) {
                return rank.is_none() ? PartialShape::dynamic()
                                      : PartialShape::dynamic(rank.cast<std::size_t>());
            },
            py::arg("rank") = py::none())
        .def_property_readonly("is_static", &PartialShape::is_static)
        .def_property_readonly("is_dynamic", &PartialShape::is_dynamic)
        .def_property_readonly("rank",
                               [](const PartialShape& self) {
                                   return self.rank_is_static()
                                              ? Dimension(static_cast<std::int64_t>(self.rank()))
                                              : Dimension();
                               })
        .def(
            "to_shape",
            [](const PartialShape& self) {
                return py::module_::import("fuseq").attr("Shape")(
                    std::vector<std::size_t>(self.to_shape()));
            },
            "The Shape; raises Error when a size is not known.")
        .def("get_shape",
             [](const PartialShape& self) {
                 return py::module_::import("fuseq").attr("Shape")(
                     std::vector<std::size_t>(self.to_shape()));
             })
        .def(
            "get_max_shape", [](const PartialShape& self) { return ends_of(self, true); },
            "Upper limits; -1 for none.")
        .def("get_min_shape", [](const PartialShape& self) { return ends_of(self, false); })
        .def("get_dimension",
             [](const PartialShape& self, std::int64_t i) { return self[place(self, i)]; });
    define_sequence(partial_shape);
    define_comparisons_and_copies(partial_shape);
    partial_shape
        .def("__eq__",
             [](const PartialShape& self, const py::object& other) {
                 try {
                     return self == partial_shape_from(other);
                 } catch (const py::type_error&) {
                     return false;
                 }
             })
        .def("to_string", [](const PartialShape& self) { return to_string(self); })
        .def("__str__", [](const PartialShape& self) { return to_string(self); })
        .def("__repr__", [](const PartialShape& self) {
            return fmt::format("<PartialShape: {}>", to_string(self));
        });
}

}  // namespace

PartialShape partial_shape_from(const py::object& value) {
    if (py::isinstance<PartialShape>(value)) {
        return value.cast<PartialShape>();
    }
    if (py::isinstance<py::str>(value)) {
        return PartialShape::parse(value.cast<std::string>());
    }
    if (py::isinstance<py::sequence>(value)) {
        std::vector<Dimension> dims;
        for (const py::handle item : value) {
            dims.push_back(dimension_from(item));
        }
        return PartialShape(std::move(dims));
    }
    throw py::type_error(value_text(value) +
                         " is no shape: a list of sizes, a PartialShape or text is needed");
}

Shape shape_from(const py::object& value) {
    return partial_shape_from(value).to_shape();
}

void define_shapes(py::module_& module) {
    define_dimension(module);
    define_partial_shape(module);
}

}  // namespace fuseq::python
