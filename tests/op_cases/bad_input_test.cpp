// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Input that makes no sense is refused when the model is read, by an Error that names the layer,
// the attribute or input, and the value: the table bad_input.txt, and what can be said of every
// operation alike.
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ir.hpp"
#include "op_cases/op_case.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::op_cases {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Text of the Error that reading gives, or "" when the model is read.
std::string refusal(const OpCase& op_case) {
    const CaseIr ir = make_ir(op_case, 1);
    try {
        read_ir_from_memory(ir.xml, ir.weights);
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "read");
        return error.what();
    }
    return "";
}

auto names_the_layer(const OpCase& op_case, const std::string& what) {
    return AllOf(HasSubstr(detail::cat("'op' (", op_case.type, "): ")), HasSubstr(what));
}

// A line with a case, then one with "=> " and what the message must say.
TEST(BadInput, OfTheTableIsRefusedWithItsReason) {
    std::ifstream in(FUSEQ_BAD_INPUT);
    ASSERT_TRUE(in) << FUSEQ_BAD_INPUT;
    std::size_t checked = 0;
    std::string op_line;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("=> ", 0) != 0) {
            op_line = line.rfind("//", 0) == 0 ? "" : line;
            continue;
        }
        const std::vector<OpCase> cases = parse_cases(op_line, "bad_input.txt");
        ASSERT_EQ(cases.size(), 1u) << line;
        EXPECT_THAT(refusal(cases[0]), names_the_layer(cases[0], line.substr(3))) << op_line;
        ++checked;
    }
    EXPECT_GE(checked, 200u);
}

// The first case of every operation that is written as a line.
std::vector<OpCase> first_cases() {
    std::set<const OpSpec*> seen;
    std::vector<OpCase> first;
    for (OpCase& op_case : all_cases()) {
        if (op_case.model.empty() && seen.insert(find_op(op_case.type, op_case.opset)).second) {
            first.push_back(std::move(op_case));
        }
    }
    EXPECT_FALSE(first.empty());
    return first;
}

TEST(BadInput, TooFewAndTooManyInputsAreRefused) {
    for (const OpCase& op_case : first_cases()) {
        ASSERT_EQ(refusal(op_case), "") << op_case.text;
        const OpSpec& spec = *find_op(op_case.type, op_case.opset);
        if (spec.inputs.min > 0) {
            OpCase fewer = op_case;
            fewer.inputs.resize(spec.inputs.min - 1);
            EXPECT_THAT(refusal(fewer),
                        names_the_layer(
                            fewer, detail::cat("has ", spec.inputs.min - 1, " inputs, expected ")));
        }
        if (spec.inputs.max != Arity::kMany) {
            OpCase more = op_case;
            more.inputs.resize(spec.inputs.max + 1, op_case.inputs[0]);
            EXPECT_THAT(refusal(more),
                        names_the_layer(
                            more, detail::cat("has ", spec.inputs.max + 1, " inputs, expected ")));
        }
    }
}

TEST(BadInput, InputsThatMustBeThereAreMissed) {
    for (const OpCase& op_case : first_cases()) {
        for (std::size_t i = 0; i < find_op(op_case.type, op_case.opset)->inputs.min; ++i) {
            OpCase open = op_case;
            open.inputs[i].absent = true;
            EXPECT_THAT(refusal(open), names_the_layer(open, detail::cat("input ", i)));
        }
    }
}

TEST(BadInput, RequiredAttributesAreMissed) {
    std::size_t checked = 0;
    for (const OpCase& op_case : first_cases()) {
        const auto fresh = find_op(op_case.type, op_case.opset)->make_attributes();
        for (const NamedAttribute& item : list_attributes(*fresh)) {
            const auto at = ("; " + op_case.attributes).find("; " + item.name + "=");
            if (!item.required || at == std::string::npos) {
                continue;
            }
            OpCase without = op_case;
            const auto end = without.attributes.find(';', at);
            without.attributes.erase(at, end == std::string::npos ? end : end + 2 - at);
            EXPECT_THAT(refusal(without),
                        names_the_layer(without, "attribute " + item.name + " is missing"));
            ++checked;
        }
    }
    EXPECT_GE(checked, 1u);
}

TEST(BadInput, AnAxisOutsideTheRankIsNamed) {
    std::size_t checked = 0;
    for (const OpCase& op_case : first_cases()) {
        const auto at = op_case.attributes.find("axis=");
        if (at == std::string::npos) {
            continue;
        }
        OpCase far = op_case;
        far.attributes.replace(at + 5, far.attributes.find(';', at) - at - 5, "77");
        EXPECT_THAT(refusal(far), names_the_layer(far, "axis is 77, expected a value in ["));
        ++checked;
    }
    EXPECT_GE(checked, 13u);
}

TEST(BadInput, ATextInThePlaceOfANumberIsNamed) {
    std::size_t checked = 0;
    for (const OpCase& op_case : first_cases()) {
        const auto equal = op_case.attributes.find('=');
        if (equal == std::string::npos) {
            continue;
        }
        if (op_case.attributes.starts_with("equation=")) {
            continue;  // a text in the first place
        }
        OpCase text = op_case;
        text.attributes.replace(equal + 1, text.attributes.find(';') - equal - 1, "banana");
        EXPECT_THAT(refusal(text),
                    names_the_layer(text, "attribute " + text.attributes.substr(0, equal) + ": "))
            << text.attributes;
        EXPECT_THAT(refusal(text), HasSubstr("banana"));
        ++checked;
    }
    EXPECT_GE(checked, 1u);
}

}  // namespace
}  // namespace fuseq::op_cases
