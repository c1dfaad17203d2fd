// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the text form of a Model.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "model/text.hpp"

namespace fuseq {

// Characters and tokens of the text, with the line for messages.
class TextScanner {
public:
    explicit TextScanner(std::string_view text) : text_(text) {}

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        throw Error(fmt::format("text line {}", line_), detail::cat(args...));
    }
    std::size_t line() const { return line_; }

    // Next character that is no space and not in a comment; 0 at the end.
    char peek() {
        skip_space();
        return at_end() ? '\0' : text_[position_];
    }
    bool accept(char c) {
        if (peek() != c) {
            return false;
        }
        ++position_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) {
            fail("expected '", c, "' but found ", found());
        }
    }
    bool accept_word(std::string_view word) {
        skip_space();
        const std::string_view rest = text_.substr(position_);
        if (!rest.starts_with(word) ||
            (rest.size() > word.size() && is_plain_name_char(rest[word.size()]))) {
            return false;
        }
        position_ += word.size();
        return true;
    }
    // A run of plain name characters, or a quoted string.
    std::string name() {
        if (peek() == '"') {
            return string();
        }
        const std::string plain(take_while(is_plain_name_char));
        if (plain.empty()) {
            fail("expected a name but found ", found());
        }
        return plain;
    }
    std::string string() {
        expect('"');
        std::string value;
        while (!at_end() && text_[position_] != '"') {
            char c = next();
            if (c == '\\' && !at_end()) {
                c = next();
                c = c == 'n' ? '\n' : c;
            }
            value += c;
        }
        if (at_end()) {
            fail("a string is not closed");
        }
        ++position_;
        return value;
    }
    std::string word(std::string_view what) {
        skip_space();
        const std::string text(take_while([](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_';
        }));
        if (text.empty()) {
            fail("expected ", what, " but found ", found());
        }
        return text;
    }
    // Names of attributes may contain '-' ("exclude-pad").
    std::string attribute_name() {
        skip_space();
        const std::string text(take_while(is_plain_name_char));
        if (text.empty()) {
            fail("expected an attribute, ':' or the next layer but found ", found());
        }
        return text;
    }
    // Digits directly at the position, without space before them.
    std::size_t number(std::string_view what) {
        const std::string_view digits = take_while([](char c) { return c >= '0' && c <= '9'; });
        std::size_t value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty() || result.ec != std::errc()) {
            fail("expected ", what, " but found ", found());
        }
        return value;
    }
    // Whether the very next character is c; if so it is taken.
    bool accept_adjacent(char c) {
        if (at_end() || text_[position_] != c) {
            return false;
        }
        ++position_;
        return true;
    }
    // From an opening bracket to its closing one, both included; or a word without spaces.
    std::string_view value() {
        skip_space();
        const std::size_t start = position_;
        std::size_t depth = 0;
        while (!at_end()) {
            const char c = text_[position_];
            if (c == '[' || c == '(' || c == '{') {
                ++depth;
            } else if (c == ']' || c == ')' || c == '}') {
                if (depth == 0) {
                    break;
                }
                --depth;
            } else if (depth == 0 && (is_space(c) || c == ',')) {
                break;
            }
            next();
        }
        if (start == position_ || depth != 0) {
            fail(depth == 0 ? "expected a value" : "a bracket is not closed");
        }
        return text_.substr(start, position_ - start);
    }

private:
    bool at_end() const { return position_ >= text_.size(); }
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    char next() {
        line_ += text_[position_] == '\n' ? 1 : 0;
        return text_[position_++];
    }
    void skip_space() {
        while (!at_end()) {
            if (is_space(text_[position_])) {
                next();
            } else if (text_.substr(position_).starts_with("//")) {
                while (!at_end() && text_[position_] != '\n') {
                    ++position_;
                }
            } else {
                return;
            }
        }
    }
    template <class Predicate>
    std::string_view take_while(Predicate predicate) {
        const std::size_t start = position_;
        while (!at_end() && predicate(text_[position_])) {
            ++position_;
        }
        return text_.substr(start, position_ - start);
    }
    std::string found() const {
        return at_end() ? "the end of the text" : fmt::format("'{}'", text_[position_]);
    }

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
};

}  // namespace fuseq
