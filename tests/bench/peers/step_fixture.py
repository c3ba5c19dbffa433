"""A STeP fixture (JSON, as in tests/data/step/published_graphs.tar.xz) as a graph of STeP's simulator: protobuf, and an .npy file for each array.

A fixture does not say what its streams carry; the simulator asks at every operator. So it is inferred, from the sources on."""

import json
import math
import re
import struct

from measure import shell

FUNCTIONS = {"Matmul": "matmul", "DynMatmul": "dyn_matmul", "Mul": "mul", "Div": "div", "Add": "add", "Silu": "silu", "Exp": "exp", "RowWiseSum": "row_wise_sum",
             "SetOffset": "set_offset", "RowWiseAppend": "row_wise_append", "CacheWriteAddrGen": "cache_write_addr_gen", "RetileRow": "retile_row",
             "RetileCol": "retile_col", "SignalReqAllRead": "signal_req_all_read"}
# Kinds whose field in the message Operation is not their name in small letters; more than one: as the schema has it.
FIELDS = {"UnaryMap": ["unarymap"], "BinaryMap": ["binarymap"], "BinaryMapAccum": ["binarymap_accum"], "OffChipLoad": ["off_chip_load", "linear_off_chip_load"],
          "DynOffChipLoad": ["dyn_off_chip_load", "linear_off_chip_load_ref"]}
CARRIED = {"OffChipLoad": "f32", "DynOffChipLoad": "f32", "RandomOffChipLoad": "f32", "RandomOffChipStore": "scalar_bool", "MetadataGen": "u64",
           "SelectGen": "multi_hot", "FilterLastTile": "multi_hot", "CacheReadAddrGen": "u64", "ExpertAddrGen": "u64"}


def typed(name):
    return {name: {}}


def function(op):
    fn = op["fn"]
    inside = {"weight_transposed": fn["weight_transposed"]} if "weight_transposed" in fn else {}
    return {FUNCTIONS[fn["name"]]: {"offset_per_idx": fn["row_offset"]} if "row_offset" in fn else inside}


