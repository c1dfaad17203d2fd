// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/pictures/picture_model.hpp"

#include "fuseq/preprocess.hpp"

namespace fuseq::samples {

std::shared_ptr<Model> model_of_picture(const std::shared_ptr<Model>& model,
                                        const Picture& picture) {
    preprocess::PrePostProcessor ppp(model);
    ppp.input(0)
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout("NHWC")
        .set_spatial_static_shape(picture.height, picture.width);
    ppp.input(0).preprocess().convert_element_type(ElementType::f32);
    ppp.input(0).preprocess().resize(preprocess::ResizeAlgorithm::RESIZE_LINEAR);
    ppp.input(0).model().set_layout("NCHW");
    return ppp.build();
}

Tensor tensor_of_picture(Picture& picture) {
    return {ElementType::u8, {1, picture.height, picture.width, 3}, picture.bytes()};
}

}  // namespace fuseq::samples
