// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_caffe2/damaged_net.hpp"

#include "support/damaged_bytes.hpp"
#include "support/file_pair.hpp"
#include "support/odd_values.hpp"
#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

using caffe2_proto::Argument;
using caffe2_proto::NetDef;
using caffe2_proto::OperatorDef;

Caffe2Model quantized_net() {
    Caffe2Model m;
    m.input("x", {1, 4, 4, 2});
    m.op("Int8Quantize", {"x"}, {"q"}).grid(0.5F, 128);
    m.bytes("w", {2, 1, 1, 2}, {1, 2, 3, 4}, 0.5F, 128);
    m.bias("b", {1, 2}, 0.25F);
    m.op("Int8ConvRelu", {"q", "w", "b"}, {"c"}).nhwc().integer("kernel", 1).grid(0.5F, 0);
    m.op("Int8Add", {"c", "q"}, {"s"}).grid(0.5F, 7);
    m.op("Int8LeakyRelu", {"s"}, {"l"}).real("alpha", 0.5F).grid(0.5F, 7);
    m.op("Int8MaxPool", {"l"}, {"m"})
        .nhwc()
        .integer("kernel", 2)
        .integer("stride", 1)
        .grid(0.5F, 7);
    m.op("Int8AveragePool", {"m"}, {"p"}).nhwc().integer("kernel", 2).grid(0.5F, 7);
    m.op("Int8Concat", {"p", "p"}, {"k"}).nhwc().grid(0.5F, 7);
    m.op("Int8Dequantize", {"k"}, {"r"});
    m.op("Slice", {"r"}, {"t"}).integers("starts", {0, 1}).integers("ends", {-1, -1});
    m.op("Reshape", {"t"}, {"f", "old"}).integers("shape", {0, -1});
    m.op("Softmax", {"f"}, {"y"});
    m.output("y");
    return m;
}

Caffe2Model quantized_rows() {
    Caffe2Model m;
    m.input("rows", {2, 4});
    m.op("Int8Quantize", {"rows"}, {"q"}).grid(0.25F, 100);
    m.bytes("w", {3, 4}, {1, 2, 3, 4, 130, 131, 132, 133, 5, 6, 7, 8}, 0.5F, 128);
    m.bias("b", {1, 2, 3}, 0.125F);
    m.op("Int8FC", {"q", "w", "b"}, {"c"}).grid(0.5F, 3);
    m.op("Int8Softmax", {"c"}, {"s"}).grid(1.0F / 256, 0);
    m.op("Int8Sigmoid", {"c"}, {"g"}).grid(1.0F / 256, 0);
    m.op("Int8Sum", {"s", "g"}, {"y"}).grid(0.01F, 5);
    m.op("Int8Flatten", {"y"}, {"z"}).grid(0.01F, 5);
    m.output("z");
    return m;
}

Caffe2Model float_net() {
    Caffe2Model m;
    m.input("image", {1, 2, 4, 4});
    m.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    m.floats("b", {2}, {1, 2});
    m.op("Conv", {"image", "w", "b"}, {"c"}).integer("kernel", 1);
    for (const char* name : {"scale", "shift", "mean", "var"}) {
        m.floats(name, {2}, {0.5F, 1});
    }
    m.op("SpatialBN", {"c", "scale", "shift", "mean", "var"}, {"n"}).integer("is_test", 1);
    m.op("Relu", {"n"}, {"n"});
    m.op("LRN", {"n"}, {"o"}).integer("size", 3).real("alpha", 3).real("beta", 1).real("bias", 1);
    m.op("MaxPool", {"o"}, {"p"}).integer("kernel", 2).integer("stride", 2);
    m.op("ResizeNearest", {"p"}, {"e"}).real("height_scale", 2).real("width_scale", 2);
    m.op("Mul", {"e", "b"}, {"a"}).integer("broadcast", 1).integer("axis", 1);
    m.op("Clip", {"a"}, {"k"}).real("min", -1).real("max", 2);
    m.op("NCHW2NHWC", {"k"}, {"h"});
    m.op("Concat", {"h", "h"}, {"j", "sizes"}).integer("axis", 1);
    m.floats("fw", {2, 64}, std::vector<float>(128, 0.5F));
    m.op("FC", {"j", "fw", "b"}, {"y"});
    m.output("y");
    return m;
}

