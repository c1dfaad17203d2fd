// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

DeviceRun check(const std::string& shape, const std::string& attributes, unsigned seed) {
    return check_on_devices("model \"m\"\n%x = Parameter : " + shape +
                                "\n%y = RegionYolo(%x) axis=1 end_axis=3 " + attributes +
                                "\n%r = Result(%y)",
                            seed, 2e-6);
}

TEST(MakeRegionYolo, MatchesTheReference) {
    unsigned seed = 0;
    for (const char* area : {"1,1", "3,5", "13,13", "8,9"}) {
        const std::string sizes(area);
        for (const DeviceRun& run :
             {check("f32[1,75," + sizes + "]", "coords=4 classes=20 num=3", ++seed),
              check("f32[2,14," + sizes + "]", "coords=2 classes=4 num=2", ++seed),
              check("f32[2,30," + sizes + "]", "coords=4 classes=5 num=9 do_softmax=0 mask=[0,1,2]",
                    ++seed),
              check("f32[1,9," + sizes + "]", "coords=7 classes=1 num=9 do_softmax=0 mask=[4]",
                    ++seed)}) {
            EXPECT_EQ(run.step_of("y"), "region_yolo fuseq:region_yolo");
        }
    }
}

TEST(MakeRegionYolo, KnownNumbers) {
    const std::shared_ptr<const Model> model(
        Model::from_text("model \"m\"\n%x = Parameter : f32[1,7,1,1]\n%y = RegionYolo(%x) axis=1 "
                         "end_axis=3 coords=4 "
                         "classes=2 num=1\n%r = Result(%y)"));
    const Tensor x = Tensor::of<float>({1, 7, 1, 1}, {0, 1, 2, -3, -1, 5, 5});
    const Tensor y = run_on("CPU", model, {x}).outputs[0];
    EXPECT_EQ(to_string(y.get_shape()), to_string(Shape{1, 7}));
    const float want[] = {0.5f, 0.73105858f, 2, -3, 0.26894142f, 0.5f, 0.5f};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR(y.data<float>()[i], want[i], 1e-6) << i;
    }
}

}  // namespace
}  // namespace fuseq::test
