// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_onnx/conformance.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "fuseq/fuseq.hpp"
#include "readers/onnx/importer.hpp"
#include "readers/onnx/model_file.hpp"
#include "readers/onnx/tensor_proto.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

Tensor read_pb(const fs::path& path) {
    ::onnx::TensorProto proto;
    if (!proto.ParseFromString(onnx_reader::read_whole_file(path.string()))) {
        throw Error("test", path.string() + " is no tensor");
    }
    return onnx_reader::read_tensor(proto, {}, {.file = path.string()});
}

// The files hold bf16 as u16.
Tensor with_type(const Tensor& tensor, ElementType type) {
    if (type != ElementType::bf16 || tensor.get_element_type() != ElementType::u16) {
        return tensor;
    }
    Tensor same(type, tensor.get_shape());
    std::memcpy(same.data(), tensor.data(), tensor.get_byte_size());
    return same;
}

bool close(double actual, double expected) {
    if (std::isnan(expected)) {
        return std::isnan(actual);
    }
    return actual == expected || std::abs(actual - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

// Empty when equal.
std::string difference(const Tensor& actual, const Tensor& expected) {
    if (actual.get_element_type() != expected.get_element_type() ||
        actual.get_shape() != expected.get_shape()) {
        return to_string(actual.get_element_type()) + to_string(actual.get_shape()) +
               ", expected " + to_string(expected.get_element_type()) +
               to_string(expected.get_shape());
    }
    if (!is_real(expected.get_element_type())) {
        return same_bytes(actual, expected) ? "" : "integers differ";
    }
    const Tensor left = actual.to(ElementType::f64);
    const Tensor right = expected.to(ElementType::f64);
    for (std::size_t i = 0; i < left.get_size(); ++i) {
        const double a = left.data<double>()[i];
        const double e = right.data<double>()[i];
        if (!close(a, e)) {
            return detail::cat("element ", i, " is ", a, ", expected ", e);
        }
    }
    return "";
}

std::string operators_of(const ::onnx::ModelProto& proto) {
    std::set<std::string> types;
    for (const auto& node : proto.graph().node()) {
        types.insert(node.op_type());
    }
    std::string text;
    for (const std::string& type : types) {
        text += (text.empty() ? "" : " ") + type;
    }
    return text;
}

std::string run_data(InferRequest& request, const Model& model, const fs::path& data) {
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
        request.set_input_tensor(i, with_type(read_pb(data / detail::cat("input_", i, ".pb")),
                                              model.inputs()[i].type()));
    }
    request.infer();
    for (std::size_t i = 0; i < model.results().size(); ++i) {
        const Tensor actual = request.get_output_tensor(i);
        const std::string text = difference(
            actual,
            with_type(read_pb(data / detail::cat("output_", i, ".pb")), actual.get_element_type()));
        if (!text.empty()) {
            return detail::cat("output ", i, ": ", text);
        }
    }
    return "";
}

}  // namespace

std::vector<fs::path> conformance_cases(const std::string& set) {
    std::vector<fs::path> folders;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(fs::path(FUSEQ_ONNX_TESTDATA) / set, none)) {
        if (fs::exists(entry.path() / "model.onnx")) {
            folders.push_back(entry.path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

CaseResult run_case(const fs::path& folder, const std::string& device) {
    CaseResult result{.name = folder.filename().string(), .operators = {}, .text = {}};
    const std::string path = (folder / "model.onnx").string();
    const auto proto = onnx_reader::parse_model(onnx_reader::read_whole_file(path), {.file = path});
    result.operators = operators_of(*proto);
    std::shared_ptr<Model> model;
    try {
        model =
            onnx_reader::import_model(*proto, {.file = path, .folder = folder, .on_warning = {}});
    } catch (const Error& error) {
        result.verdict = Verdict::kRefused;
        result.text = error.info().rule;
        return result;
    }
    try {
        static Core core;
        InferRequest request = core.compile_model(model, device).create_infer_request();
        for (int set = 0; fs::exists(folder / detail::cat("test_data_set_", set)); ++set) {
            result.text = run_data(request, *model, folder / detail::cat("test_data_set_", set));
            if (!result.text.empty()) {
                return result;
            }
        }
        result.verdict = Verdict::kPassed;
    } catch (const Error& error) {
        result.text = error.what();
    }
    return result;
}

}  // namespace fuseq::test
