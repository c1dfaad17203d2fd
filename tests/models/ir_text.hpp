// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small IRs, layer by layer, and their results on a device.
#pragma once

#include <string>
#include <vector>

#include "fuseq/core.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {

// Layers one after the other; their constants lie in the weights in the same order.
class IrText {
public:
    int parameter(const std::string& type, const std::string& shape) {
        return add("Parameter", "shape=\"" + shape + "\" element_type=\"" + type + "\"", {});
    }
    template <class T>
    int constant(const std::string& type, const std::string& shape, const std::vector<T>& values) {
        const std::size_t offset = weights_.bytes().size();
        weights_.add(values);
        return add("Const",
                   "element_type=\"" + type + "\" shape=\"" + shape + "\" offset=\"" +
                       std::to_string(offset) + "\" size=\"" +
                       std::to_string(weights_.bytes().size() - offset) + "\"",
                   {});
    }
    int halves(const std::string& shape, const std::vector<float>& values) {
        std::vector<std::uint16_t> bits;
        for (const float value : values) {
            bits.push_back(Float16(value).bits);
        }
        return constant("f16", shape, bits);
    }
    int convert(int from, const std::string& type) {
        return add("Convert", "destination_type=\"" + type + "\"", {from});
    }
    int add(const std::string& type,
            const std::string& data,
            const std::vector<int>& from,
            const std::string& opset = "opset1") {
        LayerText text{.id = layers_,
                       .name = type + std::to_string(layers_),
                       .type = type,
                       .data = data,
                       .opset = opset};
        for (std::size_t i = 0; i < from.size(); ++i) {
            const int to_port = static_cast<int>(i);
            text.inputs += "<port id=\"" + std::to_string(i) + "\"/>";
            edges_ += edge(from[i], 9, layers_, to_port);
        }
        text.outputs = type == "Result" ? "" : "<port id=\"9\"/>";
        text_ += layer(text);
        return layers_++;
    }
    std::shared_ptr<Model> model() const {
        return read_ir_from_memory(net(text_, edges_), weights_.tensor());
    }
    std::vector<Tensor> run(const char* device, const std::vector<Tensor>& inputs) const {
        Core core;
        const CompiledModel compiled = core.compile_model(model(), device);
        InferRequest request = compiled.create_infer_request();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        request.infer();
        std::vector<Tensor> outputs;
        for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
            outputs.push_back(request.get_output_tensor(i));
        }
        return outputs;
    }

private:
    int layers_ = 0;
    std::string text_;
    std::string edges_;
    Weights weights_;
};

}  // namespace fuseq::test