class Graph:
    """The messages of one fixture; `folder`: where its arrays go."""

    def __init__(self, fixture, folder):
        self.folder = folder
        self.float_bytes = fixture["fb"]
        self.types = {}  # of (operator, output)
        self.waiting = {op["id"]: op for op in fixture["ops"]}
        while self.waiting:
            ready = [op for op in self.waiting.values() if self.infer(op)]
            for op in ready:
                del self.waiting[op["id"]]
            if not ready:
                raise ValueError("what the streams carry does not follow from the sources")
        self.messages = [self.message(op) for op in fixture["ops"]]

    def carried(self, source):
        return self.types.get((source[0], source[1])) or self.types.get((source[0], "all"))

    def infer(self, op):
        """Whether it is known what the operator's outputs carry; then they are among `types`."""
        kind, number = op["T"], op["id"]
        if kind == "EagerMerge":
            self.types[number, 1] = "multi_hot"
        if kind in CARRIED:
            out = CARRIED[kind]
        elif kind in ("UnaryMap", "BinaryMap", "BinaryMapAccum", "Accum"):
            name = op["fn"]["name"]
            out = "u64" if name in ("CacheWriteAddrGen", "SignalReqAllRead") else "f32"
        elif kind in ("FlatReassemble", "EagerMerge"):
            out = next(filter(None, (self.carried(source) for source in op["inps"])), None)
        else:
            out = self.carried(op["inp"])
        if out and kind == "EagerMerge":
            self.types[number, 0] = out
        elif out:
            self.types[number, "all"] = out
        return out is not None

    def out(self, op):
        return self.types.get((op["id"], 0)) or self.types[op["id"], "all"]

    def array(self, op, header):
        path = self.folder / f"data_{op['id']}.npy"
        shape = "".join(f"{extent}, " for extent in op["shape"])
        text = f"{{'descr': '{header}', 'fortran_order': False, 'shape': ({shape}), }}"
        text += " " * (-(len(text) + 11) % 64) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(op['data'])}q", *op["data"]))
        return str(path)

    def message(self, op):
        kind = re.sub(r"(?<!^)(?=[A-Z])", "_", op["T"]).lower()
        return op["id"], FIELDS.get(op["T"], [kind]), getattr(self, "of_" + kind)(op)

    def simple(self, op, **more):
        return {"input_id": op["inp"][0]} | self.stream(op, "stream_idx") | {"dtype": typed(self.carried(op["inp"]))} | more

    @staticmethod
    def stream(op, name, key="inp"):
        return {} if op[key][1] is None else {name: op[key][1]}

    @staticmethod
    def compute(op):
        more = {"compute_bw": op["bw"], "write_back_mu": op.get("wb", False)}
        if "init" in op:
            more |= {"init_func": {"zero": {}}, "tile_row": op["init"][0], "tile_col": op["init"][1], "rank": op["rank"]}
        return more

    def two(self, op):
        told = {"input_id1": op["in1"][0], "input_id2": op["in2"][0]} | self.stream(op, "stream_idx1", "in1") | self.stream(op, "stream_idx2", "in2")
        return told | {"func": function(op), "dtype_a": typed(self.carried(op["in1"])), "dtype_b": typed(self.carried(op["in2"]))} | self.compute(op)

    def one(self, op):
        told = {"input_id": op["inp"][0]} | self.stream(op, "stream_idx") | {"func": function(op), "dtype_a": typed(self.carried(op["inp"]))}
        return told | {"dtype_b": typed(self.out(op))} | self.compute(op)

    def of_unary_map(self, op):
        return self.one(op)

    def of_accum(self, op):
        return self.one(op)

    def of_binary_map(self, op):
        return self.two(op) | {"dtype_out": typed(self.out(op))}

    def of_binary_map_accum(self, op):
        return self.two(op)

    def tile(self, op, kind="dtype"):
        return {"tile_row": op["tile_row"], "tile_col": op["tile_col"], "par_dispatch": op["par"], kind: typed("f32")}

    def of_off_chip_load(self, op):
        tensor = op.get("ts", op["out"])
        stride = op.get("stride", [math.prod(op["out"][k + 1:]) for k in range(len(op["out"]))])
        return self.tile(op) | {"tensor_shape_tiled": tensor, "stride": stride, "out_shape_tiled": op["out"], "n_byte": self.float_bytes}

    def of_dyn_off_chip_load(self, op):
        told = {"ref_id": op["ref"][0], "ref_dtype": typed(self.carried(op["ref"]))} | self.stream(op, "ref_stream_idx", "ref")
        return self.of_off_chip_load(op) | told

    def of_off_chip_store(self, op):
        return {"input_id": op["inp"][0], "tensor_shape_tiled": op.get("ts", [1, 1])} | self.stream(op, "stream_idx") | self.tile(op)

    def of_random_off_chip_load(self, op):
        return self.tile(op) | {"raddr_id": op["raddr"][0], "tensor_shape_tiled": op.get("ts", [1 << 20, 1]), "n_byte": self.float_bytes} | self.stream(op, "raddr_stream_idx", "raddr")

    def of_random_off_chip_store(self, op):
        told = {"waddr_id": op["waddr"][0], "wdata_id": op["wdata"][0], "tensor_shape_tiled": op.get("ts", [1 << 20, 1]), "n_byte": self.float_bytes}
        told |= self.stream(op, "waddr_stream_idx", "waddr") | self.stream(op, "wdata_stream_idx", "wdata")
        return self.tile(op, "wdata_dtype") | told | {"ack_based_on_waddr": op["ackw"]}

    def of_metadata_gen(self, op):
        return {"npy_path": self.array(op, "<i8"), "dtype": typed("scalar_i64")}

    def of_select_gen(self, op):
        return {"npy_path": self.array(op, "<i8"), "is_multihot": True, "dtype": typed("multi_hot")}

    def of_cache_read_addr_gen(self, op):
        told = {"idx_id": op["idx"][0], "seq_len_id": op["sl"][0], "offset_per_idx": op["off"]}
        return told | self.stream(op, "idx_stream_idx", "idx") | self.stream(op, "seq_len_stream_idx", "sl")

    def of_expert_addr_gen(self, op):
        told = {"input_id": op["inp"][0], "num_tile_per_expert": op["n"], "expert_addr_base": op["base"]}
        return told | self.stream(op, "input_stream_idx") | {"dtype": typed(self.carried(op["inp"]))}

    def of_filter_last_tile(self, op):
        return {"seq_len_id": op["inp"][0]} | self.stream(op, "seq_len_stream_idx")

    def of_consumer_context(self, op):
        return self.simple(op)

    def of_broadcast(self, op):
        return self.simple(op, num_consumers=op["n"])

    def of_flatten(self, op):
        return self.simple(op, min_rank=op["mn"], max_rank=op["mx"])

    def of_repeat_static(self, op):
        return self.simple(op, repeat_factor=op["rf"])

    def of_retile_streamify(self, op):
        return self.simple(op, split_row=op["row"], filter_mask=op["mask"])

    def of_reshape(self, op):
        told = self.simple(op, split_dim=op["dim"], chunk_size=op["chunk"], write_back_mu=op["wb"], input_stream_rank=op["srank"], add_outer_dim=op["outer"])
        return told | ({"pad_func": {"zero": {}}, "tile_row": op["pad"][0], "tile_col": op["pad"][1]} if op["pad"] else {})

    def of_expand_ref(self, op):
        told = {"ref_id": op["ref"][0], "ref_dtype": typed(self.carried(op["ref"]))} | self.stream(op, "ref_stream_idx", "ref")
        return self.simple(op, expand_rank=op["rank"]) | told

    def routed(self, op, rank):
        told = {"control_id": op["ctl"][0], "control_dtype": typed(self.carried(op["ctl"])), rank: op["rank"], "switch_cycles": op["sw"]}
        return told | {"write_back_mu": op["wb"]} | self.stream(op, "control_stream_idx", "ctl")

    def of_flat_partition(self, op):
        told = {"input_id": op["inp"][0], "input_dtype": typed(self.carried(op["inp"])), "num_consumers": op["n"]} | self.stream(op, "input_stream_idx")
        return told | self.routed(op, "partition_rank")

    def of_parallelize(self, op):
        told = {"input_id": op["inp"][0], "input_dtype": typed(self.carried(op["inp"])), "num_consumers": op["n"], "parallelize_rank": op["rank"]}
        return told | {"switch_cycles": op["sw"]} | self.stream(op, "input_stream_idx")

    @staticmethod
    def merged(op):
        return {"input_id_list": [s[0] for s in op["inps"]], "input_stream_idx_list": [-1 if s[1] is None else s[1] for s in op["inps"]]}

    def of_flat_reassemble(self, op):
        return self.merged(op) | {"input_dtype": typed(self.out(op))} | self.routed(op, "reassemble_rank")

    def of_eager_merge(self, op):
        return self.merged(op) | {"dtype": typed(self.out(op)), "input_rank": op["rank"]}


def text(message):
    """A message in protobuf's text form."""
    def entry(key, value):
        if isinstance(value, dict):
            return f"{key} {{ {text(value)} }}"
        if isinstance(value, list):
            return " ".join(entry(key, each) for each in value)
        return f"{key}: {json.dumps(value)}"
    return " ".join(entry(key, value) for key, value in message.items())


def encode(fixture, schema, folder):
    """Writes graph.pb into `folder`, by the .proto files in `schema`."""
    declared = "".join(file.read_text() for file in sorted(schema.glob("*.proto")))
    operators = []
    for number, names, told in Graph(fixture, folder).messages:
        name = next(name for name in names if re.search(rf"\b{name} = ", declared))
        operators.append({"id": number, name: told})
    written = folder / "graph.txt"
    written.write_text("\n".join(text({"operators": operator}) for operator in operators))
    command = f"protoc -I {schema} --encode=step_perf_ir.ProgramGraph {schema}/graph.proto < {written} > {folder}/graph.pb"
    shell(["sh", "-c", command], "protoc --encode")
    return folder / "graph.pb"
