// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every operation is described and tested, and the page that says so is current.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "docs/operations_page.hpp"
#include "ir/ir_operations.hpp"
#include "op_cases/op_case.hpp"
#include "ops/op_spec.hpp"
#include "ops/opsets.hpp"
#include "ops/refused/refused.hpp"

namespace fuseq {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The text without // and /* comments; quotes are heeded, so that "http://..." stays.
std::string without_comments(const std::string& text) {
    std::string code;
    char quote = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view here = std::string_view(text).substr(at, 2);
        if (quote == 0 && (here == "//" || here == "/*")) {
            const auto end = text.find(here == "//" ? "\n" : "*/", at);
            at = end == std::string::npos ? text.size() : end + (here == "//" ? 0 : 1);
            code += '\n';
            continue;
        }
        if (quote != 0 && text[at] == '\\') {
            code += text[at++];
        } else if (quote == 0 ? text[at] == '"' || text[at] == '\'' : text[at] == quote) {
            const bool is_separator = text[at] == '\'' && at > 0 &&
                                      std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
            quote = quote != 0 || is_separator ? 0 : text[at];
        }
        code += at < text.size() ? text[at] : '\n';
    }
    return code;
}

// The code of all sources below tests/unit/ops*, one after the other.
std::string operation_tests() {
    std::string text;
    for (const auto& folder : fs::directory_iterator(fs::path(FUSEQ_SOURCE_DIR) / "tests/unit")) {
        if (folder.path().filename().string().rfind("ops", 0) != 0) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().extension() == ".cpp") {
                text += without_comments(read_file(entry.path()));
            }
        }
    }
    return text;
}

// Whether code makes an operation of that type: "Add" as an argument, or "= Add(" and "= Add.1" in
// the text form.
bool makes_operation(const std::string& code, std::string_view type) {
    const std::string name(type);
    for (const std::string& made :
         {"\"" + name + "\"", "\"" + name + ".", "= " + name + "(", "= " + name + "."}) {
        if (code.find(made) != std::string::npos) {
            return true;
        }
    }
    return false;
}

TEST(Operations, InCommentsDoNotCount) {
    const std::string code = without_comments(
        "run_op(\"Add\"); // \"Sub\" = Tile(\n/* \"Pad\" */ text(\"%x = Abs.1(%y) http://\\\"\"); "
        "'x' // \"Mod\"\n");
    EXPECT_TRUE(makes_operation(code, "Add"));
    EXPECT_TRUE(makes_operation(code, "Abs"));
    for (const char* type : {"Sub", "Tile", "Pad", "Mod", "Ab", "run_op"}) {
        EXPECT_FALSE(makes_operation(code, type)) << type;
    }
}

TEST(OperationsPage, IsCurrent) {
    const std::string page = read_file(fs::path(FUSEQ_SOURCE_DIR) / "docs/operations.md");
    EXPECT_TRUE(page == docs::operations_page())
        << "docs/operations.md is out of date; run fuseq_docs > docs/operations.md";
}

bool takes_part_in_graphs(const OpSpec& spec) {
    return spec.type != "Parameter" && spec.type != "Const" && spec.type != "Result";
}

// The forms that are known by name only, each with a reason that its row gives.
bool may_be_refused(std::string_view type) {
    return type == "BinaryConvolution" || type == "FakeConvert" || type == "StringTensorPack" ||
           type == "StringTensorUnpack";
}

// What is known by name is supported: the tests below look at all parts of every row.
TEST(Operations, OfAllOpsetsAreThere) {
    std::string missing;
    for (const OpsetForm& form : opset_forms()) {
        const OpSpec* spec = find_op(form);
        const std::string name = detail::cat(form.type, "-", form.version);
        if (spec == nullptr) {
            missing += " " + name;
            continue;
        }
        EXPECT_EQ(always_refused(*spec), may_be_refused(form.type)) << name;
        for (const int opset : {form.lowest(), form.first, form.last}) {
            IrLayer layer;
            layer.operation.type = std::string(form.type);
            layer.operation.opset = opset;
            EXPECT_EQ(find_ir_op(layer), spec) << name << " of opset" << opset;
        }
    }
    EXPECT_EQ(missing, "");
}

TEST(Operations, HaveAllTheirParts) {
    for (const OpSpec* spec : all_ops()) {
        const std::string name = detail::cat(spec->type, " version ", spec->version);
        EXPECT_FALSE(spec->summary.empty()) << name << " has no summary";
        EXPECT_LE(spec->inputs.min, spec->inputs.max) << name;
        ASSERT_NE(spec->make_attributes, nullptr) << name << " has no attributes to read";
        EXPECT_NE(spec->make_attributes(), nullptr) << name;
        EXPECT_NE(spec->infer, nullptr) << name << " has no shape inference";
        const bool is_state = spec->type == "ReadValue" || spec->type == "Assign";
        EXPECT_TRUE(spec->evaluate != nullptr || !takes_part_in_graphs(*spec) || is_state)
            << name << " has no reference kernel";
    }
}

// The models of tests/op_cases, which the oracle, the fuzzer and the column of devices go through.
TEST(Operations, HaveAModel) {
    std::set<const OpSpec*> with_model;
    for (const op_cases::OpCase& op_case : op_cases::all_cases()) {
        with_model.insert(find_op(op_case.type, op_case.opset));
    }
    for (const OpSpec* spec : all_ops()) {
        if (!spec->internal && takes_part_in_graphs(*spec) && !always_refused(*spec)) {
            EXPECT_TRUE(with_model.contains(spec))
                << "no line of tests/op_cases/cases has " << spec->type << "." << spec->version;
        }
    }
}

TEST(Operations, AreMadeInATest) {
    const std::string tests = operation_tests();
    ASSERT_FALSE(tests.empty());
    ASSERT_FALSE(all_ops().empty());
    for (const OpSpec* spec : all_ops()) {
        EXPECT_TRUE(makes_operation(tests, spec->type))
            << "no test below tests/unit/ops* makes a " << spec->type;
    }
}

}  // namespace
}  // namespace fuseq
