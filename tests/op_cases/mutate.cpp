// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "op_cases/mutate.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "fuseq/error.hpp"

namespace fuseq::op_cases {
namespace {

constexpr const char* kNumbers[] = {"0", "1", "2", "3", "-1", "-2", "5", "7", "100", "-100"};
constexpr const char* kFarNumbers[] = {"65536", "4000000000", "9223372036854775807",
                                       "-9223372036854775808"};
constexpr const char* kReals[] = {"0", "1", "0.5", "-1", "1e-30", "1e30", "nan", "inf", "-inf"};
constexpr ElementType kTypes[] = {
    ElementType::f32,     ElementType::i64, ElementType::i32,  ElementType::u8,  ElementType::i8,
    ElementType::boolean, ElementType::f16, ElementType::bf16, ElementType::u16, ElementType::u64,
    ElementType::u4,      ElementType::i4,  ElementType::nf4};

class Mutation {
public:
    Mutation(OpCase& op_case, std::mt19937_64& random) : case_(op_case), random_(random) {}

    void apply() {
        if (!case_.model.empty()) {
            change_number_of(case_.model);
        } else if (case_.inputs.empty() || (!case_.attributes.empty() && chance(2))) {
            change_attributes();
        } else {
            change_input();
        }
    }

private:
    std::size_t below(std::size_t count) { return random_() % count; }
    bool chance(std::size_t one_of) { return below(one_of) == 0; }
    template <class T, std::size_t N>
    T pick(const T (&values)[N]) {
        return values[below(N)];
    }
    std::string number() { return chance(6) ? pick(kFarNumbers) : pick(kNumbers); }

    // Another number in the place of one that stands in the text, or one more or less.
    void change_number_of(std::string& text) {
        std::vector<std::size_t> starts;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
            const char before = i == 0 ? ' ' : text[i - 1];
            if (digit && (before == ',' || before == '=' || before == '[' || before == '{')) {
                starts.push_back(i);
            }
        }
        if (starts.empty()) {
            return;
        }
        const std::size_t at = starts[below(starts.size())];
        std::size_t end = at;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
            ++end;
        }
        text.replace(at, end - at, chance(4) ? number() + "," + number() : number());
    }

    void change_attributes() {
        std::string& text = case_.attributes;
        if (text.empty() || !chance(4)) {
            change_number_of(text);
            return;
        }
        // Drops an attribute, or gives it a value of another kind.
        const auto semicolon = text.rfind(';');
        const std::size_t begin = semicolon == std::string::npos ? 0 : semicolon + 1;
        const std::size_t equal = text.find('=', begin);
        if (chance(2) || equal == std::string::npos) {
            text.erase(semicolon == std::string::npos ? 0 : semicolon);
        } else {
            text.replace(equal + 1, std::string::npos, pick(kReals));
        }
    }

    void change_input() {
        const std::size_t at = below(case_.inputs.size());
        Input& input = case_.inputs[at];
        switch (below(7)) {
            case 0: input.type = pick(kTypes); break;
            case 1: input.absent = true; break;
            case 2: input.constant = !input.constant; break;
            case 3: change_inputs(at); break;
            case 4: change_values(input); break;
            default: change_shape(input);
        }
    }

    void change_inputs(std::size_t at) {
        if (chance(2)) {
            case_.inputs.push_back(case_.inputs[at]);
        } else {
            case_.inputs.erase(case_.inputs.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    void change_values(Input& input) {
        if (input.values.empty()) {
            constexpr double kFar[] = {0, 1, 5, 100, 1000};
            input.has_range = true;
            input.low = -pick(kFar);
            input.high = pick(kFar);
            return;
        }
        constexpr double kValues[] = {0,   1,    2,     3,   -1,     -2,     7,
                                      100, -100, 65536, 4e9, 9.2e18, -9.2e18};
        input.values[below(input.values.size())] = pick(kValues);
        if (chance(4)) {
            input.values.push_back(pick(kValues));
            input.shape = {input.values.size()};
        }
    }

    void change_shape(Input& input) {
        constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 5, 6, 9, 17};
        Shape& shape = input.shape;
        if (shape.empty() || chance(4)) {
            const auto place = static_cast<std::ptrdiff_t>(below(shape.size() + 1));
            shape.insert(shape.begin() + place, pick(kSizes));
        } else if (chance(4)) {
            shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(below(shape.size())));
        } else {
            shape[below(shape.size())] = pick(kSizes);
        }
        if (!input.values.empty()) {
            input.values.resize(shape_size(shape), 1);
        }
    }

    OpCase& case_;
    std::mt19937_64& random_;
};

std::string describe(const Input& input) {
    if (input.absent) {
        return "-";
    }
    std::string text = (input.constant ? "#" : "") + to_string(input.type) + to_string(input.shape);
    for (const double value : input.values) {
        text += detail::cat(text.back() == ']' ? "{" : ",", value);
    }
    text += input.values.empty() ? "" : "}";
    return text + (input.has_range ? detail::cat(":", input.low, "..", input.high) : "");
}

}  // namespace

OpCase mutate(OpCase op_case, std::mt19937_64& random) {
    for (std::size_t i = 1 + random() % 3; i != 0; --i) {
        Mutation(op_case, random).apply();
    }
    op_case.text = detail::cat(op_case.type, ".", op_case.opset, " (");
    for (const Input& input : op_case.inputs) {
        op_case.text += (op_case.text.back() == '(' ? "" : " ") + describe(input);
    }
    op_case.text += ") " + op_case.attributes + op_case.model;
    return op_case;
}

}  // namespace fuseq::op_cases
