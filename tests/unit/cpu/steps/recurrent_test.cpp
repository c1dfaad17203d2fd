// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent cells and sequences against the reference kernel.
#include "cpu/steps/recurrent.hpp"

#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

struct Case {
    std::string type;  // "LSTM", "GRU", "RNN"
    bool sequence = true;
    std::size_t batch = 1, steps = 1, input = 1, hidden = 1;
    std::string direction = "forward";
    std::string attributes{};
    std::string lengths{};  // "{3,2}"
    bool linear = false;
    bool bias = true;
};

std::string list(std::initializer_list<std::size_t> sizes) {
    std::string text = "f32[";
    for (const std::size_t size : sizes) {
        text += (text.back() == '[' ? "" : ",") + std::to_string(size);
    }
    return text + "]";
}

std::string text_of(const Case& c, unsigned seed) {
    const std::size_t gates = c.type == "LSTM" ? 4 : c.type == "GRU" ? 3 : 1;
    const std::size_t d = c.direction == "bidirectional" ? 2 : 1;
    const auto shape = [&](std::initializer_list<std::size_t> cell,
                           std::initializer_list<std::size_t> sequence) {
        return list(c.sequence ? sequence : cell);
    };
    const std::string random = " = Const value=random(" + std::to_string(seed) + ") : ";
    const std::string state = shape({c.batch, c.hidden}, {c.batch, d, c.hidden});
    std::string text =
        "model \"m\"\n%x = Parameter : " + shape({c.batch, c.input}, {c.batch, c.steps, c.input}) +
        "\n%h = Parameter : " + state;
    std::string inputs = "%x, %h";
    if (c.type == "LSTM") {
        text += "\n%c = Parameter : " + state;
        inputs += ", %c";
    }
    if (c.sequence) {
        text += "\n%l = Const value=" + c.lengths + " : i64[" + std::to_string(c.batch) + "]";
        inputs += ", %l";
    }
    const std::size_t rows = gates * c.hidden;
    text += "\n%w" + random + shape({rows, c.input}, {d, rows, c.input});
    text += "\n%r" + random + shape({rows, c.hidden}, {d, rows, c.hidden});
    inputs += ", %w, %r";
    if (c.bias) {
        const std::size_t biases = (gates + (c.linear ? 1 : 0)) * c.hidden;
        text += "\n%b" + random + shape({biases}, {d, biases});
        inputs += ", %b";
    }
    text += "\n%y = " + c.type + (c.sequence ? "Sequence" : "Cell") + "(" + inputs +
            ") hidden_size=" + std::to_string(c.hidden) + " " + c.attributes;
    text += c.sequence ? " direction=" + c.direction : "";
    text += c.linear ? " linear_before_reset=1" : "";
    const std::size_t outputs = (c.type == "LSTM" ? 2 : 1) + (c.sequence ? 1 : 0);
    for (std::size_t i = 0; i < outputs; ++i) {
        text += "\n%o" + std::to_string(i) + " = Result(%y:" + std::to_string(i) + ")";
    }
    return text;
}

void check(const Case& c, unsigned seed) {
    const DeviceRun run = check_on_devices(text_of(c, seed), seed, 3e-5);
    EXPECT_EQ(run.step_of("y"), "recurrent fuseq:recurrent");
}

TEST(RecurrentStep, CellsMatchTheReference) {
    unsigned seed = 0;
    for (const char* type : {"LSTM", "GRU", "RNN"}) {
        for (const std::size_t hidden : {1, 16, 37}) {
            for (const std::size_t batch : {1, 2, 3, 7}) {
                Case c{.type = type, .sequence = false, .batch = batch, .input = 5 + hidden};
                c.hidden = hidden;
                c.bias = hidden != 16;
                c.attributes = batch == 3 ? "clip=0.7" : "";
                check(c, ++seed);
                if (c.type == "GRU") {
                    c.linear = true;
                    check(c, ++seed);
                }
            }
        }
    }
}

TEST(RecurrentStep, SequencesOfTheirOwnLengths) {
    unsigned seed = 100;
    for (const char* type : {"LSTM", "GRU", "RNN"}) {
        for (const char* direction : {"forward", "reverse", "bidirectional"}) {
            Case c{.type = type, .batch = 5, .steps = 7, .input = 11, .hidden = 19};
            c.direction = direction;
            c.lengths = "{7,0,3,5,1}";
            check(c, ++seed);
            c.batch = 1;
            c.lengths = "{7}";
            c.linear = c.type == "GRU";
            check(c, ++seed);
        }
    }
}

