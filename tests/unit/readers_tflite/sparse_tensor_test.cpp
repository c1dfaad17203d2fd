// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse constants against matrices written by hand: rows of CSR, blocks of 2 x 2 in both orders of
// the dimensions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json dense(int size) {
    return {{"format", "DENSE"}, {"dense_size", size}};
}

json sparse(const json& segments, const json& indices, const char* type = "Uint8Vector") {
    return {{"format", "SPARSE_CSR"},
            {"array_segments_type", type},
            {"array_segments", {{"values", segments}}},
            {"array_indices_type", type},
            {"array_indices", {{"values", indices}}}};
}

// [4, 4] i8, made dense and added to nothing.
json matrix(const json& sparsity, const std::vector<int>& values) {
    return {{"version", 3},
            {"operator_codes",
             json::array({{{"deprecated_builtin_code", 124}, {"builtin_code", 124}}})},
            {"buffers", json::array({json::object(), {{"data", values}}})},
            {"subgraphs",
             json::array(
                 {{{"tensors", json::array({{{"name", "w"},
                                             {"shape", {4, 4}},
                                             {"type", "INT8"},
                                             {"buffer", 1},
                                             {"sparsity", sparsity}},
                                            {{"name", "y"}, {"shape", {4, 4}}, {"type", "INT8"}}})},
                   {"operators", json::array({{{"inputs", {0}}, {"outputs", {1}}}})},
                   {"inputs", json::array()},
                   {"outputs", {1}}}})}};
}

std::vector<int> values_of(const json& sparsity, const std::vector<int>& values) {
    const auto model = read_tflite(tflite_bytes(matrix(sparsity, values)));
    const Tensor result = Interpreter(*model).run({})[0];
    const std::span<const std::int8_t> read = result.values<std::int8_t>();
    return {read.begin(), read.end()};
}

std::string error_of(const json& sparsity, const std::vector<int>& values) {
    return error_text([&] { read_tflite(tflite_bytes(matrix(sparsity, values))); });
}

const auto kMatrix = ElementsAre(1,
                                 0,
                                 2,
                                 3,  //
                                 0,
                                 4,
                                 0,
                                 0,  //
                                 0,
                                 0,
                                 5,
                                 0,  //
                                 0,
                                 0,
                                 0,
                                 6);

TEST(TfliteSparse, RowsOfIndices) {
    for (const char* type : {"Uint8Vector", "Uint16Vector", "Int32Vector"}) {
        const json rows = {
            {"traversal_order", {0, 1}},
            {"dim_metadata", {dense(4), sparse({0, 3, 4, 5, 6}, {0, 2, 3, 1, 2, 3}, type)}}};
        EXPECT_THAT(values_of(rows, {1, 2, 3, 4, 5, 6}), kMatrix) << type;
    }
}

TEST(TfliteSparse, ColumnsOfIndices) {
    const json columns = {
        {"traversal_order", {1, 0}},
        {"dim_metadata", {dense(4), sparse({0, 1, 2, 4, 6}, {0, 1, 0, 2, 0, 3})}}};
    EXPECT_THAT(values_of(columns, {1, 4, 2, 5, 3, 6}), kMatrix);
}

TEST(TfliteSparse, RowsOfBlocks) {
    const json blocks = {
        {"traversal_order", {0, 1, 2, 3}},
        {"block_map", {0, 1}},
        {"dim_metadata", {dense(2), sparse({0, 2, 3}, {0, 1, 1}), dense(2), dense(2)}}};
    EXPECT_THAT(values_of(blocks, {1, 0, 0, 4, 2, 3, 0, 0, 5, 0, 0, 6}), kMatrix);
}

TEST(TfliteSparse, ColumnsOfBlocksByColumns) {
    const json blocks = {
        {"traversal_order", {1, 0, 3, 2}},
        {"block_map", {0, 1}},
        {"dim_metadata", {dense(2), sparse({0, 1, 3}, {0, 0, 1}), dense(2), dense(2)}}};
    EXPECT_THAT(values_of(blocks, {1, 0, 0, 4, 2, 0, 3, 0, 5, 0, 0, 6}), kMatrix);
}

TEST(TfliteSparse, RefusesDescriptionsThatDoNotFit) {
    const auto rows = [](const json& metadata, const json& order = {0, 1}) {
        return json{{"traversal_order", order}, {"dim_metadata", metadata}};
    };
    const std::vector<int> six{1, 2, 3, 4, 5, 6};
    const json good = sparse({0, 3, 4, 5, 6}, {0, 2, 3, 1, 2, 3});
    EXPECT_THAT(error_of(rows({dense(4), sparse({0, 3, 4, 5, 6}, {0, 2, 4, 1, 2, 3})}), six),
                HasSubstr("index 4 of level 1 lies outside of dimension 1 of size 4"));
    EXPECT_THAT(error_of(rows({dense(4), sparse({0, 3, 2, 5, 6}, {0, 2, 3, 1, 2, 3})}), six),
                HasSubstr("the segments of level 1 do not cover its 6 indices"));
    EXPECT_THAT(error_of(rows({dense(5), good}), six),
                HasSubstr("index 4 of level 0 lies outside of dimension 0 of size 4"));
    EXPECT_THAT(error_of(rows({dense(4), sparse({0, 6}, {0, 1, 2, 3, 0, 1})}), six),
                HasSubstr("level 1 has 1 segments, and segment 1 is read"));
    EXPECT_THAT(error_of(rows({dense(4), good}), {1, 2, 3}),
                HasSubstr("has 3 values, its description names more"));
    EXPECT_THAT(error_of(rows({dense(4), good}), {1, 2, 3, 4, 5, 6, 7}),
                HasSubstr("has 7 values, its description names 6"));
    EXPECT_THAT(error_of(rows({dense(4), good}, {0, 0}), six),
                HasSubstr("place 1 of the traversal order is 0"));
    EXPECT_THAT(error_of(rows(json::array({dense(4)})), six),
                HasSubstr("2 dimensions and 0 blocks"));
    EXPECT_THAT(error_of(rows({dense(0), good}), six), HasSubstr("level 0 has the size 0"));
}

}  // namespace
}  // namespace fuseq::test
