// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/binary_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace fuseq {
namespace {

// Attributes of many kinds, optional inputs, a body, several outputs.
const char* const kText = R"(model "binary"
    %x = Parameter : f32[2,?,8..9,8]
    %i = Parameter : i64[1]
    %w = Const value=random(5,-127,127) : i8[8,3,3,3]
    %wf = Convert(%w) destination_type=f32
    %c = Convolution(%x, %wf) strides=[1,2] dilations=[1,1] pads_begin=[1,1] pads_end=[0,1] auto_pad=explicit
    %a = Const value={1} : i64[]
    %s = Split(%c, %a) num_splits=2
    %k = Const value={3} : i64[]
    %t = TopK.3(%s:1, %k) axis=1 mode=max sort=value
    %q = ReLU(%s:0)
    %shape = ShapeOf.3(%x) output_type=i64
    %r1 = Result(%q)
    %r2 = Result(%t:1)
    %r3 = Result(%shape)
    %r4 = Result(%i))";

struct Bytes {
    std::vector<char> graph;
    Tensor data;
};

Bytes written(const Model& model) {
    ByteWriter out;
    ConstantWriter constants;
    write_model(out, model, [&](ByteWriter& to, const Tensor& t) { constants.write(to, t); });
    Bytes bytes{out.bytes(), Tensor(ElementType::u8, Shape{constants.size()})};
    std::size_t at = 0;
    for (const Tensor& tensor : constants.tensors()) {
        std::copy_n(static_cast<const char*>(tensor.data()), tensor.get_byte_size(),
                    static_cast<char*>(bytes.data.data()) + at);
        at += (tensor.get_byte_size() + 63) / 64 * 64;
    }
    return bytes;
}

std::shared_ptr<Model> read(const Bytes& bytes) {
    const ConstantReader constants(
        {static_cast<const char*>(bytes.data.data()), bytes.data.get_byte_size()},
        std::make_shared<Tensor>(bytes.data));
    ByteReader in(bytes.graph);
    std::shared_ptr<Model> model = read_model(in, constants);
    EXPECT_TRUE(in.done());
    return model;
}

TEST(BinaryForm, AModelReadsBackAsItWas) {
    const auto model = Model::from_text(kText);
    const auto again = read(written(*model));
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(again->to_text(), model->to_text());
    EXPECT_EQ(again->name(), "binary");
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(again->output_name(i), model->output_name(i));
    }
    again->validate();
    EXPECT_EQ(compare_models(*model, *again), "");
}

TEST(BinaryForm, KeepsNamesAndOrigins) {
    const auto model = Model::from_text(kText);
    Node* relu = model->find_all("ReLU").at(0);
    relu->origins = {"one", "two"};
    relu->rt_info["key"] = "value";
    relu->layer_id = "17";
    relu->port().names = {"tensor", "other"};
    const auto copy = read(written(*model));
    const Node* again = copy->find_all("ReLU").at(0);
    EXPECT_EQ(again->origins, relu->origins);
    EXPECT_EQ(again->rt_info, relu->rt_info);
    EXPECT_EQ(again->layer_id, "17");
    EXPECT_EQ(again->port().names, relu->port().names);
}

TEST(BinaryForm, SharedConstantsAreKeptOnce) {
    const auto model = std::make_shared<Model>("shared");
    const Tensor value(ElementType::f32, Shape{1000});
    Node* a = model->add_constant("a", value);
    Node* b = model->add_constant("b", value);
    Node* sum = model->add("Add", 1, "sum", {a->output(), b->output()});
    model->add_result("r", sum->output());
    // 4000 bytes, padded to 64; once more the sum, which inference has worked out.
    EXPECT_EQ(written(*model).data.get_byte_size(), 2 * 4032u);
}

TEST(BinaryForm, TheKeyChangesWithTheModel) {
    const auto key = [](const std::string& text) {
        const ModelKey found = key_of_model(*Model::from_text(text), 2);
        return std::pair(found.first, found.second);
    };
    const std::string text = kText;
    EXPECT_EQ(key(text), key(text));
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"random(5", "random(6"},
                                                          {"strides=[1,2]", "strides=[2,2]"},
                                                          {"%q = ReLU", "%p = ReLU"},
                                                          {"8..9", "8..10"},
                                                          {"mode=max", "mode=min"}}) {
        std::string changed = text;
        for (std::size_t at = 0; (at = changed.find(from, at)) != std::string::npos;
             at += to.size()) {
            changed.replace(at, from.size(), to);
        }
        if (from == "%q = ReLU") {
            changed.replace(changed.find("Result(%q)"), 10, "Result(%p)");
        }
        EXPECT_NE(key(changed), key(text)) << from;
    }
}

