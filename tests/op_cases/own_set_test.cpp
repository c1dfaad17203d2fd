// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of the set "fuseq": written as an IR they are read again as the same model.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/ir.hpp"
#include "op_cases/op_case.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::op_cases {
namespace {

namespace fs = std::filesystem;

TEST(OwnSet, IsWrittenAndReadAgain) {
    const fs::path folder = fs::temp_directory_path() / "fuseq_own_set_test";
    fs::create_directories(folder);
    std::size_t count = 0;
    for (const OpCase& op_case : all_cases()) {
        const OpSpec* spec = find_op(op_case.type, op_case.opset);
        if (spec == nullptr || !spec->own_set) {
            continue;
        }
        const auto model = make_model(op_case, 1);
        write_ir(*model, folder / "m.xml");
        std::ifstream file(folder / "m.xml");
        std::stringstream xml;
        xml << file.rdbuf();
        EXPECT_NE(xml.str().find("type=\"" + op_case.type + "\" version=\"fuseq\""),
                  std::string::npos)
            << op_case.text;
        const auto again = read_ir(folder / "m.xml");
        EXPECT_EQ(compare_models(*model, *again), "") << op_case.text;
        ++count;
    }
    fs::remove_all(folder);
    EXPECT_GT(count, 20U);
}

// Another reader's opsets do not have them, and the own set has nothing else.
TEST(OwnSet, IsReadByItsNameOnly) {
    const auto error = [](const std::string& type, const std::string& version) -> std::string {
        try {
            read_ir_from_memory(
                "<net name=\"m\" version=\"11\"><layers><layer id=\"0\" name=\"a\" type=\"" + type +
                "\" version=\"" + version + "\"/></layers></net>");
        } catch (const Error& refusal) {
            return refusal.what();
        }
        return "";
    };
    EXPECT_NE(error("Quantize", "opset16").find("not supported: Quantize of opset16"),
              std::string::npos);
    EXPECT_NE(error("ReLU", "fuseq").find("not supported: ReLU of fuseq"), std::string::npos);
}

}  // namespace
}  // namespace fuseq::op_cases
