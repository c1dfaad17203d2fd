// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Parser of the text form that to_text.cpp describes.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/core.h>

#include "fuseq/model.hpp"
#include "model/nearest_name.hpp"
#include "model/tensor_text.hpp"
#include "model/text.hpp"
#include "model/text_scanner.hpp"
#include "model/type_names.hpp"
#include "ops/constant.hpp"
#include "ops/op_spec.hpp"
#include "ops/parameter.hpp"

namespace fuseq {
namespace {

// Subgraphs within subgraphs; the parser recurses once a level.
constexpr std::size_t kDeepestSubgraph = 16;

struct Declared {
    ElementType type = ElementType::undefined;
    PartialShape shape;
    std::vector<std::string> names;
};

// A tensor attribute whose type and shape may stand after the colon.
struct PendingTensor {
    Tensor* target;
    std::string text;
};

struct Statement {
    std::size_t line = 0;
    std::string handle;
    std::string name;
    const OpSpec* spec = nullptr;
    std::vector<Output> operands;
    std::unique_ptr<Attributes> attributes;
    std::vector<std::string> given;  // names of attributes
    std::vector<PendingTensor> tensors;
    std::vector<std::string> origins;
    std::vector<Declared> declared;
};

class Parser {
public:
    Parser(TextScanner& scanner, std::size_t depth) : in_(scanner), depth_(depth) {
        if (depth > kDeepestSubgraph) {
            in_.fail("subgraphs are nested more than ", kDeepestSubgraph, " deep");
        }
    }

    std::shared_ptr<Model> parse() {
        model_ = std::make_shared<Model>();
        if (in_.accept_word("model")) {
            model_->set_name(in_.name());
        }
        while (in_.peek() == '%') {
            Statement statement = parse_statement();
            try {
                add(statement);
            } catch (const Error& error) {
                Error::Info info = error.info();
                info.stage = fmt::format("text line {}", statement.line);
                throw Error(std::move(info));
            }
        }
        return model_;
    }

private:
    // The handle of a layer: its name, plus #n for the n-th further layer of that name.
    std::string parse_handle(std::string& name) {
        in_.expect('%');
        name = in_.name();
        return in_.accept_adjacent('#')
                   ? fmt::format("{}\0{}", name, in_.number("the number of a layer"))
                   : name;
    }

    Statement parse_statement() {
        Statement s;
        s.line = (in_.peek(), in_.line());
        s.handle = parse_handle(s.name);
        in_.expect('=');
        parse_type(s);
        parse_operands(s);
        parse_attributes(s);
        if (in_.accept(':')) {
            do {
                s.declared.push_back(parse_declared());
            } while (in_.accept(','));
        }
        return s;
    }

    void parse_type(Statement& s) {
        const std::string type = in_.word("an operation");
        int version = std::numeric_limits<int>::max();
        if (in_.accept_adjacent('.')) {
            const std::size_t number = in_.number("the version of the operation");
            constexpr std::size_t kHighest = 1000;
            version = static_cast<int>(std::min(number, kHighest));
        }
        s.spec = find_op(type, version);
        if (s.spec == nullptr) {
            std::vector<std::string> types;
            for (const OpSpec* spec : all_ops()) {
                types.emplace_back(spec->type);
            }
            in_.fail("operation ", type,
                     op_exists(type) ? " is not known in that version"
                                     : " is not known" + did_you_mean(type, types));
        }
        s.attributes = s.spec->make_attributes();
    }

    void parse_operands(Statement& s) {
        if (!in_.accept('(') || in_.accept(')')) {
            return;
        }
        do {
            if (in_.accept_word("_")) {
                s.operands.emplace_back();
                continue;
            }
            std::string name;
            const auto found = nodes_.find(parse_handle(name));
            if (found == nodes_.end()) {
                in_.fail("layer '", name, "' is not defined before it is read");
            }
            Node* node = found->second;
            const std::size_t port = in_.accept_adjacent(':') ? in_.number("a port") : 0;
            if (port >= node->output_count()) {
                in_.fail("layer '", name, "' has no output ", port, ", it has ",
                         node->output_count());
            }
            s.operands.push_back(node->output(port));
        } while (in_.accept(','));
        in_.expect(')');
    }

    void parse_attributes(Statement& s) {
        const auto items = list_attributes(*s.attributes);
        for (char c = in_.peek(); c != '\0' && c != ':' && c != '%' && c != '}'; c = in_.peek()) {
            if (in_.accept('!')) {
                const std::string word = in_.word("origins");
                if (word != "origins") {
                    in_.fail("'!", word, "' is not known; known: !origins");
                }
                in_.expect('=');
                s.origins = parse_strings();
                continue;
            }
            const std::string name = in_.attribute_name();
            const auto item = std::find_if(items.begin(), items.end(),
                                           [&](const auto& i) { return i.name == name; });
            if (item == items.end()) {
                in_.fail("layer '", s.name, "' (", s.spec->type, "): attribute '", name,
                         "' is not known", known_attributes(items));
            }
            if (std::find(s.given.begin(), s.given.end(), name) != s.given.end()) {
                in_.fail("layer '", s.name, "': attribute '", name, "' is given twice");
            }
            s.given.push_back(name);
            in_.expect('=');
            parse_value(s, *item);
        }
        for (const NamedAttribute& item : items) {
            const bool given =
                std::find(s.given.begin(), s.given.end(), item.name) != s.given.end();
            if (item.required && !given && s.spec->type != "Parameter") {
                in_.fail("layer '", s.name, "' (", s.spec->type, "): attribute '", item.name,
                         "' is missing");
            }
        }
    }

