"""Compares what an imported ONNX model computes with onnxruntime: the same inputs and weights go to both.

    onnx_values.py SLUICE_CLI MODEL.onnx [DIMENSION=EXTENT ...]

Values that the import takes as tables from outside, as they follow from constants, are had from onnxruntime, too.
Exits with 1 where an output differs by more than 1e-4 of the largest value.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as missing:
    sys.exit(f"skipped: {missing}; pip install onnx onnxruntime numpy")

FORMS = re.compile(r" (as [0-9x]+|transposed|as it is stored)$")
DECLARED = re.compile(r'^  %("?)(.*?)\1 = (?:input|weight|table) tensor<((?:[0-9]+x)*)[a-z]\w*>', re.MULTILINE)


def run(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"sluice-cli {' '.join(map(str, words))}\n{done.stderr or done.stdout}")


def program_text(file):
    node = json.loads(file.read_text())["program"]["nodes"][0]
    return node.get("parameters", node)["text"]


def random_inputs(model, extents):
    """Normal numbers; ones where the model wants integers or truth values."""
    random = np.random.default_rng(1)
    constants = {each.name for each in model.graph.initializer}
    inputs = {}
    for each in model.graph.input:
        if each.name in constants:
            continue
        kind = each.type.tensor_type
        shape = [axis.dim_value or extents[axis.dim_param] for axis in kind.shape.dim]
        type_ = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        floats = np.issubdtype(type_, np.floating)
        inputs[each.name] = random.standard_normal(shape).astype(type_) if floats else np.ones(shape, type_)
    return inputs


def values_of(model, inputs, wanted):
    """Every value of the model that is wanted, by its name."""
    made = {name for node in model.graph.node for name in node.output}
    given = {each.name for each in model.graph.output}
    for name in wanted:
        if name in made and name not in given:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
            given.add(name)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    names = [each.name for each in session.get_outputs()]
    values = dict(zip(names, session.run(names, inputs)))
    values.update(inputs)
    values.update({each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer})
    return values


def as_declared(name, shape, values):
    """The array of a tensor of the program: of a value as it is, transposed, or in another shape."""
    array = np.asarray(values[FORMS.sub("", name)], np.float32)
    if name.endswith(" transposed"):
        array = array.T
    array = np.clip(array, -3e38, 3e38)  # masks of minus infinity
    return array.reshape(shape) if array.size == np.prod(shape) else np.broadcast_to(array, shape)


def main(cli, file, extents):
    model = onnx.load(file)
    inputs = random_inputs(model, extents)
    with tempfile.TemporaryDirectory() as folder:
        program, arrays, out = (Path(folder) / name for name in ("model.sluice", "in.npz", "out"))
        dimensions = [word for name, extent in extents.items() for word in ("--dimension", f"{name}={extent}")]
        run(cli, "import", file, "-o", program, *dimensions)
        text = program_text(program)
        tensors = [(name, [int(extent) for extent in shape.split("x") if extent])
                   for _, name, shape in DECLARED.findall(text)]
        outputs = [name.strip('% "') for name in re.search(r"return (.*)", text).group(1).split(", ")]
        values = values_of(model, inputs, [FORMS.sub("", name) for name, _ in tensors] + outputs)
        np.savez(arrays, **{name: as_declared(name, shape, values) for name, shape in tensors})
        run(cli, "simulate", program, "--compute", "float32", "--tensors", arrays, "--dump", out)
        worst = 0.0
        for name in outputs:
            ours = np.load(out / (name.replace("/", "_") + ".npy"))
            difference = np.abs(ours.reshape(values[name].shape) - values[name]).max()
            largest = np.abs(values[name]).max()
            worst = max(worst, difference / max(largest, 1e-30))
            print(f"{name}: differs by {difference:.2g} at most, largest value {largest:.3g}")
    return int(worst > 1e-4)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], Path(sys.argv[2]),
                  {name: int(extent) for name, extent in (word.split("=") for word in sys.argv[3:])}))
