"""What FIFOAdvisor's published points come to: fifoadvisor_published.py DIR, its sources (github.com/sharc-lab/fifo-advisor, or the copy in
saurabh7521/hls4ml-fifoadvisor). Of each design the hypervolume of blocks of BRAM against cycles, up to a tenth beyond the blocks of its own depths and the
most cycles that any of its searches met: as multiples of random search's, and the most that no depths can beat: the fewest cycles met, at no block."""

import collections
import csv
import math
import pathlib
import sys


def area(points, blocks, cycles):
    """Of what the points beat, in steps."""
    total, least = 0.0, cycles
    for b, c in sorted(points):
        if b < blocks and c < least:
            total += (blocks - b) * (least - c)
            least = c
    return total


def rows(file):
    with open(file, encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def main(sources):
    data = next(pathlib.Path(sources).rglob("experiments/main_run_v0/data"))
    points = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows(data / "data_points.csv"):
        points[row["design_name"]][row["optimizer_name"]].append((float(row["bram"]), float(row["latency"])))
    tried = collections.defaultdict(dict)
    for row in rows(data / "data_search_counts.csv"):
        tried[row["design_name"]][row["optimizer_name"]] = int(row["n_total"])
    searches = ["group_random_search", "grouped_discrete_simulated_annealing"]
    shares = collections.defaultdict(list)
    print("design", *searches, "limit", sep=",")
    for row in rows(data / "data_baseline.csv"):
        found = points[row["design_name"]]
        if float(row["bram"]) == 0 or any(each not in found for each in ["random_search", *searches]):
            continue  # no block to save, or a search without results
        every = [point for each in found.values() for point in each]
        blocks, cycles = 1.1 * float(row["bram"]), 1.1 * max(c for _, c in every)
        chance = area(found["random_search"], blocks, cycles)
        ratios = [area(found[each], blocks, cycles) / chance for each in searches]
        ratios.append(blocks * (cycles - min(c for _, c in every)) / chance)
        for name, ratio in zip([*searches, "limit"], ratios):
            shares[name].append(ratio)
        print(row["design_name"], *(f"{ratio:.3f}" for ratio in ratios), sep=",")
    mean = [math.exp(sum(map(math.log, values)) / len(values)) for values in shares.values()]
    print("geometric mean", *(f"{value:.3f}" for value in mean), sep=",")
    runs = [sorted({of[each] for of in tried.values() if each in of}) for each in ["random_search", *searches]]
    print("evaluations: random", *runs[0], "grouped random", *runs[1], "grouped annealing", *runs[2])


if __name__ == "__main__":
    main(sys.argv[1])
