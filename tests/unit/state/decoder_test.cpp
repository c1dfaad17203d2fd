// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A small decoder with keys and values in variables, as language models are exported, held against
// the same weights on whole sequences, without variables.

#include "unit/state/state_testing.hpp"

namespace fuseq::test {
namespace {

constexpr std::size_t kTokens = 11;
constexpr std::size_t kLayers = 2;

// Attention of one layer in two heads of 4. `with_state`: keys and values of tokens before are
// variables, whose rows go along with the beams.
std::string layer_text(std::size_t number, bool with_state) {
    const std::string n = std::to_string(number);
    const std::string from = number == 0 ? "h" : "h" + n;
    std::string text;
    for (const char* what : {"q", "k", "v"}) {
        const std::string name = what + n;
        text += "%w" + name + " = Const value=random(" + std::to_string(10 * number + what[0]) +
                ",-1,1) : f32[8,8]\n%p" + name + " = MatMul(%" + from + ", %w" + name + ")\n%s" +
                name + " = Reshape(%p" + name + ", %heads) special_zero=true\n%" + name +
                " = Transpose(%s" + name + ", %swap)\n";
    }
    for (const char* what : {"k", "v"}) {
        const std::string name = what + n;
        if (with_state) {
            text += "%past_" + name + " = ReadValue.6(%nothing) variable_id=\"past." + name +
                    "\" variable_type=f32 variable_shape=[?,2,?,4]\n%beams_" + name +
                    " = Gather.8(%past_" + name + ", %beam, %zero)\n%all_" + name +
                    " = Concat(%beams_" + name + ", %" + name + ") axis=2\n%keep_" + name +
                    " = Assign.6(%all_" + name + ") variable_id=\"past." + name + "\"\n";
        }
    }
    const std::string all = with_state ? "%all_" : "%";
    return text + "%dot" + n + " = MatMul(%q" + n + ", " + all + "k" + n +
           ") transpose_b=true\n%scaled" + n + " = Multiply(%dot" + n + ", %scale)\n%masked" + n +
           " = Add(%scaled" + n + ", %mask)\n%share" + n + " = SoftMax.8(%masked" + n +
           ") axis=-1\n%mix" + n + " = MatMul(%share" + n + ", " + all + "v" + n + ")\n%back" + n +
           " = Transpose(%mix" + n + ", %swap)\n%joined" + n + " = Reshape(%back" + n +
           ", %row) special_zero=true\n%h" + std::to_string(number + 1) + " = Add(%joined" + n +
           ", %" + from + ")\n";
}

std::shared_ptr<Model> decoder(bool with_state) {
    std::string text = "model \"decoder\"\n%ids = Parameter : i64[?,?]\n";
    text += "%mask = Parameter : f32[1,1,?,?]\n";
    text += with_state ? "%beam = Parameter : i32[?]\n" : "";
    text += R"(
        %zero = Const value={0} : i64[]
        %heads = Const value={0,0,2,4} : i64[4]
        %row = Const value={0,0,8} : i64[3]
        %swap = Const value={0,2,1,3} : i64[4]
        %scale = Const value={0.5} : f32[]
        %table = Const value=random(1,-1,1) : f32[11,8]
        %h = Gather.8(%table, %ids, %zero)
    )";
    text += with_state ? R"(
        %shape = ShapeOf.3(%ids)
        %first = Const value={0} : i64[1]
        %batch = Gather.8(%shape, %first, %zero)
        %rest = Const value={2,0,4} : i64[3]
        %empty = Concat(%batch, %rest) axis=0
        %fill = Const value={0} : f32[]
        %nothing = Broadcast.3(%fill, %empty)
    )"
                       : "";
    for (std::size_t n = 0; n < kLayers; ++n) {
        text += layer_text(n, with_state);
    }
    const std::string last = "h" + std::to_string(kLayers);
    return Model::from_text(text + "%logits = MatMul(%" + last +
                            ", %table) transpose_b=true\n%out = Result(%logits)\n");
}

// New tokens see those before and themselves.
Tensor causal_mask(std::size_t before, std::size_t tokens) {
    Tensor mask(ElementType::f32, Shape{1, 1, tokens, before + tokens});
    float* value = mask.data<float>();
    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t s = 0; s < before + tokens; ++s) {
            *value++ = s <= before + t ? 0.0F : -10000.0F;
        }
    }
    return mask;
}

using Sequence = std::vector<std::int64_t>;

Tensor ids_of(const std::vector<Sequence>& rows) {
    std::vector<std::int64_t> all;
    for (const Sequence& row : rows) {
        all.insert(all.end(), row.begin(), row.end());
    }
    return Tensor::of<std::int64_t>(Shape{rows.size(), rows[0].size()}, all);
}

