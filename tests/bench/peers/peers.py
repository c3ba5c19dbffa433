#!/usr/bin/env python3
"""Sluice beside its peers on the same work, on this machine: `./dev peers --dam DIR --kiter DIR ...`.

Each peer is a file beside this one. It builds the peer from its sources, outside of both trees, and gives cases: a piece of work that both sides can
run. A case is run alternately, ours and theirs, at least five times; results are compared first, then times. A peer whose sources are not given, or
that does not build, is a line of the table.
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True  # nothing of ours appears beside the sources
import accelforge_peer  # noqa: E402
import dam_peer  # noqa: E402
import fifoadvisor_peer  # noqa: E402
import kiter_peer  # noqa: E402
import optuna_peer  # noqa: E402
import ramulator_peer  # noqa: E402
import step_peer  # noqa: E402
from measure import Missing, measure  # noqa: E402

PEERS = [step_peer, dam_peer, kiter_peer, ramulator_peer, fifoadvisor_peer, optuna_peer, accelforge_peer]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COLUMNS = ["peer", "case", "equal", "ours_result", "theirs_result", "ours_seconds", "theirs_seconds", "ratio", "ratio_least", "ratio_most", "runs",
           "clock", "quiet", "machine", "cores", "revision", "date"]


def said(command):
    """The first line that a program prints; empty where it cannot run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip().split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def rows_of(peer, options, work, about):
    sources = getattr(options, peer.NAME)
    try:
        if sources and sources != "yes" and not pathlib.Path(sources).is_dir():
            raise Missing(f"{sources} is no folder")
        for case in peer.cases(sources and pathlib.Path(sources).resolve(), work / peer.NAME, options.cli):
            if options.only and options.only not in case.name:
                continue
            print(f"{peer.TITLE}: {case.name}", file=sys.stderr)
            try:
                yield {"peer": peer.TITLE, "case": case.name} | measure(case, options.runs) | about
            except Missing as missing:
                yield {"peer": peer.TITLE, "case": case.name, "missing": str(missing)} | about
    except (Missing, OSError) as missing:
        yield {"peer": peer.TITLE, "case": "", "missing": str(missing)} | about


def seconds(value):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(rows):
    lines = [("peer", "work", "result", "ours", "theirs", "times as fast", "spread", "clock")]
    for row in rows:
        if "missing" in row:
            lines.append((row["peer"], row["case"], "not measured: " + row["missing"], "", "", "", "", ""))
            continue
        same = "equal: " + row["ours_result"] if row["equal"] else f"ours {row['ours_result']}, theirs {row['theirs_result']}"
        lines.append((row["peer"], row["case"], same, seconds(row["ours_seconds"]), seconds(row["theirs_seconds"]), short(row["ratio"]),
                      f"{short(row['ratio_least'])} to {short(row['ratio_most'])}", row["clock"]))
    widths = [max(len(line[column]) for line in lines if len(line[column]) < 60) for column in range(8)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    noisy = [row for row in rows if row.get("quiet") is False]
    if any("quiet" in row for row in rows):
        print(f"\n{rows[0]['machine']}, {rows[0]['cores']} cores, revision {rows[0]['revision']}, release builds, {rows[0]['date']}. " +
              (f"NOT QUIET: other programs used the machine during {len(noisy)} of the cases; their times are processor time of the runs alone."
               if noisy else "The machine was quiet."))


def sentence(rows):
    """What the README says of speed, of the rows that are equal."""
    parts = []
    for peer in dict.fromkeys(row["peer"] for row in rows):
        own = [row for row in rows if row["peer"] == peer and row.get("equal") is True]
        if not own:
            continue
        ratios = sorted(row["ratio"] for row in own)
        span = short(ratios[0]) if len(own) == 1 else f"{short(ratios[0])} to {short(ratios[-1])}"
        parts.append(f"{span} times as fast as {peer} ({len(own)} {'case' if len(own) == 1 else 'cases'}, {own[0]['clock']})")
    if not parts:
        return ""
    first = rows[0]
    quiet = "a quiet machine" if all(row.get("quiet", True) for row in rows) else "a machine in use, by processor time"
    return (f"Measured side by side with equal results: {'; '.join(parts)}. Medians of alternating runs of release builds on {first['machine']}, "
            f"{first['cores']} cores, {quiet}, revision {first['revision']} ([the table](tests/bench/peers/results.csv), `./dev peers`).")


def write_readme(rows):
    begin, end = "<!-- peers: written by ./dev peers --readme -->\n", "<!-- peers: end -->"
    file = ROOT / "README.md"
    text = file.read_text()
    before, rest = text.split(begin, 1)
    file.write_text(before + begin + textwrap.fill(sentence(rows), 145, break_long_words=False) + "\n" + end + rest.split(end, 1)[1])


def write_csv(rows, out):
    writer = csv.DictWriter(out, COLUMNS + ["missing"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="examples:\n  ./dev peers --dam ~/DAM-RS --kiter ~/kiter\n  ./dev peers --dam ~/DAM-RS --only 'depth 16' --json")
    for peer in PEERS:
        parser.add_argument(f"--{peer.NAME}", metavar="DIR", help=peer.HELP)
    parser.add_argument("--runs", type=int, default=5, help="of each side, at least 5 (5)")
    parser.add_argument("--only", metavar="TEXT", help="the cases whose names hold it")
    parser.add_argument("--work", metavar="DIR", default="/tmp/sluice-peers", help="where peers are built (/tmp/sluice-peers)")
    parser.add_argument("--json", action="store_true", help="print one JSON object to stdout and nothing else")
    parser.add_argument("--csv", metavar="FILE", help="write the table here, too")
    parser.add_argument("--readme", action="store_true", help="write results.csv and the sentence of README.md")
    parser.add_argument("--cli", default=str(ROOT / "build/release/bin/sluice-cli"), help="of ours")
    options = parser.parse_args()
    if options.runs < 5:
        parser.error("--runs: at least 5, so that there is a spread")
    if not os.access(options.cli, os.X_OK):
        parser.error(f"--cli: {options.cli} is no program; './dev build sluice-cli' makes it")
    return options


def main():
    options = arguments()
    work = pathlib.Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    about = {"machine": machine(), "cores": os.cpu_count(), "revision": said(["git", "rev-parse", "--short=8", "HEAD"]),
             "date": datetime.date.today().isoformat()}
    rows = [row for peer in PEERS for row in rows_of(peer, options, work, about)]
    if options.csv:
        with open(options.csv, "w") as out:
            write_csv(rows, out)
    if options.readme:
        with open(HERE / "results.csv", "w") as out:
            write_csv(rows, out)
        write_readme(rows)
    if options.json:
        print(json.dumps({"rows": rows}, indent=2))
    else:
        table(rows)
    return 1 if any(row.get("equal") is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
