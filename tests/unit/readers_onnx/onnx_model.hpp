// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small ONNX models, built in code.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "readers/onnx/importer.hpp"

namespace fuseq::test {

class OnnxModel {
public:
    explicit OnnxModel(int opset = 13) {
        proto.set_ir_version(8);
        proto.mutable_graph()->set_name("g");
        auto* import = proto.add_opset_import();
        import->set_domain("");
        import->set_version(opset);
    }
    ::onnx::GraphProto& graph() { return *proto.mutable_graph(); }

    // Negative dimensions are open.
    ::onnx::ValueInfoProto* input(const std::string& name,
                                  const std::vector<std::int64_t>& dims,
                                  int type = ::onnx::TensorProto::FLOAT) {
        auto* info = graph().add_input();
        info->set_name(name);
        auto* tensor = info->mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        tensor->mutable_shape();
        for (const std::int64_t size : dims) {
            auto* dim = tensor->mutable_shape()->add_dim();
            size < 0 ? dim->set_dim_param("N") : dim->set_dim_value(size);
        }
        return info;
    }
    void output(const std::string& name) { graph().add_output()->set_name(name); }
    ::onnx::NodeProto* node(const std::string& type,
                            const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs,
                            const std::string& name = {}) {
        auto* made = graph().add_node();
        made->set_op_type(type);
        made->set_name(name);
        for (const std::string& one : inputs) {
            made->add_input(one);
        }
        for (const std::string& one : outputs) {
            made->add_output(one);
        }
        return made;
    }
    ::onnx::TensorProto* floats(const std::string& name,
                                const std::vector<std::int64_t>& dims,
                                const std::vector<float>& values) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(::onnx::TensorProto::FLOAT);
        for (const std::int64_t dim : dims) {
            tensor->add_dims(dim);
        }
        for (const float value : values) {
            tensor->add_float_data(value);
        }
        return tensor;
    }
    std::string bytes() const { return proto.SerializeAsString(); }
    std::shared_ptr<Model> read(const std::string& file = "m.onnx") const {
        return onnx_reader::import_model(proto, {.file = file, .folder = {}, .on_warning = {}});
    }

    ::onnx::ModelProto proto;
};

inline ::onnx::AttributeProto* attribute(::onnx::NodeProto* node,
                                         const std::string& name,
                                         int kind) {
    auto* made = node->add_attribute();
    made->set_name(name);
    made->set_type(static_cast<::onnx::AttributeProto::AttributeType>(kind));
    return made;
}

// Message of the Error that the function throws; empty when none.
template <class Function>
std::string error_text(Function function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace fuseq::test
