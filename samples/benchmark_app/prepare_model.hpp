// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes that the command line asks for before the model is compiled: shapes, batch, element
// types of inputs and outputs, means and scales.
#pragma once

#include <map>
#include <string>

#include "benchmark_app/options.hpp"
#include "fuseq/model.hpp"

namespace fuseq::samples {

// -shape and -b. Throws UsageError for texts that do not parse, Error for shapes that do not fit.
void set_shapes(Model& model, const Options& options);

// -mean_values, -scale_values, -ip, -op, -iop: as layers between the inputs (outputs) and the rest
// of the model, so that the device sees them.
void set_preprocessing(Model& model, const Options& options);

// The batch size: size of the axis N of the first input, which is the first one unless -layout
// says other; 1 when there is none or it is open.
std::size_t batch_of(const Model& model, const Options& options);

}  // namespace fuseq::samples