// Logits of the last token of each sequence.
std::vector<float> last_logits(const Tensor& logits) {
    const Shape& shape = logits.get_shape();
    const std::vector<float> all = to_floats(logits);
    std::vector<float> last;
    for (std::size_t b = 0; b < shape[0]; ++b) {
        const auto begin =
            all.begin() + static_cast<std::ptrdiff_t>(((b + 1) * shape[1] - 1) * kTokens);
        last.insert(last.end(), begin, begin + kTokens);
    }
    return last;
}

// One step: the new tokens of each sequence, which goes on from the given one of the step before.
std::vector<float> step(InferRequest& request,
                        const std::vector<Sequence>& rows,
                        std::size_t before,
                        const std::vector<std::int32_t>& beams) {
    request.set_tensor("ids", ids_of(rows));
    request.set_tensor("mask", causal_mask(before, rows[0].size()));
    request.set_tensor("beam", Tensor::of<std::int32_t>(Shape{beams.size()}, beams));
    request.infer();
    return last_logits(request.get_output_tensor());
}

class Decoder : public OnBothDevices {
protected:
    // By the model without variables, on the reference device.
    std::vector<float> of_whole(const std::vector<Sequence>& rows) {
        if (!whole_) {
            whole_ = core_.compile_model(decoder(false), "REFERENCE").create_infer_request();
        }
        whole_.set_tensor("ids", ids_of(rows));
        whole_.set_tensor("mask", causal_mask(0, rows[0].size()));
        whole_.infer();
        return last_logits(whole_.get_output_tensor());
    }

private:
    InferRequest whole_;
};

TEST_P(Decoder, GivesTokenByTokenWhatItGivesOfTheWholeText) {
    const Sequence text = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    InferRequest request = request_of(decoder(true));
    for (int round = 0; round < 2; ++round) {
        const Sequence prompt(text.begin(), text.begin() + 4);
        expect_near(step(request, {prompt}, 0, {0}), of_whole({prompt}), 1e-4F);
        for (std::size_t t = 4; t < text.size(); ++t) {
            const Sequence so_far(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(t + 1));
            expect_near(step(request, {{text[t]}}, t, {0}), of_whole({so_far}), 1e-4F);
        }
        EXPECT_EQ(request.query_state().size(), 2 * kLayers);
        EXPECT_EQ(request.query_state()[0].get_state().get_shape(), (Shape{1, 2, text.size(), 4}));
        request.reset_state();  // another text
    }
}

TEST_P(Decoder, SearchesWithBeams) {
    InferRequest request = request_of(decoder(true));
    expect_near(step(request, {{1, 2}, {3, 4}}, 0, {0, 1}), of_whole({{1, 2}, {3, 4}}), 1e-4F);
    // Both go on from the second one, then change places.
    expect_near(step(request, {{5}, {6}}, 2, {1, 1}), of_whole({{3, 4, 5}, {3, 4, 6}}), 1e-4F);
    expect_near(step(request, {{7}, {8}}, 3, {1, 0}), of_whole({{3, 4, 6, 7}, {3, 4, 5, 8}}),
                1e-4F);
    // Three from two.
    expect_near(step(request, {{0}, {1}, {2}}, 4, {0, 0, 1}),
                of_whole({{3, 4, 6, 7, 0}, {3, 4, 6, 7, 1}, {3, 4, 5, 8, 2}}), 1e-4F);
}

INSTANTIATE_TEST_SUITE_P(State, Decoder, testing::Values("CPU", "REFERENCE"));

// Values of the first step come back by set_state: two texts with the same beginning.
TEST(DecoderState, CanBeKeptAndPutBack) {
    Core core;
    InferRequest request = core.compile_model(decoder(true), "CPU").create_infer_request();
    step(request, {{1, 2, 3}}, 0, {0});
    std::vector<Tensor> kept;
    for (const VariableState& state : request.query_state()) {
        kept.push_back(state.get_state());
    }
    const std::vector<float> first = step(request, {{4}}, 3, {0});
    step(request, {{5}}, 4, {0});
    std::vector<VariableState> states = request.query_state();
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i].set_state(kept[i]);
    }
    EXPECT_EQ(step(request, {{4}}, 3, {0}), first);
}

TEST(DecoderState, GrowsWithBoundedMemory) {
    Core core;
    CompiledModel compiled = core.compile_model(decoder(true), "CPU");
    InferRequest request = compiled.create_infer_request();
    for (std::size_t t = 0; t < 100; ++t) {
        step(request, {{static_cast<std::int64_t>(t % kTokens)}}, t, {0});
    }
    EXPECT_EQ(request.query_state()[0].get_state().get_shape(), (Shape{1, 2, 100, 4}));
    EXPECT_LE(compiled.get_property("FUSEQ_CACHED_PLANS").as_int(), 64);
    EXPECT_LE(compiled.get_property("FUSEQ_CACHED_PLAN_BYTES").as_int(),
              compiled.get_property("FUSEQ_PLAN_CACHE_BYTES").as_int());
}

}  // namespace
}  // namespace fuseq::test
