# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What stands before the parts of programs that the pages show, by page and number of the block."""

PYTHON = {
    ("docs/python.md", 2): """
class One:
    '''Takes any form of input, as a model with the inputs that the page speaks of.'''
    model = ov.Core().compile_model(ov.Model.from_text('''model "two"
        %first = Parameter : f32[2]
        %second = Parameter : f32[2]
        %scores = Add(%first, %second)
        %r = Result(%scores)'''), "CPU")
    def __call__(self, given):
        return self.model([given, given] if isinstance(given, np.ndarray) else given)
    def output(self, name):
        return self.model.output(name)
compiled, x = One(), np.ones(2, np.float32)
a = b = x
results = compiled(x)
""",
    ("docs/python.md", 3): """
compiled = One.model
images = [[x, x]] * 8
kept = {}
store = kept.__setitem__
""",
}

# Parameters of the function that the part is in.
CPP = {
    ("docs/isa_levels.md", 1): "fuseq::Core core",
    ("docs/preprocessing.md", 1): "std::shared_ptr<fuseq::Model> model",
    ("docs/state.md", 1): "fuseq::CompiledModel compiled, std::vector<fuseq::Tensor> audio",
}
