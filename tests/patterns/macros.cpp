// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "patterns/macros.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "fuseq/error.hpp"

namespace fuseq::patterns {
namespace {

constexpr double kMaxWeight = 127;

// One call: the name of the result, and every argument by its name.
struct Call {
    std::string place;
    std::string result;
    std::map<std::string, std::string> arguments;

    template <class... Args>
    [[noreturn]] void fail(const Args&... args) const {
        throw Error("pattern", detail::cat(place, ": ", args...));
    }
    const std::string& text(const std::string& name) const { return arguments.at(name); }
    double number(const std::string& name) const;
    std::size_t integer(const std::string& name) const;
    std::string node(const std::string& name) const;
    std::vector<std::size_t> shape(const std::string& name) const;
    // One of the words, as its index.
    std::size_t word(const std::string& name, const std::vector<std::string>& words) const;
};

// The value that the whole text spells.
template <class T>
bool read_value(const std::string& text, T& value) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
}

double Call::number(const std::string& name) const {
    double value = 0;
    if (!read_value(text(name), value)) {
        fail(name, " is '", text(name), "', expected a number");
    }
    return value;
}

std::size_t Call::integer(const std::string& name) const {
    std::size_t value = 0;
    if (!read_value(text(name), value)) {
        fail(name, " is '", text(name), "', expected a whole number");
    }
    return value;
}

std::string Call::node(const std::string& name) const {
    if (text(name).size() < 2 || text(name)[0] != '%') {
        fail(name, " is '", text(name), "', expected a node like %x");
    }
    return text(name);
}

std::vector<std::string> split_arguments(const std::string& text) {
    std::vector<std::string> parts;
    std::string part;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' || c == '(' ? 1 : 0;
        depth -= c == ']' || c == '}' || c == ')' ? 1 : 0;
        if (c == ',' && depth == 0) {
            parts.push_back(std::exchange(part, ""));
        } else if (c != ' ') {
            part += c;
        }
    }
    parts.push_back(part);
    return parts;
}

std::vector<std::size_t> Call::shape(const std::string& name) const {
    const std::string& list = text(name);
    std::vector<std::size_t> sizes;
    bool good = list.size() > 2 && list.front() == '[' && list.back() == ']';
    for (const auto& size :
         split_arguments(good ? list.substr(1, list.size() - 2) : std::string())) {
        good = good && read_value(size, sizes.emplace_back()) && sizes.back() > 0;
    }
    if (!good) {
        fail(name, " is '", list, "', expected a shape like [16,16,3,3]");
    }
    return sizes;
}

std::size_t Call::word(const std::string& name, const std::vector<std::string>& words) const {
    const auto found = std::find(words.begin(), words.end(), text(name));
    if (found == words.end()) {
        std::string all;
        for (const auto& each : words) {
            all += (all.empty() ? "" : ", ") + each;
        }
        fail(name, " is '", text(name), "', expected one of ", all);
    }
    return static_cast<std::size_t>(found - words.begin());
}

// "a,b,c".
template <class T>
std::string list_of(const std::vector<T>& values) {
    std::string list;
    for (const T& value : values) {
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        list += (list.empty() ? "" : ",") + std::string(text.data(), end);
    }
    return list;
}

std::string constant(const std::string& name, const std::string& value, const std::string& type) {
    return name + " = Const value=" + value + " : " + type + "\n";
}

std::string fake_quantize(const std::string& name, const std::string& source, std::size_t levels) {
    const std::string range = name + "_low, " + name + "_high";
    return name + " = FakeQuantize(" + source + ", " + range + ", " + range +
           detail::cat(") levels=", levels, "\n");
}

std::string fq(const Call& call) {
    if (call.number("low") >= call.number("high")) {
        call.fail("low is ", call.text("low"), ", high ", call.text("high"));
    }
    return constant(call.result + "_low", "{" + call.text("low") + "}", "f32[]") +
           constant(call.result + "_high", "{" + call.text("high") + "}", "f32[]") +
           fake_quantize(call.result, call.node("source"), call.integer("levels"));
}

std::string bias(const Call& call) {
    const std::string range = list_of(std::vector{call.number("range")});
    return constant(call.result + "_c",
                    detail::cat("random(", call.integer("seed"), ",-", range, ",", range, ")"),
                    "f32[" + list_of(call.shape("shape")) + "]") +
           call.result + " = Add(" + call.node("source") + ", " + call.result + "_c)\n";
}

// What each output channel has of `scale`, and the shape of it.
struct Scales {
    std::vector<double> factors;
    std::vector<std::size_t> shape;
};

Scales scales_of(const Call& call, const std::vector<std::size_t>& axes) {
    const auto weights = call.shape("shape");
    const std::size_t kind = call.word("scales", {"varied", "equal", "signed"});
    Scales scales{.factors = {}, .shape = std::vector<std::size_t>(weights.size(), 1)};
    if (kind == 1) {
        scales.factors = {1};
        return scales;
    }
    constexpr std::array kVaried = {1.0, 0.5, 0.25, 1.0, 2.0, 0.5, 1.0, 0.25};
    std::size_t channels = 1;
    for (const std::size_t axis : axes) {
        if (axis >= weights.size()) {
            call.fail("the shape ", call.text("shape"), " has no axis ", axis);
        }
        scales.shape[axis] = weights[axis];
        channels *= weights[axis];
    }
    for (std::size_t i = 0; i < channels; ++i) {
        const double sign = kind == 2 && i % 2 == 1 ? -1 : 1;
        scales.factors.push_back(sign * kVaried[i % kVaried.size()]);
    }
    return scales;
}

// Weights whose output channels are along `axes`.
std::string weights(const Call& call,
                    const std::string& name,
                    const std::vector<std::size_t>& axes) {
    const Scales scales = scales_of(call, axes);
    const bool is_fq = call.word("spelling", {"fq", "i8"}) == 0;
    const double unit = call.number("scale") * (is_fq ? kMaxWeight : 1);
    std::vector<double> high;
    std::vector<double> low;
    for (const double factor : scales.factors) {
        high.push_back(unit * factor);
        low.push_back(-unit * factor);
    }
    const std::string all = "[" + list_of(call.shape("shape")) + "]";
    const std::string scale_type = "f32[" + list_of(scales.shape) + "]";
    const std::string random = detail::cat("random(", call.integer("seed"), ",");
    if (is_fq) {
        if (low[0] >= high[0] || call.text("scales") == "signed") {
            call.fail("scale ", call.text("scale"), " and scales=", call.text("scales"),
                      " give an inverted range; spelling=i8 has signs");
        }
        const double max = *std::max_element(high.begin(), high.end());
        return constant(name + "_real", random + list_of(std::vector{-max, max}) + ")",
                        "f32" + all) +
               constant(name + "_low", "{" + list_of(low) + "}", scale_type) +
               constant(name + "_high", "{" + list_of(high) + "}", scale_type) +
               fake_quantize(name, name + "_real", 255);
    }
    return constant(name + "_i8", random + "-127,127)", "i8" + all) + name + "_f = Convert(" +
           name + "_i8) destination_type=f32\n" +
           constant(name + "_s", "{" + list_of(high) + "}",
                    high.size() == 1 ? "f32[]" : scale_type) +
           name + " = Multiply(" + name + "_f, " + name + "_s)\n";
}

std::string only_weights(const Call& call) {
    return weights(call, call.result, {call.integer("axis")});
}

// A node of `type`: source and weights, then attributes.
std::string anchor(const Call& call, const std::string& type, const std::string& attributes) {
    return call.result + " = " + type + "(" + call.node("source") + ", " + call.result + "_w)" +
           attributes + "\n";
}

// The attributes of a convolution whose weights have `other` dimensions that are not the kernel's.
std::string geometry(const Call& call, std::size_t other) {
    const std::size_t rank = call.shape("shape").size();
    if (rank <= other) {
        call.fail("the shape ", call.text("shape"), " has no kernel");
    }
    const auto all = [&](const char* name) {
        return "[" + list_of(std::vector<std::size_t>(rank - other, call.integer(name))) + "]";
    };
    return " strides=" + all("strides") + " dilations=" + all("dilations") +
           " pads_begin=" + all("pads") + " pads_end=" + all("pads");
}

std::string qconv(const Call& call) {
    return weights(call, call.result + "_w", {0}) + anchor(call, "Convolution", geometry(call, 2));
}

std::string qdeconv(const Call& call) {
    return weights(call, call.result + "_w", {1}) +
           anchor(call, "ConvolutionBackpropData", geometry(call, 2));
}

std::string qgroup_conv(const Call& call) {
    return weights(call, call.result + "_w", {0, 1}) +
           anchor(call, "GroupConvolution", geometry(call, 3));
}

std::string qmatmul(const Call& call) {
    const bool transposed = call.word("transpose_b", {"false", "true"}) == 1;
    const std::size_t rank = call.shape("shape").size();
    if (rank < 2) {
        call.fail("the shape ", call.text("shape"), " is no matrix");
    }
    return weights(call, call.result + "_w", {transposed ? rank - 2 : rank - 1}) +
           anchor(call, "MatMul", transposed ? " transpose_b=true" : "");
}

// Integer weights that are 1 after their scale.
std::string end_weights(const Call& call, const std::string& value, const std::string& shape) {
    return constant(call.result + "_i8", value, "i8" + shape) + call.result + "_f = Convert(" +
           call.result + "_i8) destination_type=f32\n" +
           constant(call.result + "_scale", "{0.5}", "f32[]") + call.result + "_w = Multiply(" +
           call.result + "_f, " + call.result + "_scale)\n";
}

std::string end_conv(const Call& call) {
    return end_weights(call, "fill(2)", detail::cat("[", call.integer("channels"), ",1,1,1,1]")) +
           anchor(call, "GroupConvolution", " strides=[1,1] dilations=[1,1]");
}

std::string end_matmul(const Call& call) {
    const std::size_t size = call.integer("channels");
    std::vector<int> unit(size * size, 0);
    for (std::size_t i = 0; i < size; ++i) {
        unit[i * size + i] = 2;
    }
    return end_weights(call, "{" + list_of(unit) + "}", detail::cat("[", size, ",", size, "]")) +
           anchor(call, "MatMul", "");
}

using Defaults = std::vector<std::pair<std::string, std::string>>;

struct Macro {
    std::string name;
    std::vector<std::string> required;  // by their place
    Defaults optional;                  // name=value
    std::string (*expand)(const Call&);
};

Defaults with_weights(Defaults others) {
    others.insert(
        others.end(),
        {{"seed", "3"}, {"scale", "0.0078125"}, {"scales", "varied"}, {"spelling", "fq"}});
    return others;
}

const std::vector<Macro>& macros() {
    const Defaults convolution =
        with_weights({{"strides", "1"}, {"dilations", "1"}, {"pads", "0"}});
    static const std::vector<Macro> kMacros = {
        {"fq", {"source", "low", "high", "levels"}, {}, fq},
        {"bias", {"source", "shape", "seed", "range"}, {}, bias},
        {"weights", {"shape"}, with_weights({{"axis", "0"}}), only_weights},
        {"qconv", {"source", "shape"}, convolution, qconv},
        {"qdeconv", {"source", "shape"}, convolution, qdeconv},
        {"qgroup_conv", {"source", "shape"}, convolution, qgroup_conv},
        {"qmatmul", {"source", "shape"}, with_weights({{"transpose_b", "false"}}), qmatmul},
        {"end_conv", {"source", "channels"}, {}, end_conv},
        {"end_matmul", {"source", "channels"}, {}, end_matmul},
    };
    return kMacros;
}

const Macro& macro_named(const std::string& name, const std::string& place) {
    std::string known;
    for (const Macro& macro : macros()) {
        if (macro.name == name) {
            return macro;
        }
        known += (known.empty() ? "" : ", ") + macro.name;
    }
    throw Error("pattern", place + ": no macro is named '" + name + "'; there are " + known);
}

// Puts the arguments in `list` under their names.
void bind(Call& call, const Macro& macro, const std::string& list) {
    for (const auto& [name, value] : macro.optional) {
        call.arguments[name] = value;
    }
    std::size_t at = 0;
    for (const std::string& argument : split_arguments(list)) {
        const auto equals = argument.find('=');
        if (equals == std::string::npos) {
            if (at == macro.required.size()) {
                call.fail("'", argument, "' is one argument too many");
            }
            call.arguments[macro.required[at]] = argument;
            ++at;
            continue;
        }
        const std::string name = argument.substr(0, equals);
        if (std::none_of(macro.optional.begin(), macro.optional.end(),
                         [&](const auto& optional) { return optional.first == name; })) {
            call.fail("no argument is named '", name, "'");
        }
        call.arguments[name] = argument.substr(equals + 1);
    }
    if (at < macro.required.size()) {
        call.fail(macro.required[at], " is missing");
    }
}

}  // namespace

std::string expand_macro(const std::string& line, const std::string& place) {
    const auto begin = line.find_first_not_of(' ');
    const auto equals = line.find(" = ");
    const auto open = line.find('(', equals == std::string::npos ? line.size() : equals);
    const bool is_call = begin != std::string::npos && line[begin] == '%' &&
                         open != std::string::npos && line[equals + 3] >= 'a' &&
                         line[equals + 3] <= 'z';
    if (!is_call) {
        return line + "\n";
    }
    const std::string name = line.substr(equals + 3, open - equals - 3);
    const Macro& macro = macro_named(name, place);
    Call call{.place = place + ": " + name,
              .result = line.substr(begin, equals - begin),
              .arguments = {}};
    if (line.back() != ')') {
        call.fail("the line does not end with ')'");
    }
    bind(call, macro, line.substr(open + 1, line.size() - open - 2));
    const std::string indent = line.substr(0, begin);
    std::string text = indent;
    for (const char c : macro.expand(call)) {
        text += c;
        text += c == '\n' ? indent : "";
    }
    text.resize(text.size() - indent.size());
    return text;
}

}  // namespace fuseq::patterns
