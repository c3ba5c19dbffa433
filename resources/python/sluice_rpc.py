#!/usr/bin/env python3
"""Drives Sluice from Python, with nothing but the standard library.

    python3 sluice_rpc.py PROGRAM.sluice [path/to/sluice-cli]

opens the program, simulates its default point, explores it with NSGA-II and prints the frontier. As a module it offers
class Sluice: open, set, simulate, explore, each a request to `sluice-cli serve --stdio` (JSON-RPC 2.0, one message a line).

    with Sluice() as sluice:
        sluice.open("program.sluice")
        first = sluice.send("explore", strategy="random", budget=100)   # asks without waiting
        second = sluice.send("explore", strategy="nsga2", budget=100)
        print(sluice.answer(second)["hypervolume"], sluice.answer(first)["hypervolume"])   # in any order

What still runs when the block is left, also by an exception, is stopped; what it has put into a store stays there.
"""

import contextlib
import json
import subprocess
import sys


class SluiceError(Exception):
    """What was refused. `code` is JSON-RPC's; `data` has code, place, cause and fix of each diagnostic of the engine."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class Sluice:
    def __init__(self, program="sluice-cli", patience=10):
        """`patience`: seconds that close() waits for the server before it kills it."""
        self.process = subprocess.Popen([program, "serve", "--stdio"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.patience = patience
        self.last = 0
        self.asked = set()  # requests whose answer nobody has asked for yet
        self.answers = {}  # those that came while another was waited for

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.stdout.close()  # first: a server that waits for us to read hears nothing else
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}, allow_nan=False) + "\n")
        self.process.stdin.flush()

    def send(self, method, **params):
        """Asks without waiting; the number of the request, for answer() and cancel()."""
        self.write({"id": self.last + 1, "method": method, "params": params})
        self.last += 1
        self.asked.add(self.last)
        return self.last

    def answer(self, number, on_progress=None):
        """Waits for the answer to a request; every answer is given once. `on_progress` is called with the parameters of its
        "progress" notifications that come meanwhile."""
        if number not in self.asked:
            raise KeyError(f"request {number} was not sent, or its answer was given before")
        while number not in self.answers:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("sluice-cli has ended")
            message = json.loads(line)
            if message.get("method") == "progress":
                if on_progress and message["params"]["id"] == number:
                    on_progress(message["params"])
            elif message["id"] is None:
                raise SluiceError(message["error"])  # it could not be read, so that nothing else answers it
            else:
                self.answers[message["id"]] = message
        self.asked.remove(number)
        message = self.answers.pop(number)
        if "error" in message:
            raise SluiceError(message["error"])
        return message["result"]

    def call(self, method, on_progress=None, **params):
        return self.answer(self.send(method, **params), on_progress)

    def open(self, file):
        return self.call("open", file=file)

    def set(self, **knobs):
        return self.call("set", knobs=knobs)

    def simulate(self, **knobs):
        return self.call("simulate", knobs=knobs)

    def explore(self, on_progress=None, **options):
        return self.call("explore", on_progress, **options)

    def cancel(self, number):
        """Stops a request; its answer is then an error with code -32800."""
        self.write({"method": "cancel", "params": {"id": number}})


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with Sluice(*sys.argv[2:3]) as sluice:
        opened = sluice.open(sys.argv[1])
        print(f"{opened['title'] or sys.argv[1]}: {opened['points']} points, "
              f"knobs {', '.join(knob['name'] for knob in opened['knobs'])}")
        run = sluice.simulate()
        print(f"default point: {run['state']}, {run['cycles']} cycles")

        def show(progress):
            print(f"\r{progress['evaluated']} of {progress['total']}", end="", file=sys.stderr)

        result = sluice.explore(show, strategy="nsga2", budget=min(200, opened["points"]), seed=1)
        print(file=sys.stderr)
        print(f"{result['evaluated']} points evaluated, hypervolume {result['hypervolume']:.6g}, frontier:")
        for point in result["frontier"]:
            print(" ", point["knobs"], point["metrics"]["cycles"], "cycles", point["metrics"]["on_chip_bytes"], "bytes")


if __name__ == "__main__":
    main()
