"""Figure 9 of the STeP paper: Mixtral at batch 64, tiles of fixed sizes against tiles as large as each expert needs."""

import numpy
import sluice

COUNTS = [13, 10, 17, 14, 17, 10, 24, 23]  # tokens of each expert (resources/published/expert_tokens.csv)


def figure9(file="figure9.svg"):
    rows = numpy.repeat(numpy.arange(8), COUNTS)
    trace = {"routing": numpy.stack([rows[:64], rows[64:]], 1)}  # no expert has more than 64 tokens, so none is chosen twice
    machine = {"mock_bf16": True}
    fixed = sluice.workload("moe", "mixtral_b64", compute=4096)
    static = [sluice.simulate(fixed, {"tiling": "static", "tile": tile}, trace, machine) for tile in (8, 16, 32, 64)]
    dynamic = sluice.simulate(sluice.workload("moe", "mixtral_b64", compute=6400), {"tiling": "dynamic"}, trace, machine)
    sluice.plot({"static": static, "dynamic": [dynamic]}, "on_chip_bytes", "cycles", file, "Mixtral, batch 64", True, ["static"])
    return [*static, dynamic]


if __name__ == "__main__":
    print("\n".join(f"{run.cycles:>12,} cycles {run.on_chip_bytes:>12,} bytes" for run in figure9()))
