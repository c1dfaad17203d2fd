// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir.hpp"

#include "unit/ir/small_ir.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(ReadIr, ReadsLayersNamesAndConstants) {
    const auto model = read_ir_from_memory(AddModel().text(), add_weights());
    EXPECT_EQ(model->to_text(),
              "model \"small\"\n"
              "%x = Parameter.1 : f32[1,2] \"also,in\" \"in\"\n"
              "%w = Const.1 value={0.5,-2} : f32[2]\n"
              "%add = Add.1(%x, %w) : f32[1,2] \"sum\"\n"
              "%out = Result.1(%add) : f32[1,2]\n");
    EXPECT_EQ(model->find("add")->layer_id, "2");
}

TEST(ReadIr, MapsTheFileAndKeepsItAlive) {
    const TemporaryFolder folder;
    const auto xml = folder.write("m.xml", AddModel().text());
    folder.write("m.bin", Weights().add<float>({0.5f, -2}).bytes());
    auto model = read_ir(xml);
    const Tensor value = model->find("w")->constant();
    model.reset();
    EXPECT_TRUE(value.is_read_only());
    EXPECT_EQ(to_floats(value), (std::vector<float>{0.5f, -2}));
}

}  // namespace
}  // namespace fuseq::test
