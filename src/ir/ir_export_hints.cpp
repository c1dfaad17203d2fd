// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_export_hints.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/opsets.hpp"

namespace fuseq {
namespace {

struct Hint {
    std::string_view name;
    std::string_view text;
};

constexpr std::string_view kNoTokenizer = "export the model without the tokenizer";
constexpr std::string_view kNewerConverter =
    "the converter did not know the framework's operation: convert with a newer tool version";

constexpr Hint kOperations[] = {
    {"BPETokenizer", kNoTokenizer},
    {"BytesToChars", kNoTokenizer},
    {"CaseFold", kNoTokenizer},
    {"CharsMapNormalization", kNoTokenizer},
    {"CharsToBytes", kNoTokenizer},
    {"CombineSegments", kNoTokenizer},
    {"EqualStr", kNoTokenizer},
    {"FrameworkNode", kNewerConverter},
    {"FuzeRagged", kNoTokenizer},
    {"NormalizeUnicode", kNoTokenizer},
    {"PagedAttentionExtension", "export without paged attention"},
    {"PtFrameworkNode", kNewerConverter},
    {"RaggedTensorPack", kNoTokenizer},
    {"RaggedToDense", kNoTokenizer},
    {"RaggedToRagged", kNoTokenizer},
    {"RaggedToSparse", kNoTokenizer},
    {"RegexNormalization", kNoTokenizer},
    {"RegexSplit", kNoTokenizer},
    {"SentencepieceDetokenizer", kNoTokenizer},
    {"SentencepieceStreamDetokenizer", kNoTokenizer},
    {"SentencepieceTokenizer", kNoTokenizer},
    {"SpecialTokensSplit", kNoTokenizer},
    {"StringToHashBucket", kNoTokenizer},
    {"TFFrameworkNode", kNewerConverter},
    {"TrieTokenizer", kNoTokenizer},
    {"UTF8Validate", kNoTokenizer},
    {"VocabDecoder", kNoTokenizer},
    {"VocabEncoder", kNoTokenizer},
    {"WordpieceTokenizer", kNoTokenizer},
};

}  // namespace

std::string export_hint(const IrOperation& operation) {
    const auto* const found =
        std::find_if(std::begin(kOperations), std::end(kOperations),
                     [&](const Hint& hint) { return hint.name == operation.type; });
    std::string hint = found == std::end(kOperations) ? std::string() : std::string(found->text);
    if (hint.empty() && operation.opset > kNewestOpset) {
        hint = fmt::format("convert with an older tool version, up to opset{}", kNewestOpset);
    }
    return hint;
}

}  // namespace fuseq
