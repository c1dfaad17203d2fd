// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small Caffe2 models, built in code: a predict_net and the init_net with its parameters.
#pragma once

#include <net_def.pb.h>

#include <string>
#include <vector>

#include "fuseq/fuseq.hpp"
#include "readers/caffe2/importer.hpp"

namespace fuseq::test {

// One operator, with arguments as they are named.
class NetOp {
public:
    explicit NetOp(caffe2_proto::OperatorDef* def) : def_(def) {}
    NetOp& real(const std::string& name, float value) {
        argument(name)->set_f(value);
        return *this;
    }
    NetOp& integer(const std::string& name, std::int64_t value) {
        argument(name)->set_i(value);
        return *this;
    }
    NetOp& text(const std::string& name, const std::string& value) {
        argument(name)->set_s(value);
        return *this;
    }
    NetOp& integers(const std::string& name, const std::vector<std::int64_t>& values) {
        auto* made = argument(name);
        for (const std::int64_t value : values) {
            made->add_ints(value);
        }
        return *this;
    }
    NetOp& reals(const std::string& name, const std::vector<float>& values) {
        auto* made = argument(name);
        for (const float value : values) {
            made->add_floats(value);
        }
        return *this;
    }
    // Y_scale and Y_zero_point.
    NetOp& grid(float scale, std::int64_t zero_point) {
        return real("Y_scale", scale).integer("Y_zero_point", zero_point);
    }
    NetOp& nhwc() { return text("order", "NHWC"); }

private:
    caffe2_proto::Argument* argument(const std::string& name) {
        auto* made = def_->add_arg();
        made->set_name(name);
        return made;
    }
    caffe2_proto::OperatorDef* def_;
};

struct Caffe2Model {
    caffe2_proto::NetDef predict;
    caffe2_proto::NetDef init;
    std::map<std::string, caffe2_reader::InputInfo> input_infos;

    Caffe2Model() {
        predict.set_name("net");
        init.set_name("net_init");
    }
    void input(const std::string& name, const std::vector<std::int64_t>& shape) {
        predict.add_external_input(name);
        input_infos[name] = {.type = ElementType::f32, .shape = shape};
    }
    void output(const std::string& name) { predict.add_external_output(name); }
    static NetOp add(caffe2_proto::NetDef& net,
                     const std::string& type,
                     const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
        auto* op = net.add_op();
        op->set_type(type);
        for (const std::string& one : inputs) {
            op->add_input(one);
        }
        for (const std::string& one : outputs) {
            op->add_output(one);
        }
        return NetOp(op);
    }
    NetOp op(const std::string& type,
             const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs) {
        return add(predict, type, inputs, outputs);
    }
    void floats(const std::string& name,
                const std::vector<std::int64_t>& shape,
                const std::vector<float>& values) {
        predict.add_external_input(name);
        add(init, "GivenTensorFill", {}, {name}).integers("shape", shape).reals("values", values);
    }
    void bytes(const std::string& name,
               const std::vector<std::int64_t>& shape,
               const std::vector<std::uint8_t>& values,
               float scale,
               std::int64_t zero_point) {
        predict.add_external_input(name);
        add(init, "Int8GivenTensorFill", {}, {name})
            .integers("shape", shape)
            .text("values", std::string(values.begin(), values.end()))
            .grid(scale, zero_point);
    }
    void bias(const std::string& name, const std::vector<std::int64_t>& values, float scale) {
        predict.add_external_input(name);
        add(init, "Int8GivenIntTensorFill", {}, {name})
            .integers("shape", {static_cast<std::int64_t>(values.size())})
            .integers("values", values)
            .grid(scale, 0);
    }

    std::shared_ptr<Model> read() const {
        return caffe2_reader::import_model(
            predict.SerializeAsString(), init.SerializeAsString(),
            {.predict_file = "predict_net.pb", .init_file = "init_net.pb", .inputs = input_infos});
    }
    // All outputs.
    std::vector<Tensor> run(const std::string& device, const Tensor& input) const {
        Core core;
        InferRequest request = core.compile_model(read(), device).create_infer_request();
        request.set_input_tensor(input);
        request.infer();
        std::vector<Tensor> results;
        results.reserve(static_cast<std::size_t>(predict.external_output_size()));
        for (int i = 0; i < predict.external_output_size(); ++i) {
            results.push_back(request.get_output_tensor(static_cast<std::size_t>(i)));
        }
        return results;
    }
};

}  // namespace fuseq::test
