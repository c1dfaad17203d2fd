// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "op_cases/op_case.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "fuseq/error.hpp"

namespace fuseq::op_cases {
namespace {

namespace fs = std::filesystem;

struct Place {
    std::string file;
    std::size_t line = 0;
    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        throw Error("op_cases", detail::cat(file, ":", line, ": ", args...));
    }
};

std::string strip(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos
               ? std::string()
               : std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);) {
        if (part = strip(part); !part.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

double number(std::string_view text, const Place& place) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        place.fail("'", text, "' is not a number");
    }
    return value;
}

ElementType type_of(std::string_view text, const Place& place) {
    const auto type = parse_element_type(text);
    if (!type) {
        place.fail("'", text, "' is not an element type");
    }
    return *type;
}

// "{1,2}", "i32{1,2}" or "f32[2,2]{1,2,3,4}".
Input parse_list(const std::string& text, const Place& place) {
    Input input;
    const auto brace = text.find('{');
    const auto open = std::min(text.find('['), brace);
    input.constant = true;
    input.type = open == 0 ? ElementType::i64 : type_of(text.substr(0, open), place);
    for (const std::string& value : split(text.substr(brace + 1, text.size() - brace - 2), ',')) {
        input.values.push_back(number(value, place));
    }
    input.shape = {input.values.size()};
    if (open != brace) {
        input.shape = PartialShape::parse(text.substr(open, brace - open)).to_shape();
    }
    return input;
}

// "f32[2,3]:1..9", with a '#' in front for a Const.
Input parse_tensor(std::string text, const Place& place) {
    Input input;
    input.constant = text[0] == '#';
    text.erase(0, input.constant ? 1 : 0);
    const auto open = text.find('[');
    const auto close = text.find(']');
    if (close == std::string::npos || close < open) {
        place.fail("'", text, "' has no closing bracket");
    }
    input.type = type_of(text.substr(0, open), place);
    input.shape = PartialShape::parse(text.substr(open, close - open + 1)).to_shape();
    if (close + 1 < text.size()) {
        const auto dots = text.find("..", close);
        if (text[close + 1] != ':' || dots == std::string::npos) {
            place.fail("'", text, "' has no range");
        }
        input.has_range = true;
        input.low = number(text.substr(close + 2, dots - close - 2), place);
        input.high = number(text.substr(dots + 2), place);
    }
    return input;
}

Input parse_input(const std::string& text, const Place& place) {
    if (text == "-") {
        Input input;
        input.absent = true;
        return input;
    }
    if (text.find('{') != std::string::npos && text.back() == '}') {
        return parse_list(text, place);
    }
    if (text.find('[') != std::string::npos) {
        return parse_tensor(text, place);
    }
    Input input;
    input.constant = true;
    input.values = {number(text, place)};
    input.type = text.find('.') == std::string::npos ? ElementType::i64 : ElementType::f32;
    return input;
}

// All combinations of the alternatives of "a=1|2; b=3".
std::vector<std::string> spread(const std::string& attributes) {
    std::vector<std::string> all = {""};
    for (const std::string& item : split(attributes, ';')) {
        const auto equal = item.find('=');
        std::vector<std::string> longer;
        for (const std::string& value : split(item.substr(equal + 1), '|')) {
            for (const std::string& begin : all) {
                longer.push_back(detail::cat(begin, begin.empty() ? "" : "; ",
                                             item.substr(0, equal + 1), value));
            }
        }
        all = std::move(longer);
    }
    return all;
}

OpCase parse_name(const std::string& name, const Place& place) {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) {
        place.fail("'", name, "' is not TYPE.OPSET");
    }
    OpCase op_case;
    op_case.type = name.substr(0, dot);
    op_case.opset = static_cast<int>(number(name.substr(dot + 1), place));
    return op_case;
}

void parse_line(const std::string& line, const Place& place, std::vector<OpCase>& cases) {
    const auto open = line.find(" (");
    const auto close = line.find(')', open);
    if (open == std::string::npos || close == std::string::npos) {
        place.fail("not TYPE.OPSET (INPUTS) ATTRIBUTES: ", line);
    }
    OpCase op_case = parse_name(strip(line.substr(0, open)), place);
    for (const std::string& input : split(line.substr(open + 2, close - open - 2), ' ')) {
        op_case.inputs.push_back(parse_input(input, place));
    }
    const auto mark = std::min(line.find(" @", close), line.size());
    if (mark != line.size()) {
        op_case.results = static_cast<std::size_t>(number(strip(line.substr(mark + 2)), place));
    }
    for (const std::string& attributes : spread(line.substr(close + 1, mark - close - 1))) {
        op_case.attributes = attributes;
        op_case.text = line.substr(0, close + 1) + (attributes.empty() ? "" : " " + attributes);
        op_case.text += mark == line.size() ? "" : " " + line.substr(mark);
        cases.push_back(op_case);
    }
}

}  // namespace

std::vector<OpCase> parse_cases(std::string_view text, const std::string& file) {
    std::vector<OpCase> cases;
    std::istringstream in{std::string(text)};
    Place place{file, 0};
    bool in_model = false;
    for (std::string line; std::getline(in, line);) {
        ++place.line;
        if (in_model) {
            in_model = line != "end";
            cases.back().model += in_model ? line + "\n" : "";
        } else if (line.rfind("model ", 0) == 0) {
            cases.push_back(parse_name(strip(line.substr(6)), place));
            cases.back().text = detail::cat(line, " (", file, ":", place.line, ")");
            in_model = true;
        } else if (!strip(line).empty() && line.rfind("//", 0) != 0) {
            parse_line(line, place, cases);
        }
    }
    if (in_model) {
        place.fail("a model without an end");
    }
    return cases;
}

std::vector<OpCase> all_cases() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(FUSEQ_OP_CASES))) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<OpCase> cases;
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        auto more = parse_cases(text.str(), file.filename().string());
        std::move(more.begin(), more.end(), std::back_inserter(cases));
    }
    return cases;
}

}  // namespace fuseq::op_cases
