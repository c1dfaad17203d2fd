// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The model cache and exported models through the public API; good files and bad ones.
#include "cpu/cache/model_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "cpu/cache/blob.hpp"
#include "fuseq/fuseq.hpp"
#include "ir/ir.hpp"
#include "support/small_model.hpp"

namespace fuseq::cpu {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A quantized convolution and a float one.
std::string text_of(int seed, const std::string& batch = "1") {
    return "model \"cached\"\n%x = Parameter : f32[" + batch + R"(,3,16,16]
    %l = Const value={-2} : f32[]
    %h = Const value={1.984375} : f32[]
    %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
    %w = Const value=random()" +
           std::to_string(seed) + R"(,-127,127) : i8[8,3,3,3]
    %wf = Convert(%w) destination_type=f32
    %s = Const value={0.0078125} : f32[]
    %wd = Multiply(%wf, %s)
    %c = Convolution(%q, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %r = ReLU(%c)
    %v = Const value=random(9,-1,1) : f32[4,8,1,1]
    %y = Convolution(%r, %v) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %out = Result(%y))";
}

std::shared_ptr<Model> model_of(int seed) {
    return Model::from_text(text_of(seed));
}

std::vector<float> run(CompiledModel& model, std::size_t batch = 1) {
    Tensor input(ElementType::f32, Shape{batch, 3, 16, 16});
    auto values = input.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<int>(i * 37 % 256) - 128) / 64.0f;
    }
    InferRequest request = model.create_infer_request();
    request.set_input_tensor(0, input);
    request.infer();
    return to_floats(request.get_output_tensor(0));
}

std::string status(const CompiledModel& model) {
    return model.get_property("FUSEQ_CACHE").as_string();
}

bool loaded(const CompiledModel& model) {
    return model.get_property(property::kLoadedFromCache).as_bool();
}

// One compilation with a cache folder of the test's own.
class ModelCacheTest : public ::testing::Test {
protected:
    // The name of a file has the number of threads, whose default follows the affinity mask:
    // somebody may change that of a running test.
    ModelCacheTest() { core_.set_property("CPU", {{property::kInferenceNumThreads, 2}}); }

    CompiledModel compile(int seed = 5, AnyMap properties = {}) {
        properties["CACHE_DIR"] = folder();
        return core_.compile_model(model_of(seed), "CPU", properties);
    }
    std::string folder() const { return (fs::path(folder_.path("a")) / "b").string(); }
    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder())) {
            found.push_back(entry.path());
        }
        return found;
    }
    static std::string bytes_of(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    static void write(const fs::path& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    }
    // Replaces the file by one with another header and the same content.
    static void forge(const fs::path& path, const std::function<void(BlobHeader&)>& change) {
        const std::string bytes = bytes_of(path);
        Tensor tensor(ElementType::u8, Shape{bytes.size()});
        std::copy(bytes.begin(), bytes.end(), tensor.data<std::uint8_t>());
        BlobHeader header = read_blob_header(tensor);
        change(header);
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        write_blob(out, header, read_blob_content(tensor));
    }

    TemporaryFolder folder_;
    Core core_;
};

TEST_F(ModelCacheTest, TheSecondTimeIsAHitWithTheSameResult) {
    CompiledModel plain = core_.compile_model(model_of(5), "CPU");
    EXPECT_EQ(status(plain), "off");
    EXPECT_FALSE(loaded(plain));
    CompiledModel first = compile();
    EXPECT_THAT(status(first), StartsWith("miss: "));
    EXPECT_THAT(status(first), EndsWith(" is not there; stored"));
    EXPECT_FALSE(loaded(first));
    CompiledModel second = compile();
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(status(second), "hit: " + files()[0].string());
    EXPECT_TRUE(loaded(second));
    EXPECT_EQ(run(first), run(plain));
    EXPECT_EQ(run(second), run(plain));
    EXPECT_THAT(second.get_runtime_report(), HasSubstr("\"cache\": \"hit: "));
}

// Weights that a step of the device's own packs, where it finds them: in memory that is only read.
TEST_F(ModelCacheTest, WeightsOfHalfPrecisionComeFromTheFile) {
    const auto model = Model::from_text(R"(model "halves"
    %x = Parameter : f32[1,200]
    %w8 = Const value=random(3,-90,90) : i8[70,200]
    %w = Convert(%w8) destination_type=f32
    %y = MatMul(%x, %w) transpose_b=true
    %out = Result(%y))");
    const auto result = [&](const AnyMap& properties) {
        CompiledModel compiled = core_.compile_model(model, "CPU", properties);
        Tensor input(ElementType::f32, Shape{1, 200});
        std::iota(input.values<float>().begin(), input.values<float>().end(), -77.0f);
        InferRequest request = compiled.create_infer_request();
        request.set_input_tensor(0, input);
        request.infer();
        return std::pair(loaded(compiled), to_floats(request.get_output_tensor(0)));
    };
    const auto plain = result({});
    EXPECT_EQ(result({{"CACHE_DIR", folder()}}), plain);
    const auto cached = result({{"CACHE_DIR", folder()}});
    EXPECT_TRUE(cached.first);
    EXPECT_EQ(cached.second, plain.second);
}