TEST(BinaryForm, TheKeyOfALargeModelIsTheSameForAnyNumberOfThreads) {
    const auto chain = [](std::size_t length, std::size_t changed) {
        auto model = std::make_shared<Model>("chain");
        Node* last = model->add_parameter("x", ElementType::f32, Shape{4});
        for (std::size_t i = 0; i < length; ++i) {
            last = model->add(i == changed ? "Abs" : "ReLU", 1, "n" + std::to_string(i),
                              {last->output()});
        }
        model->add_result("r", last->output());
        return model;
    };
    const auto key = [](const std::shared_ptr<Model>& model, std::size_t threads) {
        const ModelKey found = key_of_model(*model, threads);
        return std::pair(found.first, found.second);
    };
    constexpr std::size_t kLength = 700;
    const auto expected = key(chain(kLength, kLength), 1);
    for (const std::size_t threads : {2u, 3u, 8u}) {
        EXPECT_EQ(key(chain(kLength, kLength), threads), expected);
    }
    for (const std::size_t changed : {0u, 127u, 128u, 500u, 699u}) {
        EXPECT_NE(key(chain(kLength, changed), 2), expected) << changed;
    }
    EXPECT_NE(key(chain(kLength + 1, kLength + 1), 2), expected);
}

TEST(BinaryForm, ConstantsInAFileBesideStayThere) {
    const auto model = Model::from_text(kText);
    const Tensor file = model->find_all("Const").at(0)->constant();  // the weights
    ByteWriter out;
    ConstantWriter constants;
    write_model(out, *model,
                [&](ByteWriter& to, const Tensor& t) { constants.write(to, t, file); });
    Tensor pool(ElementType::u8, Shape{constants.size()});
    std::size_t at = 0;
    for (const Tensor& tensor : constants.tensors()) {
        EXPECT_NE(tensor.data(), file.data());
        std::memcpy(pool.data<std::uint8_t>() + at, tensor.data(), tensor.get_byte_size());
        at += (tensor.get_byte_size() + 63) / 64 * 64;
    }
    const std::span<const char> bytes{reinterpret_cast<const char*>(pool.data<std::uint8_t>()),
                                      pool.get_byte_size()};
    const auto read_with = [&](const Tensor& beside) {
        ByteReader in(out.bytes());
        return read_model(in, ConstantReader(bytes, std::make_shared<Tensor>(pool), beside));
    };
    const auto again = read_with(file);
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(again->find_all("Const").at(0)->constant().data(), file.data());
    EXPECT_THROW(read_with({}), Error);
    EXPECT_THROW(read_with(Tensor(ElementType::u8, Shape{8 * 3 * 3 * 3 - 1})), Error);
}

TEST(BinaryForm, PortsAreInputsAndOutputsOfTheModel) {
    const auto model = Model::from_text(kText);
    model->find_all("ReLU").at(0)->port().names = {"tensor"};
    model->parameters()[1]->port().names = {"index"};
    const auto ports = read(written(*ports_only(*model)));
    EXPECT_EQ(ports->name(), "binary");
    EXPECT_EQ(ports->node_count(), 2u + 4u + 3u);  // one Result is fed by a Parameter
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(ports->input(i).node->name(), model->input(i).node->name());
        EXPECT_EQ(ports->input(i).type(), model->input(i).type());
        EXPECT_EQ(to_string(ports->input(i).partial_shape()),
                  to_string(model->input(i).partial_shape()));
    }
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(ports->output_name(i), model->output_name(i));
        EXPECT_EQ(ports->output(i).index, model->output(i).index);
        EXPECT_EQ(ports->output(i).node->type(), model->output(i).node->type());
        EXPECT_EQ(ports->output(i).type(), model->output(i).type());
        EXPECT_EQ(to_string(ports->output(i).partial_shape()),
                  to_string(model->output(i).partial_shape()));
    }
    EXPECT_EQ(ports->output("tensor"), ports->output(0));
    EXPECT_EQ(ports->input("index"), ports->input(1));
    EXPECT_EQ(ports->output(3).node, ports->parameters()[1]);
}

// Whatever the bytes are: an Error, or some model; never a crash.
TEST(BinaryForm, DamagedBytesAreAnError) {
    const Bytes good = written(*Model::from_text(kText));
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::size_t refused = 0;
    for (std::size_t trial = 0; trial < 2000; ++trial) {
        Bytes bad = good;
        if (trial % 4 == 0) {
            bad.graph.resize(random() % good.graph.size());
        } else {
            bad.graph[random() % good.graph.size()] = static_cast<char>(random());
        }
        const ConstantReader constants(
            {static_cast<const char*>(bad.data.data()), bad.data.get_byte_size()},
            std::make_shared<Tensor>(bad.data));
        ByteReader in(bad.graph);
        try {
            read_model(in, constants);
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 600u);
}

TEST(BinaryForm, KeepsPackedConstants) {
    const auto model = Model::from_text(R"(
        %a = Const value={1,-8,7} : i4[3]
        %b = Const value=random(1) : u2[3,3]
        %c = Const value={1,0,0.4,-0.7,0.2} : nf4[5]
        %d = Const value={1,0,1} : u1[3]
        %e = Const value={9} : u4[]
        %v = Convert(%e) destination_type=u4
        %r0 = Result(%a) %r1 = Result(%b) %r2 = Result(%c) %r3 = Result(%d) %r4 = Result(%v))");
    const Bytes bytes = written(*model);
    EXPECT_EQ(compare_models(*model, *read(bytes), {.layer_names = true}), "");
    Bytes small = bytes;
    small.data = Tensor(ElementType::u8, Shape{bytes.data.get_size() - 64});
    EXPECT_THROW(read(small), Error);
}

}  // namespace
}  // namespace fuseq
