// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"
#include "ops/constant.hpp"
#include "ops/convert.hpp"
#include "ops/convolution.hpp"
#include "ops/fake_quantize.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
    try {
        Model::from_text(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(FromText, ReadsWhatToTextPrints) {
    const auto model = Model::from_text(R"(model "conv net"
        // Types need not be stated where they follow.
        %x = Parameter : f32[1,3,8,8] "in"
        %w = Const value=random(7) : f32[4,3,3,3]
        %c = Convolution.1(%x, %w) strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %low = Const value=fill(0) : f32[]
        %high = Const value={2.55} : f32[]
        %"q 1" = FakeQuantize(%c, %low, %high, %low, %high) levels=256 output_type=u8 : u8[1,4,4,4]
        %r = Result(%"q 1"))");
    EXPECT_EQ(model->name(), "conv net");
    EXPECT_EQ(model->find("c")->output().shape(), (Shape{1, 4, 4, 4}));
    const auto again = Model::from_text(model->to_text(1000));
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(again->to_text(1000), model->to_text(1000));
}

TEST(FromText, ReadsPortsAndMissingInputs) {
    const auto model = Model::from_text(R"(
        %x = Parameter : u8[1,1,4]
        %w = Const value={1} : i8[1,1,1]
        %c = Convolution(%x, %w, _) strides=[1] dilations=[1]
        %r = Result(%c:0))");
    EXPECT_EQ(model->find("c")->input_count(), 3u);
    EXPECT_FALSE(model->find("c")->has_input(2));
    EXPECT_THAT(model->to_text(), HasSubstr("Convolution.1(%x, %w, _)"));
}

TEST(FromText, NamesMayHaveAnyCharacters) {
    Model model("a \"quoted\" \\ name");
    Node* x = model.add_parameter("x\n%y = {:\"\\", element::f32, {2});
    x->port().names = {"a,b", "\"", "//"};
    x->origins = {"", "]"};
    model.add_result("\xc3\xa9", x->output());
    const auto again = Model::from_text(model.to_text());
    EXPECT_EQ(again->name(), model.name());
    EXPECT_EQ(again->parameters()[0]->origins, x->origins);
    EXPECT_EQ(compare_models(model, *again, {.layer_names = true}), "");
}

TEST(FromText, ErrorsNameTheLine) {
    EXPECT_EQ(refusal("\n\n%x = Unheard(%y)"), "text line 3: operation Unheard is not known");
    EXPECT_EQ(refusal("%x = ReLu(%y)"),
              "text line 1: operation ReLu is not known; did you mean 'ReLU'?");
    EXPECT_EQ(refusal("%x = If.2 "), "text line 1: operation If is not known in that version");
    EXPECT_EQ(refusal("\n%x = ReLU(%y)"),
              "text line 2: layer 'y' is not defined before it is read");
    EXPECT_EQ(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x:1)"),
              "text line 2: layer 'x' has no output 1, it has 1");
    EXPECT_EQ(refusal("%x = Parameter : f32[2]\n%x = ReLU(%x)"),
              "text line 2: layer 'x' is defined twice");
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x) alpha=2"),
                HasSubstr("text line 2: layer 'y' (ReLU): attribute 'alpha' is not known"));
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = Convert(%x)"),
                HasSubstr("attribute 'destination_type' is missing"));
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = Convert(%x) destination_type=f31"),
                HasSubstr("attribute 'destination_type': 'f31' is not a supported element type"));
    EXPECT_THAT(
        refusal(
            "%x = Parameter : f32[2]\n%y = Convert(%x) destination_type=u8 destination_type=i8"),
        HasSubstr("is given twice"));
    EXPECT_THAT(refusal("%x = Parameter"), HasSubstr("its type and shape are not given"));
    EXPECT_THAT(refusal("%x = Const value={1}"), HasSubstr("type and shape of the value"));
    EXPECT_THAT(refusal("%x = Parameter : f32"), HasSubstr("expected a shape like [1,3,?]"));
    EXPECT_THAT(refusal("%x = Parameter : f31[2]"),
                HasSubstr("'f31' is not a supported element type"));
    EXPECT_THAT(refusal("%\"x = Parameter : f32[2]"), HasSubstr("a string is not closed"));
    EXPECT_THAT(refusal("%x = Parameter : f32[2"), HasSubstr("a bracket is not closed"));
    EXPECT_THAT(refusal("hello"), HasSubstr("expected a layer like"));
    EXPECT_THAT(refusal("%x Parameter"), HasSubstr("expected '=' but found 'P'"));
    EXPECT_THAT(refusal("%x ="), HasSubstr("expected an operation but found the end of the text"));
    EXPECT_THAT(refusal("%x = Parameter !from=[a] : f32[2]"), HasSubstr("'!from' is not known"));
}

TEST(FromText, ErrorsOfInferenceNameLineAndLayer) {
    EXPECT_EQ(
        refusal("%x = Parameter : f32[2]\n%y = Parameter : i32[2]\n%z = Add(%x, %y)").substr(0, 32),
        "text line 3: layer 'z' (Add): in");
}

