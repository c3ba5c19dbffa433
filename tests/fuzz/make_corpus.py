#!/usr/bin/env python3
"""Writes the binary seeds of the corpus: STeP and ONNX messages field by field, NumPy arrays, a result store.

    ./make_corpus.py SLUICE_CLI     # from this folder; the seeds in text are written by hand
"""
import io
import pathlib
import sqlite3
import struct
import subprocess
import sys
import zipfile

here = pathlib.Path(__file__).parent / "corpus"


def write(door, name, content):
    (here / door).mkdir(parents=True, exist_ok=True)
    (here / door / name).write_bytes(content)


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def num(field, n):
    return varint(field << 3) + varint(n)


def sub(field, *parts):
    content = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return sub(field, *(varint(v) for v in values))


f16 = sub(1)


def operation(name, number, field, *body):
    return sub(2, sub(1, name), num(2, number), sub(field, *body))


def load(name, number, shape, stride, out):
    return operation(name, number, 12, packed(1, shape), packed(2, stride), packed(3, out), num(5, 16), num(6, 16),
                     num(7, 2), sub(8, f16), num(9, 1))


def store(name, number, source):
    return operation(name, number, 13, num(1, source), packed(3, [2, 2]), num(5, 16), num(6, 16), sub(7, f16), num(8, 1))


silu = operation("UnaryMap", 2, 11, num(1, 1), sub(3, sub(3)), num(4, 64), sub(6, f16), sub(7, f16))
write("step_protobuf", "silu.pb",
      sub(1, "g") + load("OffChipLoad", 1, [2, 2], [2, 1], [2, 2]) + silu + store("OffChipStore", 3, 2))
product = operation("BinaryMapAccum", 3, 19, num(1, 1), num(3, 2), sub(5, sub(1)), sub(6, sub(1)), num(7, 16), num(8, 16),
                    num(9, 1), num(10, 256), sub(12, f16), sub(13, f16))
write("step_protobuf", "product.pb",
      load("OffChipLoad", 1, [2, 2], [2, 1], [2, 2]) + load("OffChipLoad", 2, [2, 2], [2, 1], [2, 2]) + product +
      store("OffChipStore", 4, 3))


def declared(name, shape):
    extents = [sub(1, num(1, n)) if n >= 0 else sub(1, sub(2, "seq")) for n in shape]
    return sub(1, name) + sub(2, sub(1, num(1, 1), sub(2, *extents)))


def weight(name, shape):
    return sub(5, packed(1, shape), num(2, 1), sub(8, name), sub(9, b"w" * 16))


def node(op, inputs, output, *attributes):
    return sub(1, *(sub(1, i) for i in inputs), sub(2, output), sub(3, output), sub(4, op), *attributes)


def model(*graph):
    return num(1, 8) + sub(2, "corpus") + sub(7, sub(2, "block"), *graph) + sub(8, num(2, 17))


write("onnx", "feed_forward.onnx",
      model(sub(11, declared("x", [-1, 64])), weight("w", [64, 128]), weight("b", [128]),
            node("MatMul", ["x", "w"], "h"), node("Add", ["h", "b"], "s"), node("Sigmoid", ["s"], "g"),
            node("Mul", ["s", "g"], "a"), node("Softmax", ["a"], "p", sub(5, sub(1, "axis"), num(3, -1))),
            sub(12, declared("p", [-1, 128]))))
shape = sub(5, packed(1, [2]), num(2, 7), sub(8, "to"), sub(9, struct.pack("<2q", 8, 32)))
write("onnx", "reshape.onnx",
      model(sub(11, declared("x", [4, 64])), shape, node("Reshape", ["x", "to"], "y"),
            node("Transpose", ["y"], "z", sub(5, sub(1, "perm"), num(8, 1), num(8, 0))), node("Conv", ["z"], "c"),
            node("Gelu", ["c"], "e"), sub(13, declared("c", [32, 8])), sub(12, declared("e", [32, 8]))))


def npy(dtype, shape, content, version=1):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, shape)
    text += " " * (-(len(text) + 11) % 16) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + content


array = npy("<i8", "(2, 3)", struct.pack("<6q", *range(6)))
write("numpy", "integers.npy", array)
write("numpy", "floats.npy", npy("<f4", "(2,)", struct.pack("<2f", 0.5, -1), version=2))
write("numpy", "big_endian.npy", npy(">u2", "()", b"\1\2"))
for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as z:
        z.writestr(zipfile.ZipInfo("data.npy"), array, method)
    write("numpy", name + ".npz", archive.getvalue())

if len(sys.argv) > 1:
    (here / "store").mkdir(parents=True, exist_ok=True)
    file = here / "store" / "small.db"
    file.unlink(missing_ok=True)
    sample = here / "document" / "chain.sluice"
    subprocess.run([sys.argv[1], "explore", sample, "--store", file], check=True, stdout=subprocess.DEVNULL)
    database = sqlite3.connect(file)  # one file, without its log
    database.execute("PRAGMA journal_mode = DELETE")
    database.close()
