// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a detector the size of the picture and prints its boxes, as OpenVINO's hello_reshape_ssd
// sample does.
// usage: hello_reshape_ssd MODEL IMAGE DEVICE
#include <iostream>

#include "openvino/openvino.hpp"
#include "ppm.hpp"

int main(int argc, char* argv[]) {
    try {
        if (argc != 4) {
            return EXIT_FAILURE;
        }
        const Picture picture = read_ppm(argv[2]);
        ov::Core core;
        std::shared_ptr<ov::Model> model = core.read_model(argv[1]);
        OPENVINO_ASSERT(model->inputs().size() == 1, "Sample supports models with 1 input only");
        OPENVINO_ASSERT(model->outputs().size() == 1, "Sample supports models with 1 output only");

        // Old shape, of the model.
        const ov::Layout model_layout{"NCHW"};
        ov::Shape shape = model->input().get_shape();
        std::cout << "old shape " << shape << std::endl;
        shape[ov::layout::batch_idx(model_layout)] = 1;
        shape[ov::layout::channels_idx(model_layout)] = 3;
        shape[ov::layout::height_idx(model_layout)] = picture.height;
        shape[ov::layout::width_idx(model_layout)] = picture.width;
        model->reshape({{model->input().get_any_name(), shape}});
        std::cout << "new shape " << model->input().get_shape() << std::endl;

        ov::preprocess::PrePostProcessor ppp(model);
        ppp.input().tensor().set_element_type(ov::element::u8).set_layout("NHWC");
        ppp.input().model().set_layout(model_layout);
        model = ppp.build();
        ov::CompiledModel compiled_model = core.compile_model(model, argv[3]);

        ov::InferRequest infer_request = compiled_model.create_infer_request();
        ov::Tensor input_tensor(compiled_model.input().get_element_type(),
                                compiled_model.input().get_shape(), picture.data.get());
        infer_request.set_input_tensor(input_tensor);
        infer_request.infer();

        ov::Tensor output_tensor = infer_request.get_output_tensor();
        const float* detection = output_tensor.data<const float>();
        const ov::Shape output_shape = output_tensor.get_shape();
        constexpr std::size_t kObjectSize = 7;
        OPENVINO_ASSERT(output_shape.back() == kObjectSize, "Item size should be 7");
        for (std::size_t i = 0; i < output_tensor.get_size() / kObjectSize; ++i) {
            const float* box = detection + i * kObjectSize;
            if (box[0] < 0) {
                break;  // end of detections
            }
            if (box[2] > 0.5f) {
                std::cout << "[" << i << "] class " << box[1] << ", confidence " << box[2] << " ("
                          << static_cast<int>(box[3] * picture.width) << ","
                          << static_cast<int>(box[4] * picture.height) << ")-("
                          << static_cast<int>(box[5] * picture.width) << ","
                          << static_cast<int>(box[6] * picture.height) << ")" << std::endl;
            }
        }
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