TEST(FromText, ChecksDeclaredTypes) {
    EXPECT_EQ(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x) : f32[3]"),
              "text line 2: layer 'y' (ReLU): output 0 is declared as f32[3], inference gives "
              "f32[2]");
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x) : f16[2]"),
                HasSubstr("declared as f16[2]"));
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x) : f32[?]"),
                HasSubstr("declared as f32[?]"));
    EXPECT_THAT(refusal("%x = Parameter : f32[2]\n%y = ReLU(%x) : f32[2], f32[2]"),
                HasSubstr("declares 2 outputs, it has 1"));
}

TEST(FromText, AHashCannotBeRead) {
    Model model;
    model.add_constant("w", Tensor::of<float>({65}, [] {
                           std::vector<float> values(65);
                           values[3] = 1;
                           return values;
                       }()));
    EXPECT_THAT(refusal(model.to_text()),
                testing::AllOf(HasSubstr("text line 2: the constant is only given by its hash #"),
                               HasSubstr("its values cannot be read back")));
}

TEST(FromText, LimitsNestingAndSizes) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
        text += "%x = If then_body={ ";
    }
    EXPECT_THAT(refusal(text), HasSubstr("subgraphs are nested more than 16 deep"));
    EXPECT_THAT(refusal("%x = Const value=fill(0) : f32[1000000,1000000]"),
                HasSubstr("is too large for the text form"));
    EXPECT_THAT(refusal("%x = Const value=fill(0) : f32[9223372036854775807,2]"),
                HasSubstr("too many elements"));
}

// A random graph of element-wise operations, convolutions and quantization.
class RandomModel {
public:
    explicit RandomModel(std::uint64_t seed) : random_(seed) {}

    std::shared_ptr<Model> make() {
        model_ = std::make_shared<Model>("random " + std::to_string(random_() % 100));
        for (std::uint64_t i = 1 + random_() % 3; i != 0; --i) {
            add_parameter();
        }
        for (std::uint64_t i = random_() % 12; i != 0; --i) {
            add_operation();
        }
        for (std::uint64_t i = 1 + random_() % 3; i != 0; --i) {
            model_->add_result(name(), any());
        }
        return model_;
    }

private:
    std::string name() {
        static const char* const kNames[] = {"a", "layer/1", "with space", "quote\"", "%", "", "7"};
        return model_->unique_name(kNames[random_() % std::size(kNames)]);
    }
    Output any() { return values_[random_() % values_.size()]; }
    Output keep(Node* node) {
        if (random_() % 4 == 0) {
            node->port().names = {"t" + std::to_string(random_() % 9), "u,\""};
        }
        if (random_() % 4 == 0) {
            node->origins = {"o", "p q"};
        }
        values_.push_back(node->output());
        return node->output();
    }
    void add_parameter() {
        const PartialShape shape =
            random_() % 2 == 0 ? PartialShape{1, 2, 4, 4} : PartialShape{Dimension(1, 3), 2, 4, 4};
        keep(model_->add_parameter(name(), element::f32, shape));
    }
    Output constant(const Shape& shape) {
        std::vector<float> values(shape_size(shape));
        for (float& value : values) {
            value = std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
        }
        return model_->add_constant(name(), Tensor::of<float>(shape, values))->output();
    }
    void add_operation() {
        switch (random_() % 5) {
            case 0: keep(model_->add("ReLU", 1, name(), {any()})); break;
            case 1: keep(model_->add("Multiply", 1, name(), {any(), constant({2, 1, 1})})); break;
            case 2: keep(model_->add("Add", 1, name(), {any(), any()})); break;
            case 3: {
                ConvolutionAttrs attrs;
                attrs.strides = {1, 1};
                attrs.dilations = {1, 1};
                attrs.auto_pad = AutoPad::kSameLower;
                keep(model_->add("Convolution", 1, name(), {any(), constant({2, 2, 1, 3})}, attrs));
                break;
            }
            default: {
                FakeQuantizeAttrs attrs;
                attrs.levels = 2 + static_cast<std::int64_t>(random_() % 255);
                keep(model_->add(
                    "FakeQuantize", 1, name(),
                    {any(), constant({}), constant({2, 1, 1}), constant({}), constant({1})},
                    attrs));
                break;
            }
        }
    }

    std::mt19937_64 random_;
    std::shared_ptr<Model> model_;
    std::vector<Output> values_;
};

TEST(FromText, RandomModelsSurvive) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto model = RandomModel(seed).make();
        const std::string text = model->to_text();
        const auto again = Model::from_text(text);
        ASSERT_EQ(compare_models(*model, *again, {.layer_names = true}), "")
            << "seed " << seed << "\n"
            << text;
        ASSERT_EQ(again->to_text(), text) << "seed " << seed;
        for (std::size_t i = 0; i < model->results().size(); ++i) {
            ASSERT_EQ(again->results()[i]->input_node(0)->origins,
                      model->results()[i]->input_node(0)->origins);
        }
    }
}

TEST(FromText, DamagedTextsAreReadOrRefused) {
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::string text = RandomModel(seed).make()->to_text();
        std::mt19937_64 random(seed);
        for (int i = 0; i < 50; ++i) {
            std::string damaged = text;
            const std::size_t at = random() % damaged.size();
            if (random() % 2 == 0) {
                damaged[at] = "%{}()[]=:,\"#01_ x"[random() % 17];
            } else {
                damaged.erase(at, 1 + random() % 9);
            }
            try {
                Model::from_text(damaged);
            } catch (const Error&) {
                ++refused;
            } catch (const std::exception& error) {
                ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << damaged;
            }
        }
    }
    EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace fuseq::test
