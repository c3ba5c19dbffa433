"""Compares what an imported ONNX model computes with onnxruntime: the same inputs go to both, by the model's own names.

    onnx_values.py SLUICE_CLI MODEL.onnx [DIMENSION=EXTENT ...]

The weights are those that `import --weights` writes. What comes in from parts of the model that were cut out is had from
onnxruntime. Exits with 1 where an output differs by more than 1e-4 of the largest value.
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


def run(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"sluice-cli {' '.join(map(str, words))}\n{done.stderr or done.stdout}")
    return done.stdout


def random_inputs(model, extents):
    """Normal numbers; where the model wants integers, 0 to 2, but ones for masks and truth values."""
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
        whole = np.ones(shape) if "mask" in each.name or type_ == np.bool_ else random.integers(0, 3, shape)
        inputs[each.name] = (random.standard_normal(shape) if floats else whole).astype(type_)
    return inputs


def values_of(model, inputs, wanted, folder):
    """Every value of the model that is wanted, by its name."""
    made = {name for node in model.graph.node for name in node.output}
    given = {each.name for each in model.graph.output}
    for name in wanted:
        if name in made and name not in given:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
            given.add(name)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    file = folder / "model.onnx"
    onnx.save(model, file)
    session = onnxruntime.InferenceSession(file, options)
    names = [each.name for each in session.get_outputs()]
    values = dict(zip(names, session.run(names, inputs)))
    values.update(inputs)
    return values


def value_named(values, name):
    """A value of the model, or what the program reads it as: "x as 6x4"."""
    if name in values:
        return values[name]
    base, _, shape = name.rpartition(" as ")
    return np.broadcast_to(values[base], [int(each) for each in shape.split("x")]) if values[base].size == 1 else \
        values[base].reshape([int(each) for each in shape.split("x")])


def compare(cli, file, extents, quiet=False):
    """The largest difference of an output, relative to its largest value."""
    model = onnx.load(file)
    inputs = random_inputs(model, extents)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program, weights, given, made = (folder / name for name in ("model.sluice", "w.npz", "x.npz", "y.npz"))
        dimensions = [word for name, extent in extents.items() for word in ("--dimension", f"{name}={extent}")]
        report = json.loads(run(cli, "import", file, "-o", program, "--weights", weights, "--json", *dimensions))
        # What was cut out is had from onnxruntime.
        cut = {name for each in report["coverage"]["cuts"]
               for node in model.graph.node if each["node"] in (node.name, *node.output) for name in node.output}
        unknown = {part["name"] for each in report["diagnostics"] if each["code"] == "missing-data"
                   for part in each["location"] if part["kind"] == "tensor"}
        values = values_of(model, inputs, [*sorted(cut | {name.split(" as ")[0] for name in unknown})], folder)
        np.savez(given, **{name: np.asarray(value_named(values, name), np.float32)
                           for name in (*inputs, *sorted(cut | unknown)) if is_read(program, name)})
        run(cli, "simulate", program, "--compute", "float32", "--tensors", weights, "--tensors", given,
            "--dump-npz", made)
        results = np.load(made)
        worst, compared = 0.0, 0
        for each in onnx.load(file, load_external_data=False).graph.output:
            if each.name not in results:  # an input or a constant, or made by what was cut out
                continue
            ours, theirs, compared = results[each.name], values[each.name], compared + 1
            assert ours.shape == theirs.shape, f"{each.name}: {ours.shape}, not {theirs.shape}"
            difference, largest = np.abs(ours - theirs).max(), np.abs(theirs).max()
            worst = max(worst, float(difference) / max(float(largest), 1e-30))
            if not quiet:
                print(f"{each.name}: differs by {difference:.2g} at most, largest value {largest:.3g}")
        if not compared:
            sys.exit("the program has none of the model's results")
        return worst, report["coverage"]


def is_read(program, name):
    """Whether the program has a tensor of that name from outside."""
    node = json.loads(program.read_text())["program"]["nodes"][0]
    text = node.get("parameters", node)["text"]
    for quoted, plain in re.findall(r'^ +%(?:"((?:[^"\\]|\\.)*)"|(\w+)) = (?:input|weight|table) ', text, re.MULTILINE):
        # Of equal layers one stands for all: numbers in names follow the layer's.
        pieces = re.split(r"\$\([^)]*\)", json.loads(f'"{quoted}"') if quoted else plain)
        if re.fullmatch(r"\d+".join(map(re.escape, pieces)), name):
            return True
    return False


def main(cli, file, extents):
    worst, coverage = compare(cli, file, extents)
    share = 100 * coverage["macs_understood"] / max(1, coverage["macs"])
    pieces = f"{coverage['pieces']} piece" + ("" if coverage["pieces"] == 1 else "s")
    print(f"{share:.4g} % of the MACs, {pieces}, worst difference {worst:.2g}")
    return int(not worst <= 1e-4)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], Path(sys.argv[2]),
                  {name: int(extent) for name, extent in (word.split("=") for word in sys.argv[3:])}))
