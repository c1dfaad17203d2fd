// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of operations as models: files in cases/, one line a form of an operation. Used by
// the comparison with the oracle (tests/oracle), by the random models (fuzz_test.cpp) and by the
// column of devices in docs/operations.md.
//
//   AvgPool.1 (f32[2,3,7,8]) kernel=3,2; strides=2,1; exclude-pad=true|false
//
// TYPE.OPSET, the inputs, the attributes as an IR spells them. A value with '|' stands for one case
// each; several of them for all combinations. Inputs:
//
//   f32[2,3]      a Parameter       #f32[2,3]   a Const      -          not connected
//   f32[2]:1..9   values from there to there (integers: both ends included)
//   {1,-2}        a Const i64[2]    i32{1,2}    of a type    7, 0.5     a scalar i64 or f32
//   f32[2,1]{3,4} a Const with its shape
//
// "@1" at the end of a line: only so many outputs have a Result.
//
// Operations with bodies are written in the text form of the Model; the operation is "%op":
//
//   model Loop.5
//   %x = Parameter.1() ...
//   end
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::op_cases {

struct Input {
    bool absent = false;
    bool constant = false;
    ElementType type = ElementType::f32;
    Shape shape;
    std::vector<double> values;  // of a Const that is written out; else random ones
    bool has_range = false;      // else what suits the type
    double low = 0;
    double high = 0;
};

struct OpCase {
    std::string type;
    int opset = 1;
    std::string attributes;  // "kernel=3,2; strides=2,1", without alternatives
    std::vector<Input> inputs;
    std::size_t results = SIZE_MAX;  // at most so many
    std::string model;               // text form, for operations with bodies
    std::string text;                // the line, for messages
};

// All cases of a text, alternatives spread out. Throws Error("op_cases") naming the line.
std::vector<OpCase> parse_cases(std::string_view text, const std::string& file);
// All files of cases/, in the order of their names.
std::vector<OpCase> all_cases();

// A model of that operation, "op", its inputs "in0", "in1", ... and a Result for every output that
// the operation has. Random constants follow from the seed.
std::shared_ptr<Model> make_model(const OpCase& op_case, std::uint64_t seed);
// An IR of that operation as text, and the bytes of its .bin: also of a case that no model can be
// made of. Shapes of ports are not declared.
struct CaseIr {
    std::string xml;
    Tensor weights;
};
CaseIr make_ir(const OpCase& op_case, std::uint64_t seed);
// Random values for the Parameters of that model.
std::vector<Tensor> make_inputs(const OpCase& op_case, const Model& model, std::uint64_t seed);

}  // namespace fuseq::op_cases
