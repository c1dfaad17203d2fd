// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

// Data of random bytes; indices in [-size - 1, size], of which the ends are outside of the axis.
std::vector<Tensor> gather_inputs(const Model& model, std::int64_t size, std::mt19937& random) {
    std::vector<Tensor> inputs;
    for (const Node* parameter : model.parameters()) {
        inputs.push_back(
            random_tensor(parameter->port(0).type, parameter->port(0).shape.to_shape(), random));
    }
    Tensor& indices = inputs[1];
    for (std::size_t i = 0; i < indices.get_size(); ++i) {
        const auto index = static_cast<std::int64_t>(random() % (2 * size + 2)) - size - 1;
        if (indices.get_element_type() == ElementType::i64) {
            indices.data<std::int64_t>()[i] = index;
        } else {
            indices.data<std::int32_t>()[i] = static_cast<std::int32_t>(index);
        }
    }
    return inputs;
}

TEST(MakeIndex, GatherGivesTheBytesOfTheReference) {
    struct Case {
        const char* data;
        const char* indices;
        int axis;
        int size;
        const char* attributes;
    };
    const Case cases[] = {
        {"f32[9,4]", "i32[5]", 0, 9, "Gather.1(%d, %i, %a)"},
        {"f32[9]", "i64[5,2]", 0, 9, "Gather.7(%d, %i, %a)"},
        {"i64[3,9,2]", "i32[4]", 1, 9, "Gather.8(%d, %i, %a)"},
        {"u8[3,9]", "i64[4,3]", -1, 9, "Gather.8(%d, %i, %a)"},
        {"f32[2,9,3]", "i64[2,7]", 1, 9, "Gather.8(%d, %i, %a) batch_dims=1"},
        {"f32[2,3,9,5]", "i32[2,4]", 2, 9, "Gather.8(%d, %i, %a) batch_dims=-1"},
        {"f32[2,3,9,5]", "i32[]", 2, 9, "Gather.8(%d, %i, %a)"},
        {"f32[300,400]", "i32[700]", 0, 300, "Gather.8(%d, %i, %a)"},
        {"f32[300,3]", "i32[30000]", 0, 300, "Gather.8(%d, %i, %a)"},
    };
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    for (const Case& c : cases) {
        const std::string text = std::string("model \"m\"\n%d = Parameter : ") + c.data +
                                 "\n%i = Parameter : " + c.indices + "\n%a = Const value={" +
                                 std::to_string(c.axis) + "} : i64[]\n%g = " + c.attributes +
                                 "\n%r = Result(%g)";
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
        const std::shared_ptr<const Model> model(Model::from_text(text));
        const std::vector<Tensor> inputs = gather_inputs(*model, c.size, random);
        const DeviceRun got = run_on("CPU", model, inputs);
        const DeviceRun want = run_on("REFERENCE", model, inputs);
        EXPECT_EQ(got.step_of("g"), "gather fuseq:gather");
        EXPECT_TRUE(same_bytes(got.outputs[0], want.outputs[0]));
    }
}

TEST(MakeIndex, GatherByHand) {
    const std::shared_ptr<const Model> model(Model::from_text(R"(model "m"
        %d = Parameter : f32[3,2]
        %i = Parameter : i64[4]
        %a = Const value={0} : i64[]
        %g = Gather.8(%d, %i, %a)
        %r = Result(%g))"));
    Tensor data(ElementType::f32, {3, 2});
    const float values[] = {1, 2, 3, 4, 5, 6};
    std::copy(std::begin(values), std::end(values), data.data<float>());
    Tensor indices(ElementType::i64, {4});
    const std::int64_t places[] = {2, -3, 3, 1};
    std::copy(std::begin(places), std::end(places), indices.data<std::int64_t>());
    const DeviceRun run = run_on("CPU", model, {data, indices});
    const auto* got = run.outputs[0].data<float>();
    EXPECT_EQ(std::vector<float>(got, got + 8), (std::vector<float>{5, 6, 1, 2, 0, 0, 3, 4}));
}

TEST(MakeIndex, ConvertGivesTheBytesOfTheReference) {
    const char* const types[] = {"f32", "i32", "i64", "u8", "boolean"};
    for (const std::string from : types) {
        for (const std::string to : types) {
            if (from == to || (from != "f32" && to == "f32")) {
                continue;  // a view, or part of a chain
            }
            const DeviceRun run = check_on_devices(
                "model \"m\"\n%x = Parameter : " + from + "[700,101]\n%c = Convert(%x) " +
                    "destination_type=" + to + "\n%r = Result(%c)",
                5);
            EXPECT_EQ(run.step_of("c"), "convert fuseq:convert");
        }
    }
}

}  // namespace
}  // namespace fuseq::test
