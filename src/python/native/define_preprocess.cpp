// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Layout and the classes of fuseq.preprocess.
#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "fuseq/preprocess.hpp"
#include "python/native/bindings.hpp"
#include "python/native/ports.hpp"
#include "python/native/py_tensor.hpp"
#include "python/native/shapes.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using namespace fuseq::preprocess;

// Parts belong to the PrePostProcessor; setters return what they were called on.
constexpr auto kPart = py::return_value_policy::reference_internal;

void define_layout(py::module_& module) {
    py::class_<Layout>(module, "Layout",
                       "What the dimensions of a tensor mean: 'NCHW', '[N,C,H,W]', 'N...C'. Raises "
                       "Error for text that is none.")
        .def(py::init<>())
        .def(py::init<const std::string&>(), py::arg("layout_str"))
        .def("has_name", &Layout::has_name, py::arg("name"))
        .def("get_index_by_name", &Layout::get_index_by_name, py::arg("name"),
             "Negative, counted from the end, when it stands after dots.")
        .def("to_string", &Layout::to_string)
        .def_property_readonly("empty", &Layout::empty)
        .def(
            "__eq__", [](const Layout& a, const Layout& b) { return a == b; }, py::is_operator())
        .def("__hash__", [](const Layout& self) { return py::hash(py::str(self.to_string())); })
        .def("__str__", &Layout::to_string)
        .def("__repr__", [](const Layout& self) { return "<Layout: " + self.to_string() + ">"; });
    py::implicitly_convertible<std::string, Layout>();
    module.def(
        "_get_layout", [](const PyPort& port) { return get_layout(port.output); }, py::arg("port"));
    module.def(
        "_set_layout",
        [](const PyPort& port, const Layout& layout) { set_layout(port.output, layout); },
        py::arg("port"), py::arg("layout"));
}

void define_enums(py::module_& module) {
    py::enum_<ColorFormat>(module, "ColorFormat", "Order of colours, or of planes of colours.")
        .value("UNDEFINED", ColorFormat::UNDEFINED)
        .value("NV12_SINGLE_PLANE", ColorFormat::NV12_SINGLE_PLANE)
        .value("NV12_TWO_PLANES", ColorFormat::NV12_TWO_PLANES)
        .value("I420_SINGLE_PLANE", ColorFormat::I420_SINGLE_PLANE)
        .value("I420_THREE_PLANES", ColorFormat::I420_THREE_PLANES)
        .value("RGB", ColorFormat::RGB)
        .value("BGR", ColorFormat::BGR)
        .value("GRAY", ColorFormat::GRAY)
        .value("RGBX", ColorFormat::RGBX)
        .value("BGRX", ColorFormat::BGRX);
    py::enum_<ResizeAlgorithm>(module, "ResizeAlgorithm", "How a picture is resized.")
        .value("RESIZE_LINEAR", ResizeAlgorithm::RESIZE_LINEAR)
        .value("RESIZE_CUBIC", ResizeAlgorithm::RESIZE_CUBIC)
        .value("RESIZE_NEAREST", ResizeAlgorithm::RESIZE_NEAREST)
        .value("RESIZE_BILINEAR_PILLOW", ResizeAlgorithm::RESIZE_BILINEAR_PILLOW)
        .value("RESIZE_BICUBIC_PILLOW", ResizeAlgorithm::RESIZE_BICUBIC_PILLOW);
    py::enum_<PaddingMode>(module, "PaddingMode", "What stands in the border.")
        .value("CONSTANT", PaddingMode::CONSTANT)
        .value("EDGE", PaddingMode::EDGE)
        .value("REFLECT", PaddingMode::REFLECT)
        .value("SYMMETRIC", PaddingMode::SYMMETRIC);
}

// No type, as None or left out: that of the model.
ElementType type_or_none(const py::object& type) {
    return type.is_none() ? ElementType::undefined : type_from(type);
}

void define_tensor_infos(py::module_& module) {
    py::class_<InputTensorInfo>(module, "InputTensorInfo", "What the user gives.")
        .def(
            "set_element_type",
            [](InputTensorInfo& self, const py::object& type) -> InputTensorInfo& {
                return self.set_element_type(type_from(type));
            },
            py::arg("type"), kPart)
        .def("set_layout", &InputTensorInfo::set_layout, py::arg("layout"), kPart)
        .def("set_color_format", &InputTensorInfo::set_color_format, py::arg("format"),
             py::arg("sub_names") = std::vector<std::string>(), kPart)
        .def("set_spatial_static_shape", &InputTensorInfo::set_spatial_static_shape,
             py::arg("height"), py::arg("width"), kPart)
        .def("set_spatial_dynamic_shape", &InputTensorInfo::set_spatial_dynamic_shape, kPart)
        .def(
            "set_shape",
            [](InputTensorInfo& self, const py::object& shape) -> InputTensorInfo& {
                return self.set_shape(partial_shape_from(shape));
            },
            py::arg("shape"), kPart)
        .def(
            "set_from",
            [](InputTensorInfo& self, const py::object& runtime_tensor) -> InputTensorInfo& {
                return py::isinstance<PyTensor>(runtime_tensor)
                           ? self.set_from(runtime_tensor.cast<const PyTensor&>().tensor)
                           : self.set_from(tensor_over(runtime_tensor.cast<py::array>()).tensor);
            },
            py::arg("runtime_tensor"), "Type and shape of a Tensor or an array.", kPart);
    py::class_<OutputTensorInfo>(module, "OutputTensorInfo", "What the user gets.")
        .def(
            "set_element_type",
            [](OutputTensorInfo& self, const py::object& type) -> OutputTensorInfo& {
                return self.set_element_type(type_from(type));
            },
            py::arg("type"), kPart)
        .def("set_layout", &OutputTensorInfo::set_layout, py::arg("layout"), kPart);
    py::class_<InputModelInfo>(module, "InputModelInfo", "What the model expects.")
        .def("set_layout", &InputModelInfo::set_layout, py::arg("layout"), kPart);
    py::class_<OutputModelInfo>(module, "OutputModelInfo", "What the model gives.")
        .def("set_layout", &OutputModelInfo::set_layout, py::arg("layout"), kPart);
}

