// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled detector, segmenter and picture are what the generator makes, and find what was drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "common/pictures/picture_file.hpp"
#include "common/pictures/picture_model.hpp"
#include "fuseq/fuseq.hpp"
#include "generate_model/shape_networks.hpp"
#include "generate_model/shapes.hpp"

namespace fuseq::samples {
namespace {

const std::string kModels = FUSEQ_SOURCE_DIR "/samples/models/";

TEST(BundledShapes, FilesAreWhatTheGeneratorMakes) {
    Core core;
    EXPECT_EQ(compare_models(*core.read_model(kModels + "shape_detector.xml"), *shape_detector(),
                             {.layer_names = true}),
              "");
    EXPECT_EQ(compare_models(*core.read_model(kModels + "shape_segmenter.xml"), *shape_segmenter(),
                             {.layer_names = true}),
              "");
    EXPECT_EQ(read_picture(kModels + "shapes.bmp"), shapes_picture());
    std::ifstream file(kModels + "shapes.txt");
    std::vector<std::string> labels;
    for (std::string line; std::getline(file, line);) {
        labels.push_back(line);
    }
    EXPECT_EQ(labels, shape_labels());
}

Tensor run(const std::string& file, const std::string& device) {
    Picture picture = read_picture(kModels + "shapes.bmp");
    Core core;
    const auto model = model_of_picture(core.read_model(kModels + file), picture);
    InferRequest request = core.compile_model(model, device).create_infer_request();
    request.set_input_tensor(tensor_of_picture(picture));
    request.infer();
    return request.get_output_tensor();
}

// Rows of seven: picture, label, confidence, corners.
bool is_box_of(const float* row, const PlacedShape& shape) {
    constexpr float kPixels = 3;
    const float half = shape.size / 2;
    const float sides[] = {(shape.x - half) / kSceneWidth, (shape.y - half) / kSceneHeight,
                           (shape.x + half) / kSceneWidth, (shape.y + half) / kSceneHeight};
    bool near = row[1] == static_cast<float>(shape.label);
    for (int i = 0; i < 4; ++i) {
        near = near && std::fabs(row[3 + i] - sides[i]) <=
                           kPixels / (i % 2 == 0 ? kSceneWidth : kSceneHeight);
    }
    return near;
}

// One box a shape, at most three pixels off, and none for shapes without color.
TEST(BundledShapes, AreFoundByTheDetector) {
    for (const std::string& device : Core().get_available_devices()) {
        SCOPED_TRACE(device);
        const Tensor found = run("shape_detector.xml", device);
        std::vector<const float*> rows;
        for (std::size_t i = 0; i < found.get_shape()[2]; ++i) {
            const float* row = found.data<float>() + 7 * i;
            if (row[0] < 0) {
                break;
            }
            EXPECT_GE(row[2], 0.9F) << "row " << i;
            rows.push_back(row);
        }
        std::size_t objects = 0;
        for (const PlacedShape& shape : placed_shapes()) {
            const bool wanted = shape.label > 0;
            objects += wanted ? 1 : 0;
            EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                                    [&](const float* row) { return is_box_of(row, shape); }),
                      wanted ? 1 : 0)
                << "at " << shape.x << ", " << shape.y;
        }
        EXPECT_EQ(rows.size(), objects);
    }
}

// Corners are rounded by the blur, so not every pixel is right.
TEST(BundledShapes, AreFoundByTheSegmenter) {
    for (const std::string& device : Core().get_available_devices()) {
        SCOPED_TRACE(device);
        const Tensor classes = run("shape_segmenter.xml", device);
        ASSERT_EQ(classes.get_shape(), (Shape{1, kSceneHeight, kSceneWidth}));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < classes.get_size(); ++i) {
            const auto found = static_cast<std::size_t>(classes.data<std::int32_t>()[i]);
            wrong += found != class_at(i / kSceneWidth, i % kSceneWidth) ? 1 : 0;
        }
        EXPECT_LE(wrong, 100U) << "of " << classes.get_size();
    }
}

}  // namespace
}  // namespace fuseq::samples
