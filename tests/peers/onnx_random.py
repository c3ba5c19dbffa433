"""Random ONNX graphs over the operators that the import knows, computed by us and by onnxruntime.

    onnx_random.py SLUICE_CLI [COUNT [FIRST_SEED]]

Each graph goes through `import --weights` and `simulate --compute float32`, as in onnx_values.py. Prints the seed of every graph
that differs by more than 1e-4 of its largest value or is not understood as a whole, and what it consists of; exits with 1 then.
"""

import sys
import tempfile
from pathlib import Path

from onnx_values import compare  # says so where onnxruntime is missing

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OPSET = 21


class Unfit(Exception):
    """No value has the rank that an operator wants."""


class Graph:
    """A graph in the making: values with their shapes, of which each operator reads some."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs = [], [], []
        self.shapes, self.read = {}, set()

    def number(self, low, high):
        return int(self.random.integers(low, high + 1))

    def choose(self, of):
        return of[self.number(0, len(of) - 1)]

    def input(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.shapes[name] = tuple(shape)
        return name

    def constant(self, array, integer=False):
        name = f"c{len(self.constants)}"
        array = np.asarray(array, np.int64 if integer else None)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def floats(self, *shape):
        return self.constant(self.random.standard_normal(shape).astype(np.float32) * 0.5)

    def value(self, ranks=range(1, 6)):
        """A value of one of these ranks; a late one rather than an early one."""
        fitting = [name for name, shape in self.shapes.items() if len(shape) in ranks]
        if not fitting:
            raise Unfit
        return fitting[max(self.number(0, len(fitting) - 1), self.number(0, len(fitting) - 1))]

    def add(self, op, inputs, shapes, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(len(shapes))]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"n{len(self.nodes)}", **attributes))
        self.read.update(inputs)
        for name, shape in zip(names, shapes):
            if shape is not None:
                self.shapes[name] = tuple(shape)
        return names

    def model(self):
        unread = [name for name in self.shapes if name not in self.read and not name.startswith("x")]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in unread]
        inputs = [each for each in self.inputs if each.name in self.read]
        graph = helper.make_graph(self.nodes, "random", inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def unary(g):
    x = g.value()
    op = g.choose(["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Erf", "Sin", "Cos", "HardSigmoid", "HardSwish", "LeakyRelu",
                   "Gelu", "Identity", "Softplus", "Elu"])
    attributes = {"approximate": g.choose(["none", "tanh"])} if op == "Gelu" else {}
    g.add(op, [x], [g.shapes[x]], **attributes)


def bounded(g):
    """Functions that are not for every number."""
    x = g.value()
    y, = g.add("Tanh", [x], [g.shapes[x]])
    if g.number(0, 1):
        g.add("Exp", [y], [g.shapes[x]])
    else:
        z, = g.add("Abs", [y], [g.shapes[x]])
        z, = g.add("Add", [z, g.constant(np.float32(0.5))], [g.shapes[x]])
        g.add(g.choose(["Sqrt", "Log", "Reciprocal"]), [z], [g.shapes[x]])


def clip(g):
    x = g.value()
    bounds = [g.choose(["", g.constant(np.float32(-0.4))]), g.choose(["", g.constant(np.float32(0.6))])]
    g.add("Clip", [x, *bounds], [g.shapes[x]])


def part_of(g, shape):
    """A shape that is broadcast to this one."""
    own = [extent if g.number(0, 2) else 1 for extent in shape]
    return own[g.number(0, len(own)):]


def binary(g):
    x = g.value()
    shape = g.shapes[x]
    op = g.choose(["Add", "Sub", "Mul", "Max", "Min", "Div", "Pow"])
    if op == "Pow":
        y = g.constant(np.float32(2))
        return g.add(op, [x, y], [shape])
    if op == "Div":
        y = g.constant(1 + np.abs(g.random.standard_normal(part_of(g, shape))).astype(np.float32))
        return g.add(op, [x, y], [shape])
    others = [name for name, other in g.shapes.items() if fits(other, shape)]
    y = g.choose(others) if g.number(0, 1) else g.floats(*part_of(g, shape))
    result = np.broadcast_shapes(shape, g.shapes.get(y, ()))
    g.add(op, [x, y] if g.number(0, 1) else [y, x], [result])


def fits(other, shape):
    try:
        return np.prod(np.broadcast_shapes(other, shape)) <= 4096
    except ValueError:
        return False


def where(g):
    x = g.value()
    shape = g.shapes[x]
    condition = g.constant(g.random.integers(0, 2, part_of(g, shape)).astype(bool))
    y = g.floats(*part_of(g, shape)) if g.number(0, 1) else g.constant(np.float32(-0.7))
    g.add("Where", [condition, x, y] if g.number(0, 1) else [condition, y, x], [shape])


def matmul(g):
    x = g.value(range(2, 5))
    shape = g.shapes[x]
    if g.number(0, 1):
        columns = g.number(1, 6)
        batches = shape[:-2] if g.number(0, 1) else ()
        g.add("MatMul", [x, g.floats(*batches, shape[-1], columns)], [(*shape[:-1], columns)])
    else:
        order = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
        turned, = g.add("Transpose", [x], [tuple(shape[i] for i in order)], perm=order)
        g.add("MatMul", [x, turned], [(*shape[:-1], shape[-2])])


def gemm(g):
    x = g.value([2])
    rows, depth = g.shapes[x]
    left, right, columns = g.number(0, 1), g.number(0, 1), g.number(1, 6)
    if left:
        rows, depth = depth, rows
    weight = g.floats(columns, depth) if right else g.floats(depth, columns)
    bias = [g.floats(columns)] if g.number(0, 1) else []
    g.add("Gemm", [x, weight, *bias], [(rows, columns)], transA=left, transB=right)


def rows(g):
    x = g.value()
    shape = g.shapes[x]
    if g.number(0, 1):
        g.add("Softmax", [x], [shape], axis=g.number(-len(shape), len(shape) - 1))
    else:
        bias = [g.floats(shape[-1])] if g.number(0, 1) else []
        g.add("LayerNormalization", [x, g.floats(shape[-1]), *bias], [shape], epsilon=1e-3)


def reduce(g):
    x = g.value(range(2, 6))
    shape = g.shapes[x]
    axes = sorted({g.number(0, len(shape) - 1) for _ in range(g.number(1, 2))})
    keep = g.number(0, 1) or len(axes) == len(shape)
    result = [1 if k in axes else extent for k, extent in enumerate(shape) if keep or k not in axes]
    op = g.choose(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSumSquare", "ReduceL2"])
    g.add(op, [x, g.constant(axes, True)], [result], keepdims=int(keep))


def reshape(g):
    x = g.value()
    left, result = int(np.prod(g.shapes[x])), []
    while left > 1 and len(result) < 3:
        part = g.choose([d for d in range(1, left + 1) if left % d == 0])
        result.append(part)
        left //= part
    result.append(left)
    written = list(result)
    if g.number(0, 1):
        written[g.number(0, len(written) - 1)] = -1
    g.add("Reshape", [x, g.constant(written, True)], [result])


def transpose(g):
    x = g.value(range(2, 6))
    order = [int(k) for k in g.random.permutation(len(g.shapes[x]))]
    g.add("Transpose", [x], [[g.shapes[x][k] for k in order]], perm=order)


def unit(g):
    x = g.value(range(1, 5))
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape))
    y, = g.add("Unsqueeze", [x, g.constant([axis], True)], [shape[:axis] + [1] + shape[axis:]])
    if g.number(0, 1):
        g.add("Squeeze", [y, g.constant([axis], True)], [shape])


def flatten(g):
    x = g.value()
    axis = g.number(0, len(g.shapes[x]))
    shape = g.shapes[x]
    g.add("Flatten", [x], [(int(np.prod(shape[:axis])), int(np.prod(shape[axis:])))], axis=axis)


def expand(g):
    x = g.value(range(1, 4))
    shape = [extent if extent > 1 else g.number(1, 3) for extent in g.shapes[x]]
    if g.number(0, 1):
        shape.insert(0, g.number(1, 3))
    if np.prod(shape) <= 4096:
        g.add("Expand", [x, g.constant(shape, True)], [shape])


def slice_(g):
    x = g.value()
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape) - 1)
    begin = g.number(0, shape[axis] - 1)
    end, step = g.number(begin + 1, shape[axis]), g.number(1, 3)
    shape[axis] = -(-(end - begin) // step)
    lists = [g.constant([each], True) for each in (begin, end, axis, step)]
    g.add("Slice", [x, *lists], [shape])


def split(g):
    x = g.value()
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape) - 1)
    if shape[axis] < 2:
        return
    first = g.number(1, shape[axis] - 1)
    parts = [first, shape[axis] - first]
    g.add("Split", [x, g.constant(parts, True)], [[*shape[:axis], part, *shape[axis + 1:]] for part in parts], axis=axis)


def concat(g):
    x = g.value()
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape) - 1)
    others = [name for name, other in g.shapes.items()
              if len(other) == len(shape) and all(a == b or k == axis for k, (a, b) in enumerate(zip(other, shape)))]
    y = g.choose(others)
    z = [g.floats(*shape)] if g.number(0, 1) else []
    total = shape[axis] * (1 + len(z)) + g.shapes[y][axis]
    g.add("Concat", [x, y, *z], [[*shape[:axis], total, *shape[axis + 1:]]], axis=axis)


def gather(g):
    x = g.value(range(1, 5))
    shape = g.shapes[x]
    axis = g.number(0, len(shape) - 1)
    begin = g.number(0, shape[axis] - 1)
    indices = list(range(begin, g.number(begin, shape[axis] - 1) + 1))
    if len(shape) > 1 and g.number(0, 1):
        return g.add("Gather", [x, g.constant(np.int64(begin))], [[*shape[:axis], *shape[axis + 1:]]], axis=axis)
    g.add("Gather", [x, g.constant(indices, True)], [[*shape[:axis], len(indices), *shape[axis + 1:]]], axis=axis)


def pad(g):
    x = g.value()
    shape = list(g.shapes[x])
    before, behind = ([g.number(0, 1) for _ in shape] for _ in range(2))
    number = [g.constant(np.float32(0.3))] if g.number(0, 1) else []
    result = [a + b + c for a, b, c in zip(before, shape, behind)]
    g.add("Pad", [x, g.constant(before + behind, True), *number], [result])


def image(g, rank):
    try:
        return g.value([rank + 2])
    except Unfit:
        return g.input([g.number(1, 2), g.choose([2, 3, 4]), *(g.number(4, 7) for _ in range(rank))])


def window(g):
    rank = g.choose([1, 2, 2, 2])
    x = image(g, rank)
    shape = g.shapes[x]
    size, strides, dilations = ([g.number(1, most) for _ in range(rank)] for most in (3, 2, 2))
    pads = [g.number(0, (each - 1) // 2) for each in size * 2]
    result = []
    for k in range(rank):
        room = shape[2 + k] + pads[k] + pads[rank + k] - (size[k] - 1) * dilations[k] - 1
        if room < 0:
            return
        result.append(room // strides[k] + 1)
    attributes = dict(strides=strides, dilations=dilations, pads=pads, kernel_shape=size)
    kind = g.choose(["Conv", "Conv", "MaxPool", "AveragePool"])
    if kind != "Conv":
        if kind == "AveragePool":
            attributes["count_include_pad"] = g.number(0, 1)
        g.add(kind, [x], [(*shape[:2], *result)], **attributes)
        return
    groups = g.choose([d for d in range(1, shape[1] + 1) if shape[1] % d == 0])
    channels = groups * g.number(1, 3)
    bias = [g.floats(channels)] if g.number(0, 1) else []
    g.add("Conv", [x, g.floats(channels, shape[1] // groups, *size), *bias], [(shape[0], channels, *result)],
          group=groups, **attributes)


def of_channels(g):
    x = image(g, 2)
    shape = g.shapes[x]
    if g.number(0, 1):
        g.add(g.choose(["GlobalAveragePool", "GlobalMaxPool"]), [x], [(*shape[:2], 1, 1)])
    else:
        variance = g.constant(0.5 + np.abs(g.random.standard_normal(shape[1])).astype(np.float32))
        g.add("BatchNormalization", [x, *(g.floats(shape[1]) for _ in range(3)), variance], [shape])


def quantized(g):
    """Of an input, whose numbers are the same on both sides: rounding leaves no room for errors."""
    depth, columns = g.number(2, 6), g.number(1, 5)
    x = g.input([g.number(1, 4), depth])
    # Of 7 bits: without VNNI, onnxruntime adds two products of 8 bits in 16, which overflow.
    weight = g.constant(g.random.integers(-63, 64, (depth, columns)).astype(np.int8))
    rows = g.shapes[x][0]
    if g.number(0, 1):
        scale, point = g.constant(np.float32(0.031)), g.constant(np.int8(g.number(-3, 3)))
        y, = g.add("QuantizeLinear", [x, scale, point], [None])
        y, = g.add("DequantizeLinear", [y, scale, point], [(rows, depth)])
        per_column = g.number(0, 1)
        scales = g.constant(np.full(columns, 0.02, np.float32) if per_column else np.float32(0.02))
        w, = g.add("DequantizeLinear", [weight, scales], [None], axis=1)
        g.add("MatMul", [y, w], [(rows, columns)])
    else:
        y, scale, point = g.add("DynamicQuantizeLinear", [x], [None, None, None])
        weight_point = [g.constant(np.int8(g.choose([0, 2])))] if g.number(0, 1) else []
        z, = g.add("MatMulInteger", [y, weight, point, *weight_point], [None])
        z, = g.add("Cast", [z], [None], to=TensorProto.FLOAT)
        g.add("Mul", [z, scale], [(rows, columns)])


def composed(g):
    """Operators that the import takes apart."""
    x = g.value()
    shape = g.shapes[x]
    op = g.choose(["LogSoftmax", "LpNormalization", "ReduceL1", "ReduceLogSumExp", "Celu", "Selu", "Mish", "Softsign", "PRelu", "Sum",
                   "Mean", "LayerNormalization"])
    axis = g.number(0, len(shape) - 1)
    if op == "LogSoftmax":
        return g.add(op, [x], [shape], axis=axis)
    if op == "LpNormalization":  # of numbers that do not vanish together
        y, = g.add("Add", [x, g.constant(np.float32(3))], [shape])
        return g.add(op, [y], [shape], axis=axis, p=g.number(1, 2))
    if op.startswith("Reduce"):
        keep = g.number(0, 1) or len(shape) == 1
        result = [1 if k == axis else extent for k, extent in enumerate(shape) if keep or k != axis]
        return g.add(op, [x, g.constant([axis], True)], [result], keepdims=int(keep))
    if op == "PRelu":
        return g.add(op, [x, g.floats(*part_of(g, shape))], [shape])
    if op in ("Sum", "Mean"):
        return g.add(op, [x, x, g.floats(*part_of(g, shape))], [shape])
    if op == "LayerNormalization":
        return g.add(op, [x, g.floats(*shape[axis:]), g.floats(*shape[axis:])], [shape], axis=axis, epsilon=1e-3)
    g.add(op, [x], [shape])


def of_images(g):
    x = image(g, 2)
    shape = g.shapes[x]
    kind = g.choose(["InstanceNormalization", "GroupNormalization", "DepthToSpace", "SpaceToDepth", "Resize", "Tile"])
    if kind.endswith("Normalization"):
        groups = g.choose([d for d in range(1, shape[1] + 1) if shape[1] % d == 0])
        attributes = dict(num_groups=groups) if kind.startswith("Group") else {}
        return g.add(kind, [x, g.floats(shape[1]), g.floats(shape[1])], [shape], epsilon=1e-2, **attributes)
    if kind == "Resize":
        by = [g.number(1, 3), g.number(1, 3)]
        scales = g.constant(np.asarray([1, 1, *by], np.float32))
        if g.number(0, 1):
            mode = g.choose(["linear", "cubic"])
            where = g.choose(["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"])
            sizes = [*shape[:2], g.number(1, 8), g.number(1, 8)]
            return g.add(kind, [x, "", "", g.constant(sizes, True)], [sizes], mode=mode, coordinate_transformation_mode=where)
        rule = g.choose([("asymmetric", "floor"), ("half_pixel", "round_prefer_floor")])
        return g.add(kind, [x, "", scales], [(*shape[:2], shape[2] * by[0], shape[3] * by[1])], mode="nearest",
                     coordinate_transformation_mode=rule[0], nearest_mode=rule[1])
    if kind == "Tile":
        by = [g.number(1, 3) for _ in shape]
        return g.add(kind, [x, g.constant(by, True)], [[n * times for n, times in zip(shape, by)]])
    if kind == "DepthToSpace":
        y = g.input([1, 4 * g.number(1, 2), g.number(1, 4), g.number(1, 4)])
        own = g.shapes[y]
        return g.add(kind, [y], [(own[0], own[1] // 4, 2 * own[2], 2 * own[3])], blocksize=2, mode=g.choose(["DCR", "CRD"]))
    y = g.input([1, g.number(1, 3), 2 * g.number(1, 3), 2 * g.number(1, 3)])
    own = g.shapes[y]
    g.add(kind, [y], [(own[0], 4 * own[1], own[2] // 2, own[3] // 2)], blocksize=2)


def einsum(g):
    """Random letters: of both operands and the result, of both operands alone, of one."""
    letters = dict(zip("abcdefg", (g.number(1, 4) for _ in range(7))))
    both, summed, left, right = "ab"[:g.number(0, 2)], "cd"[:g.number(0, 2)], "e"[:g.number(0, 1)], "fg"[:g.number(0, 2)]

    def mixed(text):
        return "".join(g.random.permutation(list(text))) if text else ""

    first, second, result = mixed(both + summed + left), mixed(both + summed + right), mixed(both + left + right)
    if not first or not second or not result:
        return
    x = g.input([letters[each] for each in first])
    shape = [letters[each] for each in second]
    y = g.floats(*shape) if g.number(0, 1) else g.input(shape)
    g.add("Einsum", [x, y], [[letters[each] for each in result]], equation=f"{first},{second}->{result}")


def places(g, shape, rows):
    """Numbers from -rows on, below rows: known ones, or of data."""
    if g.number(0, 1):
        return g.constant(g.random.integers(-rows, rows, shape), True)
    scores = g.input([*shape, rows])
    return g.add("ArgMax", [scores], [None], axis=-1, keepdims=0)[0]


def lookup(g):
    x = g.value(range(1, 4))
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape) - 1)
    kind = g.choose(["Gather", "GatherElements", "GatherND", "ScatterND", "ScatterElements"])
    if kind == "Gather":
        own = [g.number(1, 4) for _ in range(g.number(1, 2))]
        return g.add(kind, [x, places(g, own, shape[axis])], [[*shape[:axis], *own, *shape[axis + 1:]]], axis=axis)
    if kind == "GatherElements":
        own = [g.number(1, 4) if k == axis else extent for k, extent in enumerate(shape)]
        return g.add(kind, [x, places(g, own, shape[axis])], [own], axis=axis)
    if kind == "GatherND":
        count = g.number(1, 4)
        return g.add(kind, [x, places(g, [count, 1], shape[0])], [[count, *shape[1:]]])
    # Every place once: what comes twice has no one meaning.
    if kind == "ScatterND":
        rows = g.random.permutation(shape[0])[:g.number(1, shape[0])]
        updates = g.floats(len(rows), *shape[1:])
        return g.add(kind, [x, g.constant(rows[:, None], True), updates], [shape], reduction=g.choose(["none", "add"]))
    rows = np.argsort(g.random.random(shape), axis=axis).take(range(g.number(1, shape[axis])), axis=axis)
    g.add(kind, [x, g.constant(rows, True), g.floats(*rows.shape)], [shape], axis=axis, reduction=g.choose(["none", "add"]))


def many_found(g):
    shape = [g.number(1, 3), g.number(17, 24)]
    x, count = g.input(shape), g.number(17, shape[1])
    g.add("TopK", [x, g.constant([count], True)], [[shape[0], count], None], largest=g.number(0, 1))


def recurrent(g):
    time, batch, width, hidden = (g.number(1, 4) for _ in range(4))
    kind, both = g.choose(["LSTM", "GRU", "RNN"]), g.number(0, 1)
    rows = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind] * hidden
    inputs = [g.input([time, batch, width]), g.floats(1 + both, rows, width), g.floats(1 + both, rows, hidden), g.floats(1 + both, 2 * rows)]
    attributes = {"direction": "bidirectional" if both else g.choose(["forward", "reverse"]), "hidden_size": hidden}
    if kind == "GRU":
        attributes["linear_before_reset"] = g.number(0, 1)
    g.add(kind, inputs, [[time, 1 + both, batch, hidden], None], **attributes)


def of_space(g):
    """Operators between the elements of images, and of volumes."""
    kind = g.choose(["GridSample", "ConvTranspose", "Conv", "Pad"])
    if kind == "GridSample":
        shape, own = [g.number(1, 2), *(g.number(1, 5) for _ in range(3))], [g.number(1, 3), g.number(1, 3)]
        return g.add(kind, [g.input(shape), g.input([shape[0], *own, 2])], [[*shape[:2], *own]], align_corners=g.number(0, 1),
                     padding_mode=g.choose(["zeros", "border"]))
    if kind == "ConvTranspose":
        groups, taps = g.number(1, 2), g.number(2, 4)
        stride, pad = g.number(1, taps), g.number(0, 1)
        more = g.number(0, stride - 1)
        shape = [1, 2 * groups, g.number(2, 4), g.number(2, 4)]
        extents = [(n - 1) * stride + taps + more - 2 * pad for n in shape[2:]]
        return g.add(kind, [g.input(shape), g.floats(shape[1], 2, taps, taps), g.floats(2 * groups)], [[1, 2 * groups, *extents]],
                     group=groups, strides=[stride] * 2, pads=[pad] * 4, output_padding=[more] * 2)
    if kind == "Conv":
        shape, taps = [1, g.number(1, 3), *(g.number(3, 5) for _ in range(3))], [g.number(1, 3) for _ in range(3)]
        strides, pads = [g.number(1, 2) for _ in range(3)], [g.number(0, taps[k % 3] - 1) for k in range(6)]
        extents = [(shape[2 + k] + pads[k] + pads[3 + k] - taps[k]) // strides[k] + 1 for k in range(3)]
        return g.add(kind, [g.input(shape), g.floats(2, shape[1], *taps)], [[1, 2, *extents]], strides=strides, pads=pads)
    x = g.value()
    shape, mode = g.shapes[x], g.choose(["edge", "reflect", "wrap"])
    pads = [g.number(0, min(2, extent - 1)) for extent in (*shape, *shape)]
    result = [extent + pads[k] + pads[len(shape) + k] for k, extent in enumerate(shape)]
    g.add(kind, [x, g.constant(pads, True)], [result], mode=mode)


def backwards(g):
    x = g.value()
    shape = list(g.shapes[x])
    axis = g.number(0, len(shape) - 1)
    step = g.number(1, 2)
    shape[axis] = -(-shape[axis] // step)
    g.add("Slice", [x, *(g.constant([each], True) for each in (-1, -(2**31), axis, -step))], [shape])


OPERATORS = [unary, unary, bounded, clip, binary, binary, binary, where, matmul, matmul, gemm, rows, rows, reduce, reduce,
             reshape, reshape, transpose, transpose, unit, flatten, expand, slice_, slice_, split, concat, gather, pad,
             window, window, of_channels, quantized, composed, composed, of_images, einsum, lookup, lookup, many_found,
             recurrent, of_space, of_space, backwards]


def random_model(seed):
    graph = Graph(seed)
    graph.input([graph.number(1, 5) for _ in range(graph.number(2, 4))])
    for _ in range(graph.number(2, 9)):
        try:
            graph.choose(OPERATORS)(graph)
        except Unfit:
            continue
        if any(np.prod(shape) > 20000 for shape in graph.shapes.values()):
            break
    return graph.model()


def tells(model, inputs_seed=1):
    """Whether its values are neither huge nor no numbers, so that they can be compared."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    random = np.random.default_rng(inputs_seed)
    inputs = {each.name: random.standard_normal(each.shape).astype(np.float32) for each in session.get_inputs()}
    return all(np.isfinite(each).all() and np.abs(each).max(initial=0) < 1e4 for each in session.run(None, inputs))


def main(cli, count, first):
    onnxruntime.set_default_logger_severity(3)
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random.onnx"
        for seed in range(first, first + count):
            model = random_model(seed)
            if not model.graph.output or not model.graph.input or not tells(model):
                continue
            onnx.save(model, file)
            kinds = " ".join(node.op_type for node in model.graph.node)
            try:
                worst, coverage = compare(cli, file, {}, quiet=True)
            except (SystemExit, AssertionError, KeyError) as problem:
                print(f"seed {seed}: {str(problem)[-400:]}\n  {kinds}", flush=True)
                wrong += 1
                continue
            compared += 1
            cut = ", ".join(f"{each['operator']}: {each['why']}" for each in coverage["cuts"])
            if not worst <= 1e-4 or cut:
                print(f"seed {seed}: differs by {worst:.2g} {cut}\n  {kinds}", flush=True)
                wrong += not worst <= 1e-4
    print(f"{compared} graphs compared, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    numbers = [int(word) for word in sys.argv[2:4]]
    sys.exit(main(sys.argv[1], numbers[0] if numbers else 200, numbers[1] if len(numbers) > 1 else 1))
