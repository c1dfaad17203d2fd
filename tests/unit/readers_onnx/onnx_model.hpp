// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small ONNX models, built in code.
#pragma once

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"
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
    void ints(const std::string& name, const std::vector<std::int64_t>& values) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(::onnx::TensorProto::INT64);
        tensor->add_dims(static_cast<std::int64_t>(values.size()));
        for (const std::int64_t value : values) {
            tensor->add_int64_data(value);
        }
    }
    // Bytes of u8, or of u4 and i4 with two values a byte.
    ::onnx::TensorProto* raw(const std::string& name,
                             const std::vector<std::int64_t>& dims,
                             const std::vector<std::uint8_t>& values,
                             int type = ::onnx::TensorProto::UINT8) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(type);
        for (const std::int64_t dim : dims) {
            tensor->add_dims(dim);
        }
        tensor->set_raw_data(values.data(), values.size());
        return tensor;
    }
    ::onnx::NodeProto* microsoft(const std::string& type,
                                 const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
        if (proto.opset_import_size() == 1) {
            auto* import = proto.add_opset_import();
            import->set_domain("com.microsoft");
            import->set_version(1);
        }
        auto* made = node(type, inputs, outputs, type);
        made->set_domain("com.microsoft");
        return made;
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

inline void integer(::onnx::NodeProto* node, const std::string& name, std::int64_t value) {
    attribute(node, name, ::onnx::AttributeProto::INT)->set_i(value);
}

inline void real(::onnx::NodeProto* node, const std::string& name, float value) {
    attribute(node, name, ::onnx::AttributeProto::FLOAT)->set_f(value);
}

inline void text(::onnx::NodeProto* node, const std::string& name, const std::string& value) {
    attribute(node, name, ::onnx::AttributeProto::STRING)->set_s(value);
}

inline void integer_list(::onnx::NodeProto* node,
                         const std::string& name,
                         const std::vector<std::int64_t>& values) {
    auto* list = attribute(node, name, ::onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) {
        list->add_ints(value);
    }
}

// All outputs of the model on a device.
inline std::vector<Tensor> infer(const OnnxModel& m,
                                 const std::string& device,
                                 const std::vector<Tensor>& inputs) {
    Core core;
    InferRequest request = core.compile_model(m.read(), device).create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    outputs.reserve(static_cast<std::size_t>(m.proto.graph().output_size()));
    for (int i = 0; i < m.proto.graph().output_size(); ++i) {
        outputs.push_back(request.get_output_tensor(static_cast<std::size_t>(i)));
    }
    return outputs;
}

inline std::vector<float> random_floats(std::mt19937& random, std::size_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
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
