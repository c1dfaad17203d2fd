# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The samples in Python, run as their first lines say."""
import subprocess
import sys

import pytest

import fuseq as ov

from conftest import ROOT

MODELS = ROOT / "samples/models"


def run(sample, *arguments, text=""):
    return subprocess.run([sys.executable, ROOT / f"samples/python/{sample}.py", *map(str, arguments)], input=text,
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("device", ["CPU", "REFERENCE"])
def test_classify_picture_finds_what_the_array_gives(core, cnn_path, cnn_image, device):
    done = run("classify_picture", cnn_path, MODELS / "residual_cnn_picture.bmp", device)
    assert done.returncode == 0, done.stderr
    scores = core.compile_model(cnn_path, device)(cnn_image)[0][0]
    best = scores.argsort()[::-1][:3]
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [f"class {index}" for index in best]
    assert float(done.stdout.splitlines()[0].split(":")[1]) == pytest.approx(scores[best[0]], abs=0.01)


def test_classify_picture_resizes_another_size(cnn_path):
    done = run("classify_picture", cnn_path, MODELS / "shapes.bmp")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 3


def test_classify_picture_tells_what_is_wrong(cnn_path):
    done = run("classify_picture", cnn_path, cnn_path)
    assert done.returncode == 1 and "is no bmp of 24 bits" in done.stderr
    done = run("classify_picture", "none.xml", MODELS / "shapes.bmp")
    assert done.returncode == 1 and done.stderr.startswith("error: read") and "none.xml" in done.stderr


@pytest.fixture
def classifier(tmp_path):
    """Logits of two classes: the second is better where the sum of the ids that the mask keeps is above 10."""
    model = ov.Model.from_text("""model "classifier"
        %ids = Parameter : i64[1,4] "input_ids"
        %mask = Parameter : i64[1,4] "attention_mask"
        %kept = Multiply(%ids, %mask)
        %real = Convert(%kept) destination_type=f32
        %axes = Const value={1} : i64[1]
        %sum = ReduceSum(%real, %axes) keep_dims=true
        %ten = Const value={10} : f32[1,1]
        %limit = Multiply(%ten, %ten)
        %root = Sqrt(%limit)
        %logits = Concat(%root, %sum) axis=1 : f32[1,2] "logits"
        %r = Result(%logits)""")
    ov.save_model(model, tmp_path / "classifier.xml")
    return tmp_path / "classifier.xml"


def test_text_classification_keeps_the_order_of_the_lines(classifier):
    texts = "1 2 3\n9 9\n4 4 4 4\n1\n"
    done = run("text_classification", classifier, text=texts)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "1", "1", "0"]


@pytest.mark.parametrize("text, told", [("1 two", "got '1 two'"), ("1 2 3 4 5", "a text of 5 tokens, the model takes 4")])
def test_text_classification_tells_what_is_wrong(classifier, text, told):
    done = run("text_classification", classifier, text=text)
    assert done.returncode == 1 and told in done.stderr
