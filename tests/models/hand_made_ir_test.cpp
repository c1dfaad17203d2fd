// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of IR v10 and v11 around the layers, on both devices: f16 that the API shows as f32,
// several outputs of a layer, the order of Results, ports without an edge, rt_info and meta_data.
#include "fuseq/core.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;

// x [1,4,1,2] * {1,2,3,4} by channel -> Split into two -> first half; ReLU of the second half.
struct HalfModel {
    int version = 10;
    std::string results = result(7, "second_result") + result(8, "first_result");
    std::string result_edges = edge(6, 1, 7, 0) + edge(5, 3, 8, 0);

    static std::string result(int id, const std::string& name) {
        return layer({.id = id, .name = name, .type = "Result", .inputs = port(0, "1,2,1,2")});
    }
    std::string text() const {
        const std::string half = R"(precision="FP16")";
        const std::string info =
            R"(<rt_info><attribute name="fused_names" version="0" value="x"/></rt_info>)";
        const std::string layers =
            layer({.id = 0,
                   .name = "x",
                   .type = "Parameter",
                   .data = R"(shape="1,4,1,2" element_type="f16")",
                   .outputs = port(0, "1,4,1,2", half),
                   .more = info}) +
            layer({.id = 1,
                   .name = "scale",
                   .type = "Const",
                   .data = R"(element_type="f16" shape="1,4,1,1" offset="0" size="8")",
                   .outputs = port(0, "1,4,1,1", half)}) +
            layer({.id = 2,
                   .name = "scaled",
                   .type = "Multiply",
                   .inputs = port(0, "1,4,1,2") + port(1, "1,4,1,1"),
                   .outputs = port(2, "1,4,1,2", half),
                   .more = info}) +
            layer({.id = 3,
                   .name = "axis",
                   .type = "Const",
                   .data = R"(element_type="i64" shape="" offset="8" size="8")",
                   .outputs = port(0, "", R"(precision="I64")")}) +
            layer({.id = 5,
                   .name = "halves",
                   .type = "Split",
                   .data = R"(num_splits="2")",
                   .inputs = port(0, "1,4,1,2") + port(1, ""),
                   .outputs = port(3, "1,2,1,2", half) + port(2, "1,2,1,2", half)}) +
            layer({.id = 6,
                   .name = "relu",
                   .type = "ReLU",
                   .inputs = port(0, "1,2,1,2"),
                   .outputs = port(1, "1,2,1,2", half)}) +
            results;
        const std::string edges = edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 5, 0) +
                                  edge(3, 0, 5, 1) + edge(5, 2, 6, 0) + result_edges;
        std::string text = net(layers, edges, version);
        text.insert(
            text.rfind("</net>"),
            R"(<meta_data><MO_version value="2021.4"/><cli_parameters><data_type value="FP16"/>
                       </cli_parameters></meta_data><rt_info><Runtime_version value="x"/></rt_info>)");
        return text;
    }
    static Tensor weights() {
        return Weights().add_halves({1, 2, 3, 4}).add(std::vector<std::int64_t>{1}).tensor();
    }
};

class HandMadeIr : public testing::TestWithParam<const char*> {
protected:
    std::vector<Tensor> run(const std::shared_ptr<Model>& model, const Tensor& input) {
        const CompiledModel compiled = core_.compile_model(model, GetParam());
        InferRequest request = compiled.create_infer_request();
        request.set_input_tensor(0, input);
        request.infer();
        std::vector<Tensor> outputs;
        for (std::size_t i = 0; i < model->results().size(); ++i) {
            outputs.push_back(request.get_output_tensor(i));
        }
        return outputs;
    }
    Core core_;
};

const Tensor kInput = Tensor::of<float>({1, 4, 1, 2}, {1, -1, 2, -2, 3, -3, 0.5f, -0.5f});

TEST_P(HandMadeIr, Version10ShowsHalfPrecisionAsF32) {
    const auto model = core_.read_model(HalfModel().text(), HalfModel::weights());
    EXPECT_EQ(model->input().type(), ElementType::f32);
    EXPECT_EQ(model->output(std::size_t{0}).type(), ElementType::f32);
    // Results in the order of the file, named after what feeds them.
    EXPECT_EQ(model->output_name(0), "relu");
    EXPECT_EQ(model->output_name(1), "halves.0");
    const auto outputs = run(model, kInput);
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(9, 0, 2, 0));
    EXPECT_THAT(to_floats(outputs[1]), ElementsAre(1, -1, 4, -4));
}

TEST_P(HandMadeIr, Version11KeepsHalfPrecision) {
    HalfModel half;
    half.version = 11;
    const auto model = core_.read_model(half.text(), HalfModel::weights());
    EXPECT_EQ(model->input().type(), ElementType::f16);
    const auto outputs = run(model, kInput.to(ElementType::f16));
    EXPECT_EQ(outputs[0].get_element_type(), ElementType::f16);
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(9, 0, 2, 0));
    EXPECT_THAT(to_floats(outputs[1]), ElementsAre(1, -1, 4, -4));
}

TEST_P(HandMadeIr, AnOutputThatNobodyReadsIsNoError) {
    HalfModel half;
    half.results = HalfModel::result(7, "only");
    half.result_edges = edge(6, 1, 7, 0);
    const auto model = core_.read_model(half.text(), HalfModel::weights());
    EXPECT_THAT(to_floats(run(model, kInput)[0]), ElementsAre(9, 0, 2, 0));
}

// Port 3 of Interpolate (axes) may stay open, port 1 (sizes) may not.
std::string resize(const std::string& edges) {
    const std::string layers =
        layer({.id = 0,
               .name = "x",
               .type = "Parameter",
               .data = R"(shape="1,2" element_type="f32")",
               .outputs = port(0, "1,2")}) +
        layer({.id = 1,
               .name = "sizes",
               .type = "Const",
               .data = R"(element_type="i64" shape="2" offset="0" size="16")",
               .outputs = port(0, "2")}) +
        layer({.id = 2,
               .name = "scales",
               .type = "Const",
               .data = R"(element_type="f32" shape="2" offset="16" size="8")",
               .outputs = port(0, "2")}) +
        layer({.id = 3,
               .name = "resize",
               .type = "Interpolate",
               .data = R"(mode="nearest" shape_calculation_mode="sizes"
                          coordinate_transformation_mode="asymmetric" nearest_mode="floor")",
               .inputs = port(0, "1,2") + port(1, "2") + port(2, "2") + port(3, "2"),
               .outputs = port(4, "1,4"),
               .opset = "opset4"}) +
        layer({.id = 4, .name = "r", .type = "Result", .inputs = port(0, "1,4")});
    return net(layers, edge(0, 0, 3, 0) + edge(2, 0, 3, 2) + edge(3, 4, 4, 0) + edges);
}

TEST_P(HandMadeIr, AnInputPortWithoutAnEdgeIsAnInputThatIsNotThere) {
    const Tensor weights =
        Weights().add(std::vector<std::int64_t>{1, 4}).add<float>({1, 2}).tensor();
    const auto model = core_.read_model(resize(edge(1, 0, 3, 1)), weights);
    EXPECT_THAT(to_floats(run(model, Tensor::of<float>({1, 2}, {5, 7}))[0]),
                ElementsAre(5, 5, 7, 7));
    try {
        core_.read_model(resize(""), weights);
        ADD_FAILURE() << "was read without its sizes";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("layer 3 'resize' (Interpolate): input 1 is not connected"));
    }
}

INSTANTIATE_TEST_SUITE_P(On,
                         HandMadeIr,
                         testing::Values("CPU", "REFERENCE"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