using Steps = PreProcessSteps;
using Numbers = std::vector<float>;

void define_numbers(py::class_<Steps>& steps) {
    steps.def("mean", py::overload_cast<float>(&Steps::mean), py::arg("value"), kPart)
        .def("mean", py::overload_cast<const Numbers&>(&Steps::mean), py::arg("values"),
             "x - value; one value, or one a channel.", kPart)
        .def("scale", py::overload_cast<float>(&Steps::scale), py::arg("value"), kPart)
        .def("scale", py::overload_cast<const Numbers&>(&Steps::scale), py::arg("values"),
             "x / value; one value, or one a channel.", kPart)
        .def("crop", &Steps::crop, py::arg("begin"), py::arg("end"),
             "One value a dimension; negative ones count from the end.", kPart)
        .def(
            "pad",
            py::overload_cast<const std::vector<int>&, const std::vector<int>&, float, PaddingMode>(
                &Steps::pad),
            py::arg("pads_begin"), py::arg("pads_end"), py::arg("value"), py::arg("mode"), kPart)
        .def("pad",
             py::overload_cast<const std::vector<int>&, const std::vector<int>&, const Numbers&,
                               PaddingMode>(&Steps::pad),
             py::arg("pads_begin"), py::arg("pads_end"), py::arg("values"), py::arg("mode"), kPart);
}

template <class Class>
void define_conversions(py::class_<Class>& steps) {
    steps
        .def(
            "convert_element_type",
            [](Class& self, const py::object& type) -> Class& {
                return self.convert_element_type(type_or_none(type));
            },
            py::arg("type") = py::none(), "Without a type: that of the model.", kPart)
        .def("convert_layout",
             py::overload_cast<const std::vector<std::uint64_t>&>(&Class::convert_layout),
             py::arg("dims"), kPart)
        .def("convert_layout", py::overload_cast<const Layout&>(&Class::convert_layout),
             py::arg("dst_layout") = Layout(),
             "To a layout (without one: that of the model), or by the order of dimensions.", kPart);
}

void define_steps(py::module_& module) {
    py::class_<Steps> steps(module, "PreProcessSteps", "What happens to an input, in order.");
    define_conversions(steps);
    define_numbers(steps);
    steps.def("convert_color", &Steps::convert_color, py::arg("dst_format"), kPart)
        .def("resize", py::overload_cast<ResizeAlgorithm>(&Steps::resize), py::arg("alg"), kPart)
        .def("resize", py::overload_cast<ResizeAlgorithm, std::size_t, std::size_t>(&Steps::resize),
             py::arg("alg"), py::arg("dst_height"), py::arg("dst_width"),
             "To a size, or to that of the model's input.", kPart)
        .def("reverse_channels", &Steps::reverse_channels, kPart);
    py::class_<PostProcessSteps> after(module, "PostProcessSteps",
                                       "What happens to an output, in order.");
    define_conversions(after);
}

template <class Info>
void define_info(py::module_& module, const char* name, const char* text, const char* steps) {
    py::class_<Info> info(module, name, text);
    info.def("tensor", &Info::tensor, kPart).def("model", &Info::model, kPart);
    if constexpr (std::is_same_v<Info, InputInfo>) {
        info.def(steps, &Info::preprocess, kPart);
    } else {
        info.def(steps, &Info::postprocess, kPart);
    }
}

void define_processor(py::module_& module) {
    using Processor = PrePostProcessor;
    py::class_<Processor>(module, "PrePostProcessor",
                          "Puts steps between the user's tensors and a model's inputs and outputs; "
                          "docs/preprocessing.md.")
        .def(py::init<std::shared_ptr<Model>>(), py::arg("model"))
        .def("input", py::overload_cast<>(&Processor::input), kPart)
        .def("input", py::overload_cast<std::size_t>(&Processor::input), py::arg("input_index"),
             kPart)
        .def("input", py::overload_cast<std::string_view>(&Processor::input),
             py::arg("tensor_name"), kPart)
        .def("output", py::overload_cast<>(&Processor::output), kPart)
        .def("output", py::overload_cast<std::size_t>(&Processor::output), py::arg("output_index"),
             kPart)
        .def("output", py::overload_cast<std::string_view>(&Processor::output),
             py::arg("tensor_name"), kPart)
        .def(
            "build", &Processor::build,
            "Changes the model and returns it. Raises Error naming the input; the model is then as "
            "before.")
        .def("__str__", &Processor::to_string)
        .def("__repr__", &Processor::to_string);
}

}  // namespace

void define_preprocess(py::module_& module) {
    define_layout(module);
    py::module_ inner = module.def_submodule("preprocess", "The classes of fuseq.preprocess.");
    define_enums(inner);
    define_tensor_infos(inner);
    define_steps(inner);
    define_info<InputInfo>(inner, "InputInfo", "An input of the model.", "preprocess");
    define_info<OutputInfo>(inner, "OutputInfo", "An output of the model.", "postprocess");
    define_processor(inner);
}

}  // namespace fuseq::python
