// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Packed element types (u1, u2, u4, i4, nf4) in IRs, and the types that are refused by name.
#include <iostream>
#include <random>

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string const_data(const std::string& type, const std::string& shape, const std::string& size) {
    return "element_type=\"" + type + "\" shape=\"" + shape + "\" offset=\"1\" size=\"" + size +
           "\"";
}

// Const -> Result.
std::string const_net(const std::string& data, const std::string& precision) {
    return net(layer({.id = 0,
                      .name = "c",
                      .type = "Const",
                      .data = data,
                      .outputs = port(0, "", "precision=\"" + precision + "\"")}) +
                   layer({.id = 1, .name = "r", .type = "Result", .inputs = port(0, "")}),
               edge(0, 0, 1, 0));
}

// The bytes that constants lie in, from an odd address on.
Tensor some_bytes() {
    return Weights().add<std::uint8_t>({0xaa, 0x21, 0xf3, 0x84, 0x0f}).tensor();
}

Tensor constant(const std::string& type, const std::string& shape, int size) {
    IrReadOptions options;
    options.strict = true;
    const auto model = read_ir_from_memory(
        const_net(const_data(type, shape, std::to_string(size)), type == "u1" ? "BIN" : type),
        some_bytes(), options);
    return model->find("c")->constant();
}

TEST(PackedTypes, AreReadFromTheWeights) {
    EXPECT_THAT(to_ints(constant("u4", "4", 2)), ElementsAre(1, 2, 3, 15));
    EXPECT_THAT(to_ints(constant("u4", "3", 2)), ElementsAre(1, 2, 3));
    EXPECT_THAT(to_ints(constant("i4", "2,3", 3)), ElementsAre(1, 2, 3, -1, 4, -8));
    EXPECT_THAT(to_ints(constant("u2", "5", 2)), ElementsAre(1, 0, 2, 0, 3));
    EXPECT_THAT(to_ints(constant("u1", "9", 2)), ElementsAre(0, 0, 1, 0, 0, 0, 0, 1, 1));
    EXPECT_THAT(to_floats(constant("nf4", "", 1)), ElementsAre(-0.6961928009986877f));
    EXPECT_EQ(constant("u4", "0,7", 0).get_size(), 0u);
}

std::string refused_size(const std::string& type,
                         const std::string& shape,
                         const std::string& size) {
    return refusal(const_net(const_data(type, shape, size), "FP32"), some_bytes());
}

TEST(PackedTypes, OfAnotherSizeThanTheShapeAreRefused) {
    EXPECT_THAT(refused_size("u4", "3", "1"),
                HasSubstr("layer 0 'c' (Const): size 1 does not fit 3 elements of u4, shape [3]"));
    EXPECT_THAT(refused_size("u4", "3", "3"), HasSubstr("size 3 does not fit"));
    EXPECT_THAT(refused_size("i4", "4", "4"), HasSubstr("size 4 does not fit"));
    EXPECT_THAT(refused_size("u2", "5", "1"), HasSubstr("size 1 does not fit"));
    EXPECT_THAT(refused_size("u1", "9", "1"), HasSubstr("size 1 does not fit"));
    EXPECT_THAT(refused_size("nf4", "8", "8"), HasSubstr("size 8 does not fit"));
    EXPECT_THAT(refused_size("u4", "9", "5"), HasSubstr("reach beyond the weights"));
    // n * bits wraps around in 64 bits.
    EXPECT_THAT(refused_size("u4", "4611686018427387904", "0"), HasSubstr("does not fit"));
    EXPECT_THAT(refused_size("u2", "9223372036854775807", "0"), HasSubstr("does not fit"));
    EXPECT_THAT(refused_size("u4", "2305843009213693951", "1152921504606846976"),
                HasSubstr("reach beyond"));
    EXPECT_THAT(refused_size("u1", "4294967296,4294967296", "0"),
                HasSubstr("has too many elements"));
}

// Random shapes and sizes: refused, or the values are there.
TEST(PackedTypes, WithRandomSizesAreReadOrRefused) {
    const auto seed = static_cast<unsigned>(std::random_device()());
    std::cout << "seed " << seed << "\n";
    std::mt19937 random(seed);
    std::size_t read = 0;
    for (int round = 0; round < 2000; ++round) {
        const char* types[] = {"u1", "u2", "u4", "i4", "nf4"};
        const std::string type = types[random() % 5];
        const std::size_t count = random() % 40;
        const std::size_t needed = byte_size_of(*parse_element_type(type), count);
        const std::size_t size = round % 2 == 0 ? needed : random() % 12;
        const std::string text =
            const_net(const_data(type, std::to_string(count), std::to_string(size)), "");
        const bool fits = count == 0 || (size == needed && size <= 4);
        EXPECT_EQ(refusal(text, some_bytes()).empty(), fits) << text;
        read += fits ? 1 : 0;
    }
    EXPECT_GT(read, 0u);
}

