// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every operation with attributes and inputs that make no sense: the model is read or refused with
// an Error.
#include <random>

#include "ops/op_spec.hpp"
#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

class RandomLayers {
public:
    explicit RandomLayers(std::uint64_t seed) : random_(seed) {}

    // One layer of the operation, its inputs and Results; the attributes are likely or wild.
    std::string make(const OpSpec& spec) {
        const std::size_t most = std::min<std::size_t>(spec.inputs.max, spec.inputs.min + 3);
        const std::size_t count = spec.inputs.min + random_() % (most - spec.inputs.min + 1);
        std::string layers;
        std::string edges;
        std::string ports;
        for (std::size_t i = 0; i < count; ++i) {
            const int id = static_cast<int>(i);
            layers += source(id);
            ports += port(id, "");
            if (random_() % 32 != 0) {
                edges += edge(id, 0, 100, id);
            }
        }
        std::string outputs;
        const int output_count = static_cast<int>(1 + random_() % 3);
        for (int i = 0; i < output_count; ++i) {
            outputs += port(200 + i, "");
            layers += layer({.id = 300 + i, .name = "r", .type = "Result", .inputs = port(0, "")});
            edges += edge(100, 200 + i, 300 + i, 0);
        }
        layers += layer({.id = 100,
                         .name = "op",
                         .type = std::string(spec.type),
                         .data = attributes(spec),
                         .inputs = ports,
                         .outputs = outputs,
                         .opset = "opset" + std::to_string(spec.version)});
        return net(layers, edges, random_() % 2 == 0 ? 10 : 11);
    }

private:
    template <std::size_t N>
    std::string one_of(const char* const (&texts)[N]) {
        return texts[random_() % N];
    }

    std::string source(int id) {
        static const char* const kShapes[] = {"",          "1",   "2",       "3",       "4",
                                              "1,4",       "2,3", "1,2,4,4", "1,2,3,3", "4,2,1,1",
                                              "2,2,1,1,1", "0",   "1,4,4,1"};
        static const char* const kOpen[] = {"?",
                                            "?,?",
                                            "1,?,4,4",
                                            "...",
                                            "1..9,2,4,?",
                                            "9223372036854775807",
                                            "3000000000,3000000000"};
        static const char* const kTypes[] = {"f32", "f32", "f32", "i64", "i64",
                                             "i32", "u8",  "i8",  "f16", "boolean"};
        const std::string type = one_of(kTypes);
        if (random_() % 3 == 0) {
            const std::string shape = random_() % 3 == 0 ? one_of(kOpen) : one_of(kShapes);
            return layer({.id = id,
                          .name = "p",
                          .type = "Parameter",
                          .data = "shape=\"" + shape + "\" element_type=\"" + type + "\"",
                          .outputs = port(0, "")});
        }
        const std::string shape = one_of(kShapes);
        const std::size_t bytes =
            size_of(*parse_element_type(type)) * shape_size(PartialShape::parse(shape).to_shape());
        const std::size_t offset = 8 * (random_() % 32);
        return layer({.id = id,
                      .name = "c",
                      .type = "Const",
                      .data = "element_type=\"" + type + "\" shape=\"" + shape + "\" offset=\"" +
                              std::to_string(offset) + "\" size=\"" + std::to_string(bytes) + "\"",
                      .outputs = port(0, "")});
    }

    std::string attributes(const OpSpec& spec) {
        const auto fresh = spec.make_attributes();
        std::string text;
        for (const NamedAttribute& item : list_attributes(*fresh)) {
            if (!item.internal && (item.required || random_() % 2 == 0)) {
                text += " " + item.name + "=\"" + value(item.ref) + "\"";
            }
        }
        return text;
    }

    std::string value(const AttributeRef& ref) {
        static const char* const kInts[] = {"0",
                                            "1",
                                            "2",
                                            "3",
                                            "-1",
                                            "-2",
                                            "7",
                                            "65536",
                                            "4000000000",
                                            "9223372036854775807",
                                            "-9223372036854775808"};
        static const char* const kReals[] = {"0", "1", "0.5", "-1", "1e-6", "1e30", "nan", "inf"};
        static const char* const kTypes[] = {"f32", "i64", "i32", "u8", "f16", "boolean"};
        static const char* const kLists[] = {"",
                                             "1,1",
                                             "2,2",
                                             "0,0",
                                             "1",
                                             "-1,0",
                                             "3,3",
                                             "1,1,1",
                                             "0,1,2",
                                             "9999999999,1",
                                             "9223372036854775807,9223372036854775807"};
        if (const auto* choice = std::get_if<EnumRef>(&ref)) {
            return choice->names[random_() % choice->names.size()];
        }
        if (std::holds_alternative<bool*>(ref)) {
            return random_() % 2 == 0 ? "true" : "false";
        }
        if (std::holds_alternative<float*>(ref)) {
            return one_of(kReals);
        }
        if (std::holds_alternative<std::vector<float>*>(ref)) {
            return one_of(kReals) + "," + one_of(kReals);
        }
        if (std::holds_alternative<ElementType*>(ref)) {
            return one_of(kTypes);
        }
        if (std::holds_alternative<std::int64_t*>(ref)) {
            return one_of(kInts);
        }
        return one_of(kLists);
    }

    std::mt19937_64 random_;
};

// Small numbers, so that some of them make sense as shapes, axes and indices.
Tensor small_numbers(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> values(256);
    for (auto& value : values) {
        value = static_cast<std::int64_t>(random() % 6) - 1;
    }
    return Weights().add(values).tensor();
}

TEST(RandomLayers, AreReadOrRefused) {
    const Tensor weights = small_numbers(5);
    std::size_t read = 0;
    for (const OpSpec* spec : all_ops()) {
        if (spec->internal) {
            continue;
        }
        constexpr std::uint64_t kSeeds = 150;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            const std::string xml = RandomLayers(seed).make(*spec);
            try {
                read_ir_from_memory(xml, weights);
                ++read;
            } catch (const Error& error) {
                EXPECT_EQ(error.info().stage, "read") << error.what();
            } catch (const std::exception& error) {
                ADD_FAILURE() << spec->type << " seed " << seed << ": " << error.what() << "\n"
                              << xml;
            }
        }
    }
    EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace fuseq::test
