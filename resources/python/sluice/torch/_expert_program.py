"""The streaming program of a mixture of experts: the workload "moe", with what the experts have beyond three weights."""

from .._program import Program, workload


def _tile(features):
    """Columns of a weight tile: the largest divisor up to 64."""
    return max(each for each in range(1, min(64, features) + 1) if features % each == 0)


class _Body:
    """The body of the region of experts, to which nodes and streams are added."""

    def __init__(self, region):
        self.nodes, self.streams = region["program"]["nodes"], region["program"]["streams"]

    def load(self, name, tensor, width, shape, origin):
        """A row of a tensor for each tile of tokens."""
        parameters = {
            "out_shape": [1, 1], "stride": [1, 1], "tile": [1, width], "tensor": tensor, "tensor_shape": shape, "tensor_origin": origin,
        }  # fmt: skip
        self.nodes.append({"name": f"{name}_load", "kind": "LinearOffChipLoadRef", "parameters": parameters})
        self.nodes.append({"name": f"{name}_tiles", "kind": "Flatten", "parameters": {"min": 0, "max": 2}})
        self.streams += [{"from": "region.x", "to": f"{name}_load.ref"}, {"from": f"{name}_load.out", "to": f"{name}_tiles.in"}]
        return f"{name}_tiles.out"

    def combined(self, name, function, tile, other):
        self.nodes.append({"name": name, "kind": "BinaryMap", "parameters": {"compute_bw": "compute", "function": function}})
        self.streams += [{"from": tile, "to": f"{name}.in1"}, {"from": other, "to": f"{name}.in2"}]
        return f"{name}.out"

    def behind(self, tile, make):
        """What `make` gives of a tile goes wherever the tile went."""
        readers = [each for each in self.streams if each["from"] == tile]
        made = make(tile)
        for each in readers:
            each["from"] = made


def _add_biases(body):
    for name, width in {"up": "F", "gate": "F", "down": "D"}.items():
        bias = body.load(f"{name}_bias", f"b_{name}", width, ["E", width], ["e", 0])
        body.behind(f"{name}.out", lambda tile, name=name, bias=bias: body.combined(f"{name}_biased", "add", tile, bias))


def _clamp(body):
    """min(g, limit) * sigmoid(alpha * min(g, limit)) * (1 + clamp(u)), times alpha: gate and up come with the other sign."""
    low, scale, turn, one = (body.load(each, f"swiglu_{each}", 1, ["E", 1], ["e", 0]) for each in ("low", "scale", "turn", "one"))

    def gate(tile):
        return body.combined("gate_scaled", "multiply", body.combined("gate_clamped", "max", tile, low), scale)

    def up(tile):
        upper = body.combined("up_turned", "multiply", body.combined("up_clamped", "max", tile, low), turn)
        return body.combined("up_shifted", "add", body.combined("up_limited", "max", upper, low), one)

    body.behind("gate_biased.out", gate)
    body.behind("up_biased.out", up)


def expert_program(sizes, biases, clamped):
    """With sizes B, D, E, F and K. Weights are w_gate, w_up and w_down, biases b_gate, b_up and b_down; numbers of a clamped SwiGLU, for
    each expert, swiglu_low, swiglu_scale, swiglu_turn and swiglu_one."""
    program = workload("moe", "", **sizes, f=_tile(sizes["F"]))
    data = program.data
    tensors = {"x_load": ("x", ["B", "D"]), "weight_load": ("routing_weights", ["B", "K"]), "store": ("y", ["B", "D"])}
    for node in data["program"]["nodes"]:
        if node["name"] in tensors:
            name, shape = tensors[node["name"]]
            node["parameters"].update(tensor=name, tensor_shape=shape)
    body = _Body(next(each for each in data["program"]["nodes"] if each["name"] == "expert"))
    if biases:
        _add_biases(body)
    if clamped:
        _clamp(body)
    return Program(program.edited(data)._document, ".", "")