// Above the size from which threads share a step.
TEST(RecurrentStep, BlocksForSeveralThreads) {
    unsigned seed = 200;
    for (const char* type : {"LSTM", "GRU"}) {
        Case c{.type = type, .batch = 3, .steps = 4, .input = 30, .hidden = 200};
        c.direction = "bidirectional";
        c.lengths = "{4,2,3}";
        const std::string text = text_of(c, ++seed);
        const std::shared_ptr<const Model> model(Model::from_text(text));
        std::mt19937 random(seed);
        std::vector<Tensor> inputs;
        for (const Node* parameter : model->parameters()) {
            inputs.push_back(
                random_tensor(ElementType::f32, parameter->port(0).shape.to_shape(), random));
        }
        std::vector<Tensor> first;
        for (const int threads : {1, 2, 3}) {
            Core core;
            CompiledModel compiled =
                core.compile_model(model, "CPU", {{property::kInferenceNumThreads, threads}});
            InferRequest request = compiled.create_infer_request();
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                request.set_input_tensor(i, inputs[i]);
            }
            request.infer();
            for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
                const Tensor got = request.get_output_tensor(i);
                if (threads == 1) {
                    first.push_back(got);
                } else {
                    EXPECT_TRUE(same_bytes(first[i], got)) << threads << " threads, output " << i;
                }
            }
        }
    }
}

TEST(RecurrentStep, AllActivations) {
    unsigned seed = 300;
    for (const char* name : {"sigmoid", "tanh", "relu", "hardsigmoid", "softsign", "softplus",
                             "elu", "leakyrelu", "thresholdedrelu", "scaledtanh", "affine"}) {
        Case c{.type = "RNN", .sequence = false, .batch = 2, .input = 3, .hidden = 9};
        c.attributes = std::string("activations=[\"") + name +
                       "\"] activations_alpha=[0.3] activations_beta=[0.6]";
        check(c, ++seed);
    }
    Case c{.type = "LSTM", .batch = 2, .steps = 3, .input = 3, .hidden = 9};
    c.lengths = "{3,1}";
    c.attributes = "activations=[\"hardsigmoid\",\"relu\",\"softsign\"] clip=2";
    check(c, ++seed);
}

TEST(RecurrentStep, OldOrdersOfTheGates) {
    unsigned seed = 400;
    for (const char* format : {"fico", "icof", "ifco", "ifoc", "iofc"}) {
        Case c{.type = "LSTM", .sequence = false, .batch = 2, .input = 4, .hidden = 6};
        std::string text = text_of(c, ++seed);
        text.replace(text.find("LSTMCell"), 8, "LSTMCell.1");
        text.replace(text.find("hidden_size=6"), 13,
                     std::string("hidden_size=6 weights_format=") + format);
        EXPECT_EQ(check_on_devices(text, seed, 3e-5).step_of("y"), "recurrent fuseq:recurrent");
    }
}

TEST(RecurrentStep, LengthsKnownOnlyAtRunTime) {
    Case c{.type = "GRU", .batch = 2, .steps = 4, .input = 3, .hidden = 5};
    c.lengths = "{4,2}";
    std::string text = text_of(c, 1);
    text.replace(text.find("%l = Const value={4,2}"), 22, "%l = Parameter");
    const std::shared_ptr<const Model> model(Model::from_text(text));
    std::mt19937 random(1);
    const std::vector<Tensor> inputs{random_tensor(ElementType::f32, {2, 4, 3}, random),
                                     random_tensor(ElementType::f32, {2, 1, 5}, random),
                                     Tensor::of<std::int64_t>({2}, {1, 4})};
    const DeviceRun got = run_on("CPU", model, inputs);
    const DeviceRun want = run_on("REFERENCE", model, inputs);
    EXPECT_EQ(got.step_of("y"), "recurrent fuseq:recurrent");
    for (std::size_t o = 0; o < 2; ++o) {
        for (std::size_t i = 0; i < want.outputs[o].get_size(); ++i) {
            EXPECT_NEAR(got.outputs[o].data<float>()[i], want.outputs[o].data<float>()[i], 1e-5);
        }
    }
    std::vector<Tensor> wrong = inputs;
    wrong[2] = Tensor::of<std::int64_t>({2}, {1, 5});
    EXPECT_THAT([&] { run_on("CPU", model, wrong); },
                testing::ThrowsMessage<Error>(
                    testing::HasSubstr("'y' (GRUSequence): sequence_lengths has the value 5, "
                                       "expected one in [0, 4]")));
}

TEST(RecurrentStep, LeavesComputedWeightsToTheReference) {
    Case c{.type = "RNN", .sequence = false, .batch = 2, .input = 4, .hidden = 6};
    std::string text = text_of(c, 1);
    const std::string constant = "%r = Const value=random(1)";
    text.replace(text.find(constant), constant.size(), "%r = Parameter");
    EXPECT_EQ(check_on_devices(text, 1, 3e-5).step_of("y"), "RNNCell reference");
}

}  // namespace
}  // namespace fuseq::test
