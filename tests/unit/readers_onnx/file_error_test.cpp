// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/common/file_error.hpp"

#include <gtest/gtest.h>

#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

template <class Work>
std::string told(const Work& work) {
    const readers::Place place{.file = "m.onnx", .layer = "sum", .op = "Add"};
    return message_of([&] {
        readers::translate_at(
            place, [] { return "output 'y': "; }, work);
    });
}

TEST(TranslateAt, GivesErrorsThatKnowNoFileThePlace) {
    EXPECT_EQ(told([] { throw Error("shape", "[2,3] and [4] do not match"); }),
              "read 'm.onnx': layer 'sum' (Add): output 'y': [2,3] and [4] do not match");
    EXPECT_EQ(told([] {
                  throw Error({.stage = "validate",
                               .file = {},
                               .layer_id = {},
                               .layer = "inner",
                               .op = "Reshape",
                               .rule = "no"});
              }),
              "read 'm.onnx': layer 'sum' (Add): output 'y': Reshape: no");
}

TEST(TranslateAt, PassesErrorsOfAReader) {
    EXPECT_EQ(told([] { readers::Place{.file = "other.bin"}.fail("is cut off"); }),
              "read 'other.bin': is cut off");
}

TEST(TranslateAt, SaysWhereMemoryWasMissing) {
    EXPECT_EQ(told([] { throw std::bad_alloc(); }),
              "read 'm.onnx': layer 'sum' (Add): out of memory");
    EXPECT_EQ(told([] { throw std::length_error("vector::_M_fill_insert"); }),
              "read 'm.onnx': layer 'sum' (Add): out of memory");
}

}  // namespace
}  // namespace fuseq::test
