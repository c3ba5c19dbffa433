"""Damaged and hostile files: a diagnostic or a result, never a crash, and one JSON object."""

import glob
import json
import os

import programs

HOSTILE = [0, 1, -1, 2, 3, 7, 255, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, -2**63, 1e308,
           1.5, "", "=", "=knob", "1/0", "2^62", "B*B*B*B*B*B*B", "9" * 40, None, True, [], {}, [[]], "\u001b[2J", "\ud800"]


def sources(box):
    """(file, command that takes it)"""
    corpus = os.path.join(box.source, "tests", "fuzz", "corpus")
    found = [(file, "sluice") for file in programs.samples(box)]
    for folder, kind in (("document", "sluice"), ("dot", "import"), ("onnx", "import"), ("step_json", "import"),
                         ("step_protobuf", "import"), ("tensor_program", "import"), ("numpy", "numpy"), ("store", "store"),
                         ("json_lines", "merge"), ("expression", "expression"), ("itensor", "itensor")):
        found += [(file, kind) for file in sorted(glob.glob(os.path.join(corpus, folder, "*"))) if os.path.isfile(file)]
    return found


def places(value, path=()):
    """The paths of all values of a JSON tree."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def change_tree(rng, tree):
    """Replaces, removes, doubles or moves one value of a JSON tree."""
    every = [path for path in places(tree) if path]
    path = rng.choice(every)
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    deed = rng.choice(["replace", "replace", "replace", "remove", "double", "borrow"])
    if deed == "replace":
        parent[path[-1]] = rng.choice(HOSTILE)
    elif deed == "remove":
        del parent[path[-1]]
    elif deed == "double" and isinstance(parent, list):
        parent.insert(rng.randrange(len(parent) + 1), parent[path[-1]])
    else:
        other = tree
        for key in rng.choice(every):
            other = other[key]
        parent[path[-1]] = json.loads(json.dumps(other))


def change_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(data) + 1)
        deed = rng.choice(["flip", "cut", "insert", "repeat", "end"])
        if deed == "flip" and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif deed == "cut":
            del data[at:at + rng.randint(1, 20)]
        elif deed == "insert":
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
        elif deed == "repeat":
            data[at:at] = data[at:at + rng.randint(1, 200)] * rng.choice([1, 2, 50])
        elif deed == "end" and rng.random() < 0.3:
            del data[at:]
        if not data:
            break
    return bytes(data)


def mutated(box, file):
    """A damaged copy; JSON keeps its form half of the time."""
    rng = box.rng
    with open(file, "rb") as opened:
        data = opened.read()
    if file.endswith((".sluice", ".json")) and rng.random() < 0.7:
        try:
            tree = json.loads(data)
            for _ in range(rng.choice([1, 1, 2, 3])):
                change_tree(rng, tree)
            data = json.dumps(tree, ensure_ascii=True).encode()
        except (ValueError, IndexError, KeyError, TypeError):
            data = change_bytes(rng, data)
    else:
        data = change_bytes(rng, data)
    return box.write("mutated" + os.path.splitext(file)[1], data)


def damaged_file(box):
    """One mutated file to each command that takes such a file."""
    rng = box.rng
    file, kind = rng.choice(sources(box))
    bad = mutated(box, file)
    memory = 2 << 30
    if kind == "sluice":
        for words in rng.sample([["check"], ["shapes"], ["simulate", "--count"], ["simulate", "--stalls"], ["schedule"],
                                 ["explore", "--budget", 5], ["unlock", "--seconds", 1], ["compile"]], 3):
            box.run([words[0], bad, *words[1:], "--json"], patience=15, memory=memory)
    elif kind == "import":
        outcome = box.run(["import", bad, "-o", box.path("imported.sluice"), "--json"], patience=15, memory=memory)
        if outcome.code == 0:
            box.run(["check", box.path("imported.sluice"), "--json"], patience=15, memory=memory)
    elif kind == "numpy":
        program = os.path.join(box.source, "sample_workloads", "simple_moe.sluice")
        box.run(["simulate", program, "--input", "routing=" + bad, "--count", "--json"], patience=15, memory=memory)
        box.run(["simulate", program, "--compute", "float32", "--tensors", bad, "--json"], patience=15, memory=memory)
    elif kind == "store":
        box.run(["explorations", bad, "--json"], memory=memory)
        box.run(["points", bad], memory=memory)
        box.run(["merge", box.path("merged.db"), bad, "--json"], memory=memory)
    elif kind == "merge":
        box.run(["merge", box.path("merged.db"), bad, "--json"], memory=memory)
    elif kind == "itensor":
        with open(bad, "rb") as opened:
            text = opened.read(2000).replace(b"\0", b"").decode(errors="replace")
        box.run(["itensor", "--json", "--", text], patience=15, memory=memory)
    else:
        with open(bad, "rb") as opened:
            text = opened.read(2000).decode(errors="replace")
        document = programs.chain(rng, 6, maps=2, tokens=10)
        document["constants"] = {"K": text}
        box.run(["check", programs.save(box, "expression.sluice", document), "--json"], patience=15, memory=memory)