class NetMistakes {
public:
    explicit NetMistakes(std::uint64_t seed) : random_(seed) {}

    void make(NetDef& net) {
        if (net.op_size() == 0) {
            return;
        }
        OperatorDef& op = *net.mutable_op(at(net.op_size()));
        const OperatorDef other = net.op(at(net.op_size()));
        switch (random_() % 8) {
            case 0: op.set_type(other.type()); break;
            case 1: change_names(*op.mutable_input(), other.output()); break;
            case 2: change_names(*op.mutable_output(), other.input()); break;
            case 3: net.mutable_op()->SwapElements(at(net.op_size()), at(net.op_size())); break;
            case 4: net.add_external_output(other.output_size() > 0 ? other.output(0) : ""); break;
            default: change_argument(op, other); break;
        }
    }

private:
    int at(int size) { return static_cast<int>(random_() % static_cast<std::uint64_t>(size)); }

    template <class Names>
    void change_names(Names& names, const Names& others) {
        if (names.empty() || random_() % 4 == 0) {
            *names.Add() = others.empty() ? std::string() : others.Get(0);
        } else if (random_() % 3 == 0) {
            names.RemoveLast();
        } else if (!others.empty()) {
            *names.Mutable(at(names.size())) = others.Get(at(others.size()));
        }
    }

    void change_argument(OperatorDef& op, const OperatorDef& other) {
        if (op.arg_size() == 0 || random_() % 8 == 0) {
            if (other.arg_size() > 0) {
                *op.add_arg() = other.arg(at(other.arg_size()));
            }
            return;
        }
        Argument& argument = *op.mutable_arg(at(op.arg_size()));
        if (argument.has_i()) {
            argument.set_i(odd_integer(random_));
        } else if (argument.has_f()) {
            argument.set_f(odd_float(random_));
        } else if (argument.has_s()) {
            argument.set_s(damaged(argument.s() + "....", 0, random_()));
        } else if (argument.ints_size() > 0) {
            argument.set_ints(at(argument.ints_size()), odd_integer(random_));
        } else if (argument.floats_size() > 0) {
            argument.set_floats(at(argument.floats_size()), odd_float(random_));
        }
    }

    std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> caffe2_nets() {
    std::vector<std::string> all;
    for (const Caffe2Model& m : {quantized_net(), quantized_rows(), float_net()}) {
        all.push_back(join_files(m.predict.SerializeAsString(), m.init.SerializeAsString()));
    }
    return all;
}

std::string damaged_nets(const std::string& nets, std::uint64_t seed) {
    constexpr std::size_t kHeader = 2;
    auto [predict, init] = split_files(nets);
    std::mt19937_64 random(seed);
    if (random() % 4 == 0) {
        std::string& damaged_one = random() % 2 == 0 ? predict : init;
        damaged_one = damaged(damaged_one, kHeader, seed);
        return join_files(predict, init);
    }
    NetDef nets_of[2];
    nets_of[0].ParseFromString(predict);
    nets_of[1].ParseFromString(init);
    NetMistakes mistakes(seed);
    for (std::uint64_t i = 0; i < 1 + random() % 5; ++i) {
        mistakes.make(nets_of[random() % 4 == 0 ? 1 : 0]);
    }
    return join_files(nets_of[0].SerializeAsString(), nets_of[1].SerializeAsString());
}

std::shared_ptr<Model> read_caffe2_nets(const std::string& nets) {
    const FilePair both = split_files(nets);
    const auto input = [](const std::vector<std::int64_t>& shape) {
        return caffe2_reader::InputInfo{.type = ElementType::f32, .shape = shape};
    };
    return caffe2_reader::import_model(
        both.first, both.second,
        {.predict_file = "predict.pb",
         .init_file = "init.pb",
         .inputs = {
             {"x", input({1, 4, 4, 2})}, {"rows", input({2, 4})}, {"image", input({1, 2, 4, 4})}}});
}

}  // namespace fuseq::test