TEST_F(ModelCacheTest, TheReportOfAHitIsThatOfAFreshModel) {
    const auto without_cache = [](std::string report) {
        const std::size_t begin = report.find("\"cache\"");
        return report.erase(begin, report.find('\n', begin) - begin);
    };
    CompiledModel first = compile();
    CompiledModel second = compile();
    ASSERT_TRUE(loaded(second));
    EXPECT_EQ(without_cache(second.get_runtime_report()),
              without_cache(first.get_runtime_report()));
}

TEST_F(ModelCacheTest, OtherModelsAndOptionsAreOtherFiles) {
    compile(5);
    EXPECT_FALSE(loaded(compile(6)));
    EXPECT_FALSE(loaded(compile(5, {{"FUSEQ_FUSION", "NO"}})));
    EXPECT_FALSE(loaded(compile(5, {{"FUSEQ_LOW_PRECISION", "NO"}})));
    EXPECT_EQ(files().size(), 4u);
    EXPECT_TRUE(loaded(compile(5)));
    EXPECT_TRUE(loaded(compile(5, {{"FUSEQ_FUSION", "NO"}})));
    // What only says how to run changes nothing.
    EXPECT_TRUE(loaded(compile(5, {{"PERF_COUNT", "YES"}})));
}

TEST_F(ModelCacheTest, DynamicModelsHaveAFileForEachSetOfShapes) {
    const AnyMap properties = {{"CACHE_DIR", folder()}};
    const auto model = Model::from_text(text_of(5, "?"));
    CompiledModel first = core_.compile_model(model, "CPU", properties);
    EXPECT_EQ(status(first), "waits for the shapes of the first inference");
    EXPECT_FALSE(loaded(first));
    EXPECT_FALSE(fs::exists(folder()));
    const std::vector<float> one = run(first);
    EXPECT_THAT(status(first), EndsWith(" is not there; stored"));
    const std::vector<float> two = run(first, 2);
    EXPECT_EQ(files().size(), 2u);
    CompiledModel second = core_.compile_model(model, "CPU", properties);
    EXPECT_EQ(run(second), one);
    EXPECT_TRUE(loaded(second));
    EXPECT_THAT(status(second), StartsWith("hit: "));
    EXPECT_EQ(run(second, 2), two);
    EXPECT_TRUE(loaded(second));
    // The file of a shape is that of the model read with this shape.
    CompiledModel fixed = core_.compile_model(model_of(5), "CPU", properties);
    EXPECT_TRUE(loaded(fixed));
    EXPECT_EQ(run(fixed), one);
}

TEST_F(ModelCacheTest, TruncatedFilesAreRejectedAndReplaced) {
    CompiledModel first = compile();
    const fs::path file = files().at(0);
    const std::string good = bytes_of(file);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{21}, good.size() / 2, good.size() - 1}) {
        write(file, good.substr(0, size));
        CompiledModel again = compile();
        EXPECT_FALSE(loaded(again)) << size;
        EXPECT_THAT(status(again), StartsWith("rejected: " + file.string() + " "));
        EXPECT_THAT(status(again), EndsWith("; stored anew"));
        EXPECT_EQ(run(again), run(first));
        EXPECT_TRUE(loaded(compile())) << size;
    }
}

TEST_F(ModelCacheTest, EveryFlippedBitIsNoticed) {
    compile();
    const fs::path file = files().at(0);
    const std::string good = bytes_of(file);
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::size_t> places(40);
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = i < 20 ? i : random() % good.size();
    }
    Tensor tensor(ElementType::u8, Shape{good.size()});
    std::copy(good.begin(), good.end(), tensor.data<std::uint8_t>());
    std::size_t noticed = 0;
    for (const std::size_t at : places) {
        std::uint8_t& byte = tensor.data<std::uint8_t>()[at];
        const std::uint8_t before = byte;
        byte ^= static_cast<std::uint8_t>(1 << (random() % 8));
        try {
            read_blob_header(tensor);
            // Only padding may change without being noticed; it is zero.
            EXPECT_EQ(before, 0) << "byte " << at;
        } catch (const Error& error) {
            EXPECT_EQ(error.info().stage, "blob");
            ++noticed;
        }
        byte = before;
    }
    EXPECT_GT(noticed, 25u);
    write(file, good.substr(0, good.size() / 2) + "x" + good.substr(good.size() / 2 + 1));
    EXPECT_FALSE(loaded(compile()));
    EXPECT_TRUE(loaded(compile()));
}

