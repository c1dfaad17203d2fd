// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_export_hints.hpp"

#include <algorithm>
#include <cctype>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

struct Hint {
    std::string_view name;
    std::string_view text;
};

constexpr std::string_view kNoFp8 = "export without FP8 compression";
constexpr std::string_view kNoTokenizer = "export the model without the tokenizer";
constexpr std::string_view kNoColour = "leave the conversion of colours out of the preprocessing";
constexpr std::string_view kNewerConverter =
    "the converter did not know the framework's operation: convert with a newer tool version";
constexpr std::string_view kEightBits = "export with 8-bit weights";

constexpr Hint kOperations[] = {
    {"BPETokenizer", kNoTokenizer},
    {"BytesToChars", kNoTokenizer},
    {"CaseFold", kNoTokenizer},
    {"CharsMapNormalization", kNoTokenizer},
    {"CharsToBytes", kNoTokenizer},
    {"CombineSegments", kNoTokenizer},
    {"EqualStr", kNoTokenizer},
    {"FakeConvert", kNoFp8},
    {"FrameworkNode", kNewerConverter},
    {"FuzeRagged", kNoTokenizer},
    {"I420toBGR", kNoColour},
    {"I420toRGB", kNoColour},
    {"NV12toBGR", kNoColour},
    {"NV12toRGB", kNoColour},
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
    {"StringTensorPack", kNoTokenizer},
    {"StringTensorUnpack", kNoTokenizer},
    {"StringToHashBucket", kNoTokenizer},
    {"TFFrameworkNode", kNewerConverter},
    {"TrieTokenizer", kNoTokenizer},
    {"UTF8Validate", kNoTokenizer},
    {"VocabDecoder", kNoTokenizer},
    {"VocabEncoder", kNoTokenizer},
    {"WordpieceTokenizer", kNoTokenizer},
};

constexpr Hint kTypes[] = {
    {"f4e2m1", kEightBits}, {"f8e4m3", kNoFp8},  {"f8e5m2", kNoFp8}, {"f8e8m0", kNoFp8},
    {"i4", kEightBits},     {"nf4", kEightBits}, {"u1", kEightBits}, {"u2", kEightBits},
    {"u3", kEightBits},     {"u4", kEightBits},  {"u6", kEightBits}, {"string", kNoTokenizer},
};

template <std::size_t count>
std::string find(const Hint (&hints)[count], std::string_view name) {
    const auto* const found = std::find_if(std::begin(hints), std::end(hints),
                                           [&](const Hint& hint) { return hint.name == name; });
    return found == std::end(hints) ? std::string() : std::string(found->text);
}

}  // namespace

std::string export_hint(const IrOperation& operation) {
    std::string hint = find(kOperations, operation.type);
    if (hint.empty() && operation.opset > kNewestOpset) {
        hint = detail::cat("convert with an older tool version, up to opset", kNewestOpset);
    }
    return hint;
}

std::string export_hint_for_type(std::string_view element_type) {
    std::string name(element_type);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return find(kTypes, name);
}

}  // namespace fuseq
