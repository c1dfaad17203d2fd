// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "patterns/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "fuseq/error.hpp"
#include "patterns/macros.hpp"

namespace fuseq::patterns {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) {
    return text.rfind(prefix, 0) == 0;
}

std::vector<std::string> split(const std::string& line, const std::string& separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (auto end = line.find(separator); end != std::string::npos;
         end = line.find(separator, begin)) {
        parts.push_back(line.substr(begin, end - begin));
        begin = end + separator.size();
    }
    parts.push_back(line.substr(begin));
    return parts;
}

// Which of the fast kernels an anchor runs on is decided by speed and may change; that it is one of
// them is what a pattern holds. So is "x64", oneDNN's unrolled products, which AMX tiles replace.
// Other classes
// ("ref", "gemm", "simple", ...) stay what they are.
std::string comparable_class(const std::string& kind, const std::string& name) {
    const bool anchor = kind == "convolution" || kind == "deconvolution" || kind == "matmul";
    return anchor && (name == "jit" || name == "own" || name == "x64") ? "fast" : name;
}

// A step as it is compared, numbers apart.
std::string comparable(const std::string& line) {
    auto parts = split(line, " | ");
    constexpr std::size_t kClass = 2;
    if (parts.size() <= kClass) {
        return line;
    }
    std::string text =
        parts[0] + " | " + parts[1] + " | " + comparable_class(parts[0], parts[kClass]);
    return parts.size() == kClass + 1 ? text : text + " | " + parts[kClass + 1];
}

// Numbers that stand for themselves: not those of u8, f32 and #0.
const std::regex& number_in_text() {
    static const std::regex number(
        "(^|[^A-Za-z0-9_#.])([-+]?(inf|[0-9]+\\.?[0-9]*(e[-+]?[0-9]+)?))");
    return number;
}

std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> numbers;
    for (std::sregex_iterator it(text.begin(), text.end(), number_in_text()), end; it != end;
         ++it) {
        numbers.push_back(std::stod((*it)[2]));
    }
    return numbers;
}

bool nearly_equal(double a, double b) {
    constexpr double kTolerance = 1e-6;  // reports print eight digits
    const double larger = std::max(std::abs(a), std::abs(b));
    return a == b || (std::isfinite(larger) && std::abs(a - b) <= kTolerance * larger);
}

std::vector<double> numbers_of_line(const Pattern& pattern, const std::string& line) {
    std::istringstream in(line.substr(line.find(' ')));
    std::vector<double> values;
    for (double value = 0; in >> value;) {
        values.push_back(value);
    }
    if (!in.eof() || values.empty()) {
        throw Error("pattern", pattern.name + ": not numbers: " + line);
    }
    return values;
}

void parse_expectation(Pattern& pattern, const std::string& line) {
    if (starts_with(line, "inputs ")) {
        const auto range = numbers_of_line(pattern, line);
        if (range.size() != 2 || range[0] >= range[1]) {
            throw Error("pattern", pattern.name + ": not a range: " + line);
        }
        pattern.low = range[0];
        pattern.high = range[1];
    } else if (starts_with(line, "step ")) {
        pattern.steps_of_outputs = numbers_of_line(pattern, line);
    } else {
        pattern.expected.push_back(line);
    }
}

}  // namespace

Pattern parse_pattern(const std::string& name, const std::string& text) {
    Pattern pattern;
    pattern.name = name;
    std::istringstream in(text);
    bool expect = false;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (expect) {
            if (!line.empty()) {
                parse_expectation(pattern, line);
            }
        } else if (line == "expect") {
            expect = true;
        } else if (starts_with(line, "// ") && pattern.model.empty()) {
            pattern.description += (pattern.description.empty() ? "" : " ") + line.substr(3);
        } else {
            pattern.model += expand_macro(line, detail::cat(name, ".txt:", number));
        }
    }
    if (pattern.description.empty() || pattern.steps_of_outputs.empty()) {
        throw Error("pattern", name + ": has no comment or no step");
    }
    return pattern;
}

Pattern read_pattern(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
        throw Error("pattern", "cannot read " + path);
    }
    return parse_pattern(std::filesystem::path(path).stem().string(), text.str());
}

std::vector<std::string> updated_lines(const Pattern& pattern, std::vector<std::string> today) {
    std::vector<std::string> left = pattern.expected;
    for (std::string& line : today) {
        const auto old = std::find_if(left.begin(), left.end(), [&](const std::string& other) {
            return without_numbers(comparable(other)) == without_numbers(comparable(line));
        });
        if (old == left.end()) {
            continue;
        }
        auto parts = split(line, " | ");
        if (parts.size() == 4) {
            constexpr std::size_t kClass = 2;
            line =
                parts[0] + " | " + parts[1] + " | " + split(*old, " | ")[kClass] + " | " + parts[3];
        }
        left.erase(old);
    }
    return today;
}

std::string class_of_implementation(const std::string& name) {
    if (starts_with(name, "fuseq")) {
        return "own";
    }
    if (starts_with(name, "ref")) {
        return "ref";
    }
    if (starts_with(name, "br") || starts_with(name, "jit")) {
        return "jit";
    }
    return name.substr(0, name.find_first_of(":_"));
}

std::string without_numbers(const std::string& line) {
    return std::regex_replace(line, number_in_text(), "$1N");
}

bool same_line(const std::string& actual, const std::string& expected) {
    const std::string a = comparable(actual);
    const std::string b = comparable(expected);
    if (without_numbers(a) != without_numbers(b)) {
        return false;
    }
    const auto left = numbers_in(a);
    const auto right = numbers_in(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), nearly_equal);
}

std::vector<std::string> lines_of_report(const std::string& report) {
    const auto json = nlohmann::json::parse(report);
    std::vector<std::string> lines;
    for (const auto& step : json["steps"]) {
        const auto text = [&](const char* key) { return step[key].get<std::string>(); };
        std::string types = text("src_type");
        types += text("wei_type").empty() ? "" : " " + text("wei_type");
        types += " " + text("dst_type");
        std::string line =
            text("kind") + " | " + types + " | " + class_of_implementation(text("implementation"));
        line += text("post_ops").empty() ? "" : " | " + text("post_ops");
        lines.push_back(line);
        for (const auto& note : step["notes"]) {
            lines.push_back("note " + note.get<std::string>());
        }
    }
    for (const auto& refusal : json["refusals"]) {
        lines.push_back("refused " + refusal["code"].get<std::string>() + " at " +
                        refusal["layer"].get<std::string>());
    }
    return lines;
}

std::string differs_from_report(const Pattern& pattern, const std::string& report) {
    const auto actual = lines_of_report(report);
    std::size_t at = 0;
    // Notes that no line expects may stand anywhere.
    const auto skip_notes = [&] {
        while (at < actual.size() && starts_with(actual[at], "note ")) {
            ++at;
        }
    };
    for (const std::string& line : pattern.expected) {
        if (starts_with(line, "note ")) {
            const std::string text = line.substr(std::string("note ").size());
            while (at < actual.size() && starts_with(actual[at], "note ") &&
                   actual[at].find(text) == std::string::npos) {
                ++at;
            }
        } else {
            skip_notes();
        }
        const std::string found = at < actual.size() ? actual[at] : "the end";
        const bool same =
            starts_with(line, "note ") ? starts_with(found, "note ") : same_line(found, line);
        if (!same) {
            return "expected: " + line + "\nactual:   " + found;
        }
        ++at;
    }
    skip_notes();
    return at == actual.size() ? "" : "expected: the end\nactual:   " + actual[at];
}

}  // namespace fuseq::patterns