TEST_F(ModelCacheTest, FilesOfAnotherBuildIsaOrModelAreRejected) {
    CompiledModel first = compile();
    const fs::path file = files().at(0);
    const auto rejected_for = [&](const std::function<void(BlobHeader&)>& change) {
        forge(file, change);
        CompiledModel again = compile();
        EXPECT_FALSE(loaded(again));
        EXPECT_EQ(run(again), run(first));
        EXPECT_TRUE(loaded(compile()));
        return status(again);
    };
    EXPECT_THAT(rejected_for([](BlobHeader& h) { h.build = "0.0.9 abc"; }),
                HasSubstr(" was made by build '0.0.9 abc', this is '"));
    EXPECT_THAT(rejected_for([](BlobHeader& h) { h.isa = "sse41"; }),
                HasSubstr(" was made for sse41, this is "));
    EXPECT_THAT(rejected_for([](BlobHeader& h) { h.options += "x"; }),
                HasSubstr(" was made with 'FUSEQ_FUSION=YES; "));
    EXPECT_THAT(rejected_for([](BlobHeader& h) { ++h.key.first; }),
                HasSubstr(" was made of another model"));
}

TEST_F(ModelCacheTest, AFolderThatCannotBeWrittenIsNoReasonNotToRun) {
    // A file stands where the folder should be: that stops even the superuser.
    write(folder_.path("a"), "");
    CompiledModel model = compile();
    EXPECT_THAT(status(model), HasSubstr(" is not there; not stored: cannot create "));
    EXPECT_THAT(status(model), HasSubstr("Not a directory"));
    CompiledModel plain = core_.compile_model(model_of(5), "CPU");
    EXPECT_EQ(run(model), run(plain));
}

