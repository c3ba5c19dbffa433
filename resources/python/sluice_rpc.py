#!/usr/bin/env python3
"""Drives Sluice from Python, with nothing but the standard library.

    python3 sluice_rpc.py PROGRAM.sluice [path/to/sluice-cli]

opens the program, simulates its default point, explores it with NSGA-II and prints the frontier. As a module it offers
class Sluice: open, set, simulate, explore, each a request to `sluice-cli serve --stdio` (JSON-RPC 2.0, one message a line).
"""

import json
import subprocess
import sys


class SluiceError(Exception):
    """What the engine refused; `data` has place, cause and mend of each diagnostic."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class Sluice:
    def __init__(self, program="sluice-cli"):
        self.process = subprocess.Popen([program, "serve", "--stdio"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.last = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def send(self, method, **params):
        """Asks without waiting; the number of the request, for cancel()."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return self.last

    def answer(self, number, on_progress=None):
        """Waits for the answer to a request."""
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("method") == "progress":
                if on_progress and message["params"]["id"] == number:
                    on_progress(message["params"])
            elif message.get("id") == number:
                if "error" in message:
                    raise SluiceError(message["error"])
                return message["result"]
        raise EOFError("sluice-cli has ended")

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
        message = {"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


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
