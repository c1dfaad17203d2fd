// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case to the text of an IR, whatever it says.
#include <algorithm>
#include <random>

#include "fuseq/error.hpp"
#include "op_cases/op_case.hpp"
#include "op_cases/random_tensor.hpp"
#include "ops/op_spec.hpp"
#include "ops/opsets.hpp"

namespace fuseq::op_cases {
namespace {

std::string version_text(const OpCase& op_case) {
    const OpSpec* spec = find_op(op_case.type, op_case.opset);
    return spec != nullptr && spec->own_set ? std::string(kOwnSet)
                                            : detail::cat("opset", op_case.opset);
}

std::string layer(std::size_t id, const std::string& rest, const std::string& ports) {
    return detail::cat("<layer id=\"", id, "\" ", rest, ports, "</layer>\n");
}

std::string edge(std::size_t from, std::size_t from_port, std::size_t to, std::size_t to_port) {
    return detail::cat("<edge from-layer=\"", from, "\" from-port=\"", from_port, "\" to-layer=\"",
                       to, "\" to-port=\"", to_port, "\"/>\n");
}

// "[2,3]" -> "2,3"
std::string sizes(const Shape& shape) {
    const std::string text = to_string(shape);
    return text.substr(1, text.size() - 2);
}

// "kernel=3,2; strides=2,1" -> kernel="3,2" strides="2,1"
std::string xml_attributes(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t equal = text.find('=', at);
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (equal < end) {
            out += " " + text.substr(at, equal - at) + "=\"" +
                   text.substr(equal + 1, end - equal - 1) + "\"";
        }
        at = end + 1;
        while (at < text.size() && text[at] == ' ') {
            ++at;
        }
    }
    return out;
}

class IrMaker {
public:
    IrMaker(const OpCase& op_case, std::uint64_t seed) : case_(op_case), random_(seed) {}

    CaseIr make() {
        const std::size_t id = case_.inputs.size();
        for (std::size_t i = 0; i < id; ++i) {
            ports_ += detail::cat("<port id=\"", i, "\"/>");
            if (!case_.inputs[i].absent) {
                add_source(i, case_.inputs[i]);
                edges_ += edge(i, 0, id, i);
            }
        }
        layers_ += layer(
            id,
            detail::cat("name=\"op\" type=\"", case_.type, "\" version=\"", version_text(case_),
                        "\"><data", xml_attributes(case_.attributes), "/>"),
            detail::cat("<input>", ports_, "</input><output><port id=\"", id, "\"/></output>"));
        layers_ += layer(id + 1, "name=\"result\" type=\"Result\" version=\"opset1\">",
                         "<input><port id=\"0\"/></input>");
        edges_ += edge(id, id, id + 1, 0);
        Tensor weights(ElementType::u8, Shape{bytes_.size()});
        std::copy(bytes_.begin(), bytes_.end(), weights.data<std::uint8_t>());
        return {detail::cat("<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\">\n<layers>\n",
                            layers_, "</layers>\n<edges>\n", edges_, "</edges>\n</net>\n"),
                weights};
    }

private:
    void add_source(std::size_t id, const Input& input) {
        const std::string common = detail::cat("element_type=\"", to_string(input.type),
                                               "\" shape=\"", sizes(input.shape), "\"");
        const std::string output = "<output><port id=\"0\"/></output>";
        const std::string name = detail::cat("name=\"in", id, "\" version=\"opset1\" type=");
        if (!input.constant) {
            layers_ += layer(id, detail::cat(name, "\"Parameter\"><data ", common, "/>"), output);
            return;
        }
        const Tensor value = tensor_of(input, random_);
        layers_ += layer(id,
                         detail::cat(name, "\"Const\"><data ", common, " offset=\"", bytes_.size(),
                                     "\" size=\"", value.get_byte_size(), "\"/>"),
                         output);
        const auto* data = static_cast<const std::uint8_t*>(value.data());
        bytes_.insert(bytes_.end(), data, data + value.get_byte_size());
        constexpr std::size_t kAlignment = 64;
        bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    }

    const OpCase& case_;
    std::mt19937_64 random_;
    std::string layers_;
    std::string edges_;
    std::string ports_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

CaseIr make_ir(const OpCase& op_case, std::uint64_t seed) {
    return IrMaker(op_case, seed).make();
}

}  // namespace fuseq::op_cases
