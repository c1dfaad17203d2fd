// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables of 8 and 4 bits: the CPU device, which keeps them, against the reference device,
// which does what the model says.
#include <gmock/gmock.h>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kStep = "embedding fuseq:row_table";
constexpr double kTolerance = 2e-3;  // sums of some ten values up to 300

// Row r of 50 has the scale s and the offset o.
std::string table_text(const std::string& type, const std::string& width) {
    return "model \"m\"\n%q = Const value=random(1,0,7) : " + type + "[50," + width +
           "]\n%c = Convert(%q) destination_type=f32\n"
           "%s = Const value=random(2,-1,1) : f32[50,1]\n%m = Multiply(%c, %s)\n"
           "%o = Const value=random(3,-9,9) : f32[50,1]\n%t = Add(%m, %o)\n";
}

void expect_same(const DeviceRun& got, const DeviceRun& want) {
    EXPECT_EQ(got.step_of("y"), kStep);
    ASSERT_EQ(got.outputs[0].get_shape(), want.outputs[0].get_shape());
    for (std::size_t i = 0; i < got.outputs[0].get_size(); ++i) {
        EXPECT_NEAR(got.outputs[0].data<float>()[i], want.outputs[0].data<float>()[i], kTolerance);
    }
}

// Integers in [0, count).
Tensor random_integers(ElementType type, const Shape& shape, unsigned count, std::mt19937& random) {
    Tensor values(ElementType::f32, shape);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        values.data<float>()[i] = static_cast<float>(random() % count);
    }
    return values.to(type);
}

TEST(MakeCompressedEmbedding, TakesEveryOperationAndType) {
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    for (const std::string type : {"u8", "i8", "u4", "i4"}) {
        for (const std::string index : {"i32", "i64"}) {
            const ElementType index_type = index == "i32" ? ElementType::i32 : ElementType::i64;
            const std::vector<Tensor> inputs{
                random_integers(index_type, {40}, 50, random),
                random_integers(index_type, {8, 5}, 50, random),
                Tensor::of<float>({4}, {0, 3, 3, 20}).to(index_type),  // the second bag is empty
                random_integers(index_type, {40}, 5, random),          // and the last of these
                random_tensor(ElementType::f32, {40}, random)};
            for (const std::string reader :
                 {"EmbeddingBagOffsetsSum.3(%t, %i, %b, %e, %x)",
                  "EmbeddingBagOffsets.15(%t, %i, %b) reduction=mean",
                  "EmbeddingBagPackedSum.3(%t, %p)", "EmbeddingBagPacked.15(%t, %p) reduction=mean",
                  "EmbeddingSegmentsSum.3(%t, %i, %g, %n, %e, %x)",
                  "EmbeddingSegmentsSum.3(%t, %i, %g, %n)"}) {
                const std::string text =
                    table_text(type, type == "u8" ? "130" : "37") + "%i = Parameter : " + index +
                    "[40]\n%p = Parameter : " + index + "[8,5]\n%b = Parameter : " + index +
                    "[4]\n%g = Parameter : " + index + "[40]\n%x = Parameter : f32[40]\n" +
                    "%n = Const value={6} : " + index + "[]\n%e = Const value={7} : " + index +
                    "[]\n%y = " + reader + "\n%r = Result(%y)";
                SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
                const std::shared_ptr<const Model> model(Model::from_text(text));
                expect_same(run_on("CPU", model, inputs), run_on("REFERENCE", model, inputs));
            }
        }
    }
}

TEST(MakeCompressedEmbedding, GathersRowsAndZeros) {
    const std::shared_ptr<const Model> model(
        Model::from_text(table_text("u4", "64") +
                         "%i = Parameter : i64[2,3]\n%a = Const value={0} : i64[]\n"
                         "%y = Gather.8(%t, %i, %a)\n%r = Result(%y)"));
    const Tensor indices = Tensor::of<std::int64_t>({2, 3}, {0, 49, -1, -50, 50, -51});
    const DeviceRun got = run_on("CPU", model, {indices});
    const DeviceRun want = run_on("REFERENCE", model, {indices});
    expect_same(got, want);
}

// Plans of several shapes share the tables: two over the same codes whose rows mean something else
// must not be taken for each other.
TEST(MakeCompressedEmbedding, ServesAnyNumberOfIndices) {
    const std::shared_ptr<const Model> model(Model::from_text(
        table_text("u8", "20") +
        "%s2 = Const value=random(4,1,2) : f32[50,1]\n%m2 = Multiply(%c, %s2)\n%t2 = Add(%m2, %o)\n"
        "%i = Parameter : i64[?,3]\n%y = EmbeddingBagPackedSum.3(%t, %i)\n"
        "%y2 = EmbeddingBagPackedSum.3(%t2, %i)\n%r = Result(%y)\n%r2 = Result(%y2)"));
    CompiledModel cpu = Core().compile_model(model, "CPU");
    CompiledModel reference = Core().compile_model(model, "REFERENCE");
    InferRequest got = cpu.create_infer_request();
    InferRequest want = reference.create_infer_request();
    std::mt19937 random(7);
    for (const std::size_t bags : {2, 5, 2, 9}) {
        const Tensor indices = random_integers(ElementType::i64, {bags, 3}, 50, random);
        for (InferRequest* request : {&got, &want}) {
            request->set_input_tensor(0, indices);
            request->infer();
        }
        for (const std::size_t output : {0, 1}) {
            const Tensor a = got.get_output_tensor(output);
            const Tensor b = want.get_output_tensor(output);
            ASSERT_EQ(a.get_shape(), b.get_shape());
            for (std::size_t i = 0; i < a.get_size(); ++i) {
                EXPECT_NEAR(a.data<float>()[i], b.data<float>()[i], kTolerance) << bags << output;
            }
        }
    }
}

TEST(MakeCompressedEmbedding, RefusesIndicesOutsideOfTheTable) {
    const auto error = [](const std::string& reader, const std::vector<std::int64_t>& first,
                          const std::vector<std::int64_t>& second) -> std::string {
        const std::shared_ptr<const Model> model(
            Model::from_text(table_text("u8", "16") +
                             "%i = Parameter : i64[3]\n%b = Parameter : i64[3]\n"
                             "%n = Const value={2} : i64[]\n%y = " +
                             reader + "\n%r = Result(%y)"));
        try {
            run_on("CPU", model,
                   {Tensor::of<std::int64_t>({3}, first), Tensor::of<std::int64_t>({3}, second)});
        } catch (const Error& e) {
            return e.what();
        }
        return "no error";
    };
    const std::string offsets = "EmbeddingBagOffsetsSum.3(%t, %i, %b)";
    EXPECT_THAT(error(offsets, {0, 50, 1}, {0, 1, 2}),
                HasSubstr("an index is 50, but the table has 50 rows"));
    EXPECT_THAT(error(offsets, {0, -1, 1}, {0, 1, 2}), HasSubstr("an index is -1"));
    EXPECT_THAT(error(offsets, {0, 1, 2}, {0, 4, 2}), HasSubstr("offsets has the value 4"));
    EXPECT_THAT(error("EmbeddingSegmentsSum.3(%t, %i, %b, %n)", {0, 1, 2}, {0, 1, 2}),
                HasSubstr("segment_ids has the value 2, expected one in [0, 2)"));
}

}  // namespace
}  // namespace fuseq::test