    static std::string known_attributes(const std::vector<NamedAttribute>& items) {
        std::string text;
        for (const NamedAttribute& item : items) {
            text += (text.empty() ? "; known: " : ", ") + item.name;
        }
        return text;
    }

    std::vector<std::string> parse_strings() {
        std::vector<std::string> strings;
        in_.expect('[');
        while (in_.peek() != ']') {
            strings.push_back(in_.name());
            if (!in_.accept(',')) {
                break;
            }
        }
        in_.expect(']');
        return strings;
    }

    void parse_value(Statement& s, const NamedAttribute& item) {
        if (auto* const* string = std::get_if<std::string*>(&item.ref)) {
            **string = in_.name();
        } else if (auto* const* strings = std::get_if<std::vector<std::string>*>(&item.ref)) {
            **strings = parse_strings();
        } else if (auto* const* model = std::get_if<std::shared_ptr<Model>*>(&item.ref)) {
            in_.expect('{');
            **model = Parser(in_, depth_ + 1).parse();
            in_.expect('}');
        } else if (auto* const* tensor = std::get_if<Tensor*>(&item.ref)) {
            s.tensors.push_back({*tensor, std::string(in_.value())});
        } else {
            const std::string_view text = in_.value();
            try {
                attribute_from_text(item.ref, text);
            } catch (const Error& error) {
                in_.fail("layer '", s.name, "' (", s.spec->type, "): attribute '", item.name,
                         "': ", error.info().rule);
            }
        }
    }

    Declared parse_declared() {
        Declared declared;
        const std::string word = in_.word("an element type");
        const auto type = parse_element_type(word);
        if (!type && word != to_string(ElementType::undefined)) {
            in_.fail(refused_type_text(word));
        }
        declared.type = type.value_or(ElementType::undefined);
        if (in_.peek() != '[') {
            in_.fail("expected a shape like [1,3,?] after ", word);
        }
        declared.shape = PartialShape::parse(in_.value());
        while (in_.peek() == '"') {
            declared.names.push_back(in_.string());
        }
        return declared;
    }

    // The tensor's own type and shape, "f32[2]{1,2}", or those declared for the first output.
    static Tensor make_tensor(const PendingTensor& pending, const Statement& s) {
        const std::string_view text = pending.text;
        const auto bracket = text.find('[');
        const auto close = text.find(']');
        if (bracket != std::string_view::npos && close != std::string_view::npos &&
            text.find_first_of("({#") > close) {
            const auto type = parse_element_type(text.substr(0, bracket));
            if (!type) {
                throw Error("text", refused_type_text(text.substr(0, bracket)));
            }
            const auto shape =
                PartialShape::parse(text.substr(bracket, close + 1 - bracket)).to_shape();
            return tensor_values_from_text(text.substr(close + 1), *type, shape);
        }
        if (s.declared.empty()) {
            throw Error(
                "text",
                fmt::format("layer '{}': the type and shape of the value are not given", s.name));
        }
        return tensor_values_from_text(text, s.declared[0].type, s.declared[0].shape.to_shape());
    }

    void complete(Statement& s) {
        for (const PendingTensor& pending : s.tensors) {
            *pending.target = make_tensor(pending, s);
        }
        if (auto* parameter = dynamic_cast<ParameterAttrs*>(s.attributes.get());
            parameter != nullptr && s.given.empty()) {
            if (s.declared.size() != 1) {
                throw Error("text",
                            fmt::format("layer '{}' (Parameter): its type and shape are not given",
                                        s.name));
            }
            parameter->element_type = s.declared[0].type;
            parameter->shape = s.declared[0].shape;
        }
    }

    void add(Statement& s) {
        if (nodes_.contains(s.handle)) {
            throw Error("text", fmt::format("layer '{}' is defined twice", s.name));
        }
        complete(s);
        Node* node = model_->add(s.spec->type, s.spec->version, s.name, std::move(s.operands),
                                 std::move(s.attributes));
        node->set_name(s.name);  // an empty name was made unique
        node->origins = std::move(s.origins);
        nodes_[s.handle] = node;
        if (!s.declared.empty() && s.declared.size() != node->output_count()) {
            fail_at(*node, fmt::format("declares {} outputs, it has {}", s.declared.size(),
                                       node->output_count()));
        }
        for (std::size_t i = 0; i < s.declared.size(); ++i) {
            OutputPort& port = node->port(i);
            const Declared& declared = s.declared[i];
            if (declared.type != port.type || declared.shape != port.shape) {
                fail_at(*node, fmt::format("output {} is declared as {}, inference gives {}", i,
                                           type_and_shape_to_text(declared.type, declared.shape),
                                           type_and_shape_to_text(port.type, port.shape)));
            }
            port.names.insert(declared.names.begin(), declared.names.end());
        }
    }

    [[noreturn]] static void fail_at(const Node& node, std::string rule) {
        throw Error(Error::Info{.stage = "text",
                                .file = {},
                                .layer_id = {},
                                .layer = node.name(),
                                .op = node.type(),
                                .rule = std::move(rule)});
    }

    TextScanner& in_;
    std::size_t depth_;
    std::shared_ptr<Model> model_;
    std::unordered_map<std::string, Node*> nodes_;
};

}  // namespace

std::shared_ptr<Model> Model::from_text(std::string_view text) {
    TextScanner scanner(text);
    auto model = Parser(scanner, 0).parse();
    if (scanner.peek() != '\0') {
        scanner.fail("expected a layer like '%name = Type(...)' but found '", scanner.peek(), "'");
    }
    return model;
}

}  // namespace fuseq
