// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_export_hints.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fuseq::test {
namespace {

std::string hint(const std::string& type, int opset) {
    return export_hint({type, opset, "opset" + std::to_string(opset)});
}

TEST(ExportHints, OfOperations) {
    EXPECT_EQ(export_hint({"WordpieceTokenizer", 0, "extension"}),
              "export the model without the tokenizer");
    EXPECT_EQ(hint("Unheard", 1), "");
}

TEST(ExportHints, OfOpsetsThatAreTooNew) {
    EXPECT_EQ(hint("Unheard", 16), "");
    EXPECT_EQ(hint("Unheard", 17), "convert with an older tool version, up to opset16");
    EXPECT_EQ(hint("Add", 99), "convert with an older tool version, up to opset16");
}

}  // namespace
}  // namespace fuseq::test