TEST(PackedTypes, AreWrittenByteForByte) {
    const TemporaryFolder folder;
    // The last byte of each has bits that belong to no element.
    const std::vector<std::uint8_t> bytes = {0x21, 0xf3, 0x84, 0xef};
    std::string layers;
    std::string edges;
    const char* types[] = {"u4", "i4", "nf4", "u2", "u1"};
    const int counts[] = {7, 7, 7, 14, 30};
    for (int i = 0; i < 5; ++i) {
        const std::string n = std::to_string(i);
        layers += layer({.id = 2 * i,
                         .name = "c" + n,
                         .type = "Const",
                         .data = "element_type=\"" + std::string(types[i]) + "\" shape=\"" +
                                 std::to_string(counts[i]) + "\" offset=\"0\" size=\"4\"",
                         .outputs = port(0, "")});
        layers +=
            layer({.id = 2 * i + 1, .name = "r" + n, .type = "Result", .inputs = port(0, "")});
        edges += edge(2 * i, 0, 2 * i + 1, 0);
    }
    const auto model =
        read_ir_from_memory(net(layers, edges), Weights().add<std::uint8_t>(bytes).tensor());
    write_ir(*model, folder.file("m.xml"));
    IrReadOptions options;
    options.strict = true;
    const auto again = read_ir(folder.file("m.xml"), {}, options);
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    for (int i = 0; i < 5; ++i) {
        const Tensor value = again->find("c" + std::to_string(i))->constant();
        EXPECT_EQ(to_string(value.get_element_type()), types[i]);
        ASSERT_EQ(value.get_byte_size(), 4u);
        EXPECT_EQ(std::memcmp(value.data(), bytes.data(), 4), 0) << types[i];
    }
    EXPECT_EQ(std::filesystem::file_size(folder.file("m.bin")), 4u)
        << "equal bytes are stored once";
}

std::string parameter_net(const std::string& type) {
    return net(layer({.id = 0,
                      .name = "x",
                      .type = "Parameter",
                      .data = "shape=\"2\" element_type=\"" + type + "\"",
                      .outputs = port(0, "2")}) +
                   layer({.id = 1, .name = "r", .type = "Result", .inputs = port(0, "2")}),
               edge(0, 0, 1, 0));
}

std::string convert_net(const std::string& type) {
    AddModel model;
    model.more_layers = layer({.id = 3,
                               .name = "v",
                               .type = "Convert",
                               .data = "destination_type=\"" + type + "\"",
                               .inputs = port(0, "1,2"),
                               .outputs = port(1, "1,2")}) +
                        layer({.id = 4, .name = "s", .type = "Result", .inputs = port(0, "1,2")});
    model.more_edges = edge(2, 2, 3, 0) + edge(3, 1, 4, 0);
    return model.text();
}

std::string port_net(const std::string& precision) {
    AddModel model;
    model.add_port = port(2, "1,2", "precision=\"" + precision + "\"");
    return model.text();
}

TEST(RefusedTypes, AreNamedWhereverAnIrNamesAType) {
    const std::pair<const char*, const char*> refused[] = {
        {"f8e4m3", "8-bit floats are not supported; export without FP8 compression"},
        {"f8e5m2", "8-bit floats are not supported"},
        {"f8e8m0", "8-bit floats are not supported"},
        {"f4e2m1", "4-bit floats are not supported; export without MXFP4 compression"},
        {"u3", "elements of 3 or 6 bits are not supported"},
        {"u6", "elements of 3 or 6 bits are not supported"},
        {"string", "tensors of text are not supported"},
    };
    for (const auto& [type, reason] : refused) {
        const std::string name = std::string("'") + type + "' is not a supported element type: ";
        EXPECT_THAT(refused_size(type, "2", "2"),
                    AllOf(HasSubstr("layer 0 'c' (Const): "), HasSubstr(name), HasSubstr(reason)));
        EXPECT_THAT(refusal(parameter_net(type)), AllOf(HasSubstr("layer 0 'x' (Parameter): "),
                                                        HasSubstr(name), HasSubstr(reason)));
        EXPECT_THAT(refusal(convert_net(type), add_weights()),
                    AllOf(HasSubstr("layer 3 'v' (Convert): attribute destination_type: "),
                          HasSubstr(name), HasSubstr(reason)));
        std::string upper(type);
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        EXPECT_THAT(refusal(port_net(upper), add_weights()),
                    AllOf(HasSubstr("port 2 has precision " + upper + ", which is not supported: "),
                          HasSubstr(reason)));
    }
}

TEST(RefusedTypes, TypesOfTheRunTimeNeedAStaticOne) {
    EXPECT_THAT(
        refusal(parameter_net("dynamic")),
        HasSubstr("element_type is not given: types that are only known at run time are not "
                  "supported"));
    EXPECT_THAT(refused_size("dynamic", "2", "2"),
                HasSubstr("'dynamic' is not a supported element type: types that are only known"));
    EXPECT_THAT(refusal(convert_net("dynamic"), add_weights()),
                HasSubstr("destination_type is not given"));
    // A port that leaves its type open says nothing.
    EXPECT_EQ(refusal(port_net("dynamic"), add_weights()), "");
    EXPECT_THAT(refused_size("f7", "2", "2"), HasSubstr("'f7' is not a supported element type"));
}

TEST(PackedTypes, StandInParametersAndConverts) {
    EXPECT_EQ(read_ir_from_memory(parameter_net("i4"))->input(0).type(), element::i4);
    const auto model = read_ir_from_memory(convert_net("nf4"), add_weights());
    EXPECT_EQ(model->output(0).type(), element::nf4);
}

}  // namespace
}  // namespace fuseq::test