TEST_F(ModelCacheTest, ManyWritersLeaveOneGoodFile) {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            Core core;
            for (int n = 0; n < 3; ++n) {
                core.compile_model(model_of(5), "CPU",
                                   {{"CACHE_DIR", folder()}, {property::kInferenceNumThreads, 2}});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(files().size(), 1u);
    EXPECT_TRUE(loaded(compile()));
}

// Of a model in files, which is not read where the cache has it.
class CachedFilesTest : public ModelCacheTest {
protected:
    std::string model(const std::string& text) const {
        write_ir(*Model::from_text(text), folder_.path("m.xml"));
        return folder_.path("m.xml");
    }
    CompiledModel compile_file(AnyMap properties = {}) {
        properties["CACHE_DIR"] = folder();
        return core_.compile_model(folder_.path("m.xml"), "CPU", properties);
    }
};

TEST_F(CachedFilesTest, TheSecondTimeTheXmlIsNotRead) {
    const std::string path = model(text_of(5));
    CompiledModel plain = core_.compile_model(path, "CPU");
    CompiledModel first = compile_file();
    EXPECT_THAT(status(first), EndsWith(" is not there; stored"));
    CompiledModel second = compile_file();
    EXPECT_TRUE(loaded(second));
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(status(second), "hit: " + files()[0].string());
    EXPECT_EQ(run(first), run(plain));
    EXPECT_EQ(run(second), run(plain));
    EXPECT_EQ(second.input().get_any_name(), plain.input().get_any_name());
    EXPECT_EQ(second.output().get_any_name(), plain.output().get_any_name());
    EXPECT_EQ(second.output().shape(), plain.output().shape());
    EXPECT_EQ(second.get_property("NETWORK_NAME").as_string(), "cached");
    // All of it is there for who asks.
    const auto read = core_.read_model(path);
    EXPECT_EQ(compare_models(*second.model(), *read, {.layer_names = true}), "");
    InferRequest request = second.create_infer_request();
    EXPECT_EQ(request.get_tensor(read->output()).get_shape(), plain.output().shape());
    EXPECT_EQ(request.get_tensor(second.model()->input()).get_shape(), plain.input().shape());
    std::stringstream blob;
    second.export_model(blob);
    CompiledModel again = core_.import_model(blob, "CPU", {});
    EXPECT_EQ(run(again), run(plain));
    EXPECT_EQ(compare_models(*again.model(), *read, {.layer_names = true}), "");
}

TEST_F(CachedFilesTest, OtherBytesOfEitherFileAreAnotherModel) {
    const std::string path = model(text_of(5));
    compile_file();
    const std::string xml = bytes_of(path);
    const std::string bin = bytes_of(folder_.path("m.bin"));
    model(text_of(6));  // other weights
    CompiledModel other = compile_file();
    EXPECT_FALSE(loaded(other));
    EXPECT_EQ(run(other), run(*std::make_unique<CompiledModel>(compile(6))));
    write(folder_.path("m.bin"), bin);
    write(path, xml + "\n");
    EXPECT_FALSE(loaded(compile_file()));
    write(path, xml);
    EXPECT_TRUE(loaded(compile_file()));
    EXPECT_FALSE(loaded(compile_file({{"FUSEQ_FUSION", "NO"}})));
    write(path, "<net");
    EXPECT_THAT(test::message_of([&] { compile_file(); }), HasSubstr("m.xml"));
    write(path, xml);
    fs::remove(folder_.path("m.bin"));
    EXPECT_THAT(test::message_of([&] { compile_file(); }), HasSubstr("m.bin"));
}

TEST_F(CachedFilesTest, ADamagedFileIsReplaced) {
    model(text_of(5));
    CompiledModel first = compile_file();
    const std::string good = bytes_of(files().at(0));
    write(files()[0], good.substr(0, good.size() / 2) + "x" + good.substr(good.size() / 2 + 1));
    CompiledModel second = compile_file();
    EXPECT_THAT(status(second), StartsWith("rejected: "));
    EXPECT_THAT(status(second), EndsWith("; stored anew"));
    EXPECT_EQ(run(second), run(first));
    EXPECT_TRUE(loaded(compile_file()));
}

TEST_F(CachedFilesTest, WithOpenDimensionsTheShapesAreWaitedFor) {
    const std::string path = model(text_of(5, "?"));
    CompiledModel first = compile_file();
    EXPECT_EQ(status(first), "waits for the shapes of the first inference");
    const std::vector<float> two = run(first, 2);
    CompiledModel second = compile_file();
    EXPECT_EQ(run(second, 2), two);
    EXPECT_TRUE(loaded(second));
}

TEST_F(CachedFilesTest, PropertiesAreCheckedAsEver) {
    model(text_of(5));
    EXPECT_THAT(test::message_of([&] {
                    compile_file({{"FUSEQ_KEEP_FLOAT", "none"}});
                }),
                HasSubstr("there is no FakeQuantize 'none'"));
    EXPECT_THAT(test::message_of([&] { compile_file({{"NO_SUCH", 1}}); }), HasSubstr("NO_SUCH"));
}

TEST_F(ModelCacheTest, ExportedModelsRunWithoutTheModel) {
    CompiledModel model = core_.compile_model(model_of(5), "CPU");
    std::stringstream blob;
    model.export_model(blob);
    CompiledModel again = core_.import_model(blob, "CPU", {{"NUM_STREAMS", 1}});
    EXPECT_TRUE(loaded(again));
    EXPECT_EQ(run(again), run(model));
    EXPECT_EQ(again.output().get_any_name(), model.output().get_any_name());
    EXPECT_EQ(compare_models(*again.model(), *model.model(), {.layer_names = true}), "");
    std::stringstream second;
    again.export_model(second);
    EXPECT_EQ(second.str(), blob.str());
}

TEST_F(ModelCacheTest, ExportedModelsKeepTheirOpenDimensions) {
    CompiledModel model = core_.compile_model(Model::from_text(text_of(5, "1..4")), "CPU");
    std::stringstream blob;
    model.export_model(blob);
    CompiledModel again = core_.import_model(blob, "CPU", {});
    EXPECT_TRUE(loaded(again));
    EXPECT_EQ(status(again), "imported");
    EXPECT_EQ(to_string(again.input().partial_shape()), "[1..4,3,16,16]");
    EXPECT_EQ(run(again, 3), run(model, 3));
    EXPECT_EQ(run(again), run(model));
}

TEST_F(ModelCacheTest, ImportRefusesWhatItCannotUse) {
    CompiledModel model = core_.compile_model(model_of(5), "CPU");
    std::stringstream blob;
    model.export_model(blob);
    const auto message = [&](const std::string& bytes, const AnyMap& properties = {}) {
        std::stringstream in(bytes);
        try {
            core_.import_model(in, "CPU", properties);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message("hello"), "import: the compiled model was not made by this library");
    EXPECT_THAT(message(blob.str().substr(0, blob.str().size() - 64)),
                HasSubstr("import: the compiled model is truncated: has "));
    std::string flipped = blob.str();
    flipped[flipped.size() / 2] ^= 4;
    EXPECT_EQ(message(flipped), "import: the compiled model is damaged (checksum)");
    EXPECT_THAT(message(blob.str(), {{"FUSEQ_FUSION", "NO"}}),
                HasSubstr("which cannot be changed to 'FUSEQ_FUSION=NO"));
    compile();
    EXPECT_EQ(message(bytes_of(files().at(0))),
              "import: a file of a model cache is no exported model");
}

}  // namespace
}  // namespace fuseq::cpu
