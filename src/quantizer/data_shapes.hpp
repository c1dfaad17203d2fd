// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of the calibration data, for models whose inputs have open dimensions: padding, sizes of
// tensors and the layers that follow from them are known only with them.
#pragma once

#include <cstddef>
#include <memory>

#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {

class DataShapes {
public:
    // Where an input of the model is open and all data has one shape an input, the model takes
    // these. Reads all data then.
    DataShapes(Model& model, std::size_t count, const CalibrationInputs& inputs);

    // A model that was made of that one gets the shapes back that it had.
    void give_back(Model& model) const;

private:
    std::vector<PartialShape> before_;  // by input; empty: nothing was taken
};

}  // namespace fuseq::quantizer
