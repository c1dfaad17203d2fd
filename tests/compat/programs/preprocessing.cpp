// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of OpenVINO's page on preprocessing, and a compiled model that is exported and
// imported. usage: preprocessing MODEL DEVICE BLOB
#include <algorithm>
#include <fstream>
#include <iostream>
#include <vector>

#include "openvino/core/preprocess/pre_post_process.hpp"
#include "openvino/runtime/core.hpp"
#include "openvino/runtime/properties.hpp"

using namespace ov;
using namespace ov::preprocess;

namespace {

void run(CompiledModel compiled, const std::string& input) {
    InferRequest request = compiled.create_infer_request();
    Tensor picture(element::u8, Shape{1, 2, 2, 3});
    for (std::size_t i = 0; i < picture.get_size(); ++i) {
        picture.data<unsigned char>()[i] = static_cast<unsigned char>(i);
    }
    request.set_tensor(input, picture);
    request.infer();
    const Tensor result = request.get_output_tensor(0);
    std::cout << "result " << result.get_shape();
    for (std::size_t i = 0; i < result.get_size(); ++i) {
        std::cout << ' ' << result.data<float>()[i];
    }
    std::cout << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 4) {
        return EXIT_FAILURE;
    }
    try {
        Core core;
        std::shared_ptr<Model> model = core.read_model(argv[1]);
        const std::string name = model->input().get_any_name();

        PrePostProcessor ppp(model);
        InputInfo& input = ppp.input(name);
        input.tensor()
            .set_layout("NHWC")
            .set_element_type(element::u8)
            .set_color_format(ColorFormat::BGR)
            .set_spatial_dynamic_shape();
        input.model().set_layout("NCHW");
        input.preprocess()
            .convert_element_type(element::f32)
            .convert_color(ColorFormat::RGB)
            .resize(ResizeAlgorithm::RESIZE_NEAREST)
            .mean({1.f, 2.f, 3.f})
            .scale({2.f, 2.f, 2.f});
        ppp.output().tensor().set_element_type(element::f32);
        ppp.output().postprocess().convert_element_type();
        model = ppp.build();
        std::cout << "input " << model->input(name).get_element_type() << ' '
                  << model->input(name).get_partial_shape() << std::endl;

        CompiledModel compiled = core.compile_model(model, argv[2], {ov::enable_profiling(true)});
        std::cout << "profiling " << compiled.get_property(ov::enable_profiling) << std::endl;
        run(compiled, name);
        {
            std::ofstream out(argv[3], std::ios::binary);
            compiled.export_model(out);
        }
        std::ifstream in(argv[3], std::ios::binary);
        run(core.import_model(in, argv[2]), name);
        std::cout << "layers " << (core.query_model(model, argv[2]).empty() ? "none" : "known")
                  << std::endl;
        try {
            compiled.get_property("NO_SUCH_PROPERTY");
        } catch (const ov::Exception& ex) {
            std::cout << "refused " << ex.what() << std::endl;
        }
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
