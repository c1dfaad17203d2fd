// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/data_shapes.hpp"

#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

std::shared_ptr<Model> model_with(const std::string& shape) {
    return Model::from_text("%x = Parameter : f32[" + shape +
                            "]\n%y = ReLU(%x)\n%out = Result(%y)");
}

CalibrationInputs data_of(const std::vector<Shape>& shapes) {
    return [shapes](std::size_t i) {
        return std::vector<Tensor>{Tensor(ElementType::f32, shapes.at(i))};
    };
}

PartialShape shape_after(Model& model, const std::vector<Shape>& shapes) {
    const DataShapes taken(model, shapes.size(), data_of(shapes));
    return model.find("y")->port().shape;
}

TEST(DataShapes, AreTakenWhereAllDataHasOne) {
    EXPECT_EQ(shape_after(*model_with("?,3,?,?"), {{1, 3, 4, 5}, {1, 3, 4, 5}}),
              (PartialShape{1, 3, 4, 5}));
}

TEST(DataShapes, AreLeftOpenWhereDataDiffers) {
    EXPECT_EQ(shape_after(*model_with("1,3,?,?"), {{1, 3, 4, 5}, {1, 3, 4, 6}}),
              (PartialShape{1, 3, Dimension(), Dimension()}));
}

// What does not fit is refused where the data runs, with its input and layer.
TEST(DataShapes, AreLeftOpenWhereDataDoesNotFit) {
    EXPECT_EQ(shape_after(*model_with("?,3"), {{1, 4}}), (PartialShape{Dimension(), 3}));
    EXPECT_EQ(shape_after(*model_with("?,3"), {{1, 3, 1}}), (PartialShape{Dimension(), 3}));
}

TEST(DataShapes, AreGivenBack) {
    const auto model = model_with("?,3,?");
    const DataShapes taken(*model, 1, data_of({{2, 3, 4}}));
    const auto made = model->clone();
    taken.give_back(*made);
    EXPECT_EQ(made->find("y")->port().shape, (PartialShape{Dimension(), 3, Dimension()}));
}

}  // namespace
}  // namespace fuseq::quantizer
