# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""quantize() and Quantizer."""
import numpy as np
import pytest

import fuseq as ov

RNG = np.random.default_rng(7)
WEIGHTS = RNG.standard_normal((8, 4, 3, 3)).astype(np.float32)


@pytest.fixture
def model():
    values = ",".join(f"{value:.9g}" for value in WEIGHTS.ravel())
    return ov.Model.from_text(f"""model "float"
        %x = Parameter : f32[1,4,8,8] "x"
        %w = Const value={{{values}}} : f32[8,4,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %y = ReLU(%c) : f32[1,8,8,8] "y"
        %r = Result(%y)""")


@pytest.fixture
def images():
    return [RNG.standard_normal((1, 4, 8, 8)).astype(np.float32) for _ in range(6)]


def test_the_int8_model_is_near_the_float_one(core, model, images):
    steps = []
    result = ov.quantize(model, images, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(i + 1, 6) for i in range(6)]
    assert [layer.quantized for layer in result.layers if layer.kind == "Convolution"] == [True]
    expected = core.compile_model(model)(images[0])["y"]
    got = core.compile_model(result.model)(images[0])["y"]
    assert np.abs(got - expected).max() < 0.05 * np.abs(expected).max()
    assert np.abs(got - expected).max() > 0


def test_data_comes_in_every_form(model, images):
    def text(data, **options):
        return ov.quantize(model, data, **options).model.to_text()

    expected = text(images)
    assert text([[image] for image in images]) == expected
    assert text({"x": image} for image in images) == expected
    assert text([{0: image} for image in images]) == expected
    assert text(np.stack(images)) == expected
    assert text(images + [1000 * images[0]], subset_size=6) == expected
    assert text(images, schema="symmetric") != expected


def test_a_bound_on_the_loss_is_kept(model, images):
    result = ov.quantize(model, images, max_drop=("SQNR", 5))
    assert result.drop >= 5
    assert result.ranking and all(damage.layer for damage in result.ranking)
    ratios = [damage.sqnr for damage in result.ranking]
    assert ratios == sorted(ratios)
    for step in result.steps:
        assert step.name and step.kept == (step.after > step.before) or not step.kept
        assert bool(step.reason) != step.kept
    with pytest.raises(ov.Error, match="no metric .loudness., only SQNR"):
        ov.quantize(model, images, max_drop=("loudness", 5))
    with pytest.raises(TypeError, match="max_drop: 5 is of a wrong type"):
        ov.quantize(model, images, max_drop=5)


def test_the_result_is_saved(core, model, images, tmp_path):
    result = ov.quantize(model, images)
    result.save(tmp_path / "int8.xml")
    assert any(op.get_type_name() == "FakeQuantize"
               for op in core.read_model(tmp_path / "int8.xml").get_ops())


def test_profiles_are_kept(model, images, tmp_path):
    quantizer = ov.Quantizer(model)
    quantizer.profile(images)
    quantizer.save_profile(str(tmp_path / "profile.yaml"))
    other = ov.Quantizer(model)
    other.load_profile(str(tmp_path / "profile.yaml"))
    assert other.profiled_inputs == 6
    assert other.quantize().model.to_text() == quantizer.quantize().model.to_text()


def test_wrong_options_and_data_say_what_is_needed(model, images):
    with pytest.raises(TypeError, match="no keyword 'schem'; did you mean 'schema'"):
        ov.quantize(model, images, schem="symmetric")
    with pytest.raises(ov.Error, match="symmetric_with_uint8"):
        ov.quantize(model, images, schema="round")
    with pytest.raises(TypeError, match="percentile: 'high' is of a wrong type"):
        ov.quantize(model, images, percentile="high")
    with pytest.raises(ov.Error, match=r"input 'x': got float32 \[4,8,8\].*needed f32 \[1,4,8,8\]"):
        ov.quantize(model, [images[0][0]])
    with pytest.raises(ov.Error, match="nothing for input 'x'"):
        ov.quantize(model, [[]])
    with pytest.raises(ov.Error, match="more arrays than the model has inputs"):
        ov.quantize(model, [[images[0], images[0]]])
    with pytest.raises(ov.Error, match="no calibration data"):
        ov.quantize(model, [])
    with pytest.raises(ov.Error, match="stopped after 2 inputs"):
        ov.quantize(model, images, streams=1, progress=lambda done, total: done < 2)


def test_what_the_data_raises_is_raised(model):
    class Data:
        def __len__(self):
            return 3

        def __getitem__(self, index):
            raise KeyError("no such picture")

    with pytest.raises(KeyError, match="no such picture"):
        ov.quantize(model, Data())
