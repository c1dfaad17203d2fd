// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/opsets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fuseq::test {
namespace {

// A form, "LSTMCell-4", or nothing.
std::string form(std::string_view type, int opset) {
    const OpsetForm* found = find_opset_form(type, opset);
    return found == nullptr ? "" : detail::cat(found->type, "-", found->version);
}

TEST(Opsets, AreSortedAndFollowEachOther) {
    const OpsetForm* before = nullptr;
    for (const OpsetForm& f : opset_forms()) {
        const std::string name = detail::cat(f.type, "-", f.version);
        EXPECT_GE(f.version, 0) << name;
        EXPECT_LE(f.version, f.first) << name;
        EXPECT_LE(f.first, f.last) << name;
        EXPECT_LE(f.last, kNewestOpset) << name;
        if (before != nullptr && before->type == f.type) {
            EXPECT_LT(before->version, f.version) << name;
            EXPECT_LT(before->last, f.first) << name;
        } else if (before != nullptr) {
            EXPECT_LT(before->type, f.type) << name;
        }
        before = &f;
    }
}

// OpenVINO's own counts (src/core/tests/opset.cpp for opset1 to opset10). Of opset2 two more are
// here, RNNCell and ShuffleChannels, which it left out.
TEST(Opsets, HaveAsManyOperationsAsInOpenVino) {
    constexpr std::ptrdiff_t kCounts[] = {110, 114, 127, 137, 145, 152, 156, 167, 173, 177};
    for (int opset = 1; opset <= 10; ++opset) {
        const auto forms = opset_forms();
        EXPECT_EQ(
            std::count_if(forms.begin(), forms.end(),
                          [&](const OpsetForm& f) { return f.first <= opset && opset <= f.last; }),
            kCounts[opset - 1])
            << "opset" << opset;
    }
}

TEST(Opsets, GiveTheNewestFormThatTheOpsetHas) {
    EXPECT_EQ(form("Gather", 6), "Gather-1");
    EXPECT_EQ(form("Gather", 7), "Gather-7");
    EXPECT_EQ(form("Gather", 16), "Gather-8");
    EXPECT_EQ(form("If", 7), "");
    EXPECT_EQ(form("Unheard", 16), "");
    EXPECT_EQ(form("SparseConv", 1), "");
    EXPECT_EQ(form("MOE", 16), "");
}

TEST(Opsets, KeepWhatLaterOnesNoLongerContain) {
    EXPECT_EQ(form("Reverse", 1), "Reverse-1");
    EXPECT_EQ(form("Reverse", 16), "Reverse-1");
    EXPECT_EQ(form("Xor", 5), "Xor-0");
    EXPECT_EQ(form("RNNCell", 2), "RNNCell-0");
    EXPECT_EQ(form("LSTMSequence", 4), "LSTMSequence-0");
}

// Exporters write the first opset that contains the form, the version of the class, or, of the
// oldest classes, opset1.
TEST(Opsets, FindAFormByEveryNumberThatExportersWrite) {
    EXPECT_EQ(form("ScatterNDUpdate", 3), "ScatterNDUpdate-3");
    EXPECT_EQ(form("ScatterNDUpdate", 4), "ScatterNDUpdate-3");
    EXPECT_EQ(form("ScatterNDUpdate", 14), "ScatterNDUpdate-3");
    EXPECT_EQ(form("ScatterNDUpdate", 15), "ScatterNDUpdate-15");
    EXPECT_EQ(form("Acosh", 3), "Acosh-3");
    EXPECT_EQ(form("Acosh", 2), "");
    EXPECT_EQ(form("ROIPooling", 1), "ROIPooling-0");
    EXPECT_EQ(form("MVN", 1), "MVN-0");
    EXPECT_EQ(form("BatchToSpace", 1), "BatchToSpace-1");
    for (const OpsetForm& f : opset_forms()) {
        for (int opset = f.lowest(); opset <= f.last; ++opset) {
            EXPECT_EQ(find_opset_form(f.type, opset), &f) << f.type << " of opset" << opset;
        }
    }
}

// A row of the registry and a row of the list are the same thing.
TEST(Opsets, AgreeWithTheRegistry) {
    for (const OpSpec* spec : all_ops()) {
        const OpsetForm* found = opset_form_of(*spec);
        ASSERT_EQ(found == nullptr, spec->internal || spec->own_set)
            << spec->type << "-" << spec->version;
        if (found != nullptr) {
            EXPECT_EQ(find_op(*found), spec) << spec->type << "-" << spec->version;
        }
    }
    EXPECT_EQ(opset_form_of(*find_op("MVN", 1))->first, 2);
    EXPECT_EQ(opset_form_of(*find_op("ScatterNDUpdate", 3))->first, 4);
    EXPECT_EQ(opset_form_of(*find_op("RNNCell", 1))->first, 1);
}

}  // namespace
}  // namespace fuseq::test
