"""The examples run; those that need PyTorch or Jupyter where these are installed."""

import csv
import importlib.util
import os
import tempfile
import unittest
from xml.dom import minidom

import figure9
import sluice
from support import SOURCE, moe, refused

EXAMPLES = os.path.join(SOURCE, "resources", "python", "examples")


def lacking(*modules):
    return [each for each in modules if importlib.util.find_spec(each) is None]


TORCH = lacking("torch", "transformers")
JUPYTER = TORCH + lacking("nbclient", "nbformat", "ipykernel")


class Plots(unittest.TestCase):
    def test_every_point_is_drawn(self):
        found = sluice.explore(moe())
        drawn = minidom.parseString(found.plot(title="a < b"))
        titles = [each for each in drawn.getElementsByTagName("circle") if each.getElementsByTagName("title")]
        self.assertEqual(len(titles), len(found) + len(found.frontier))
        self.assertEqual(found._repr_svg_(), found.plot())

    def test_axes_take_any_numbers(self):
        one = sluice.simulate(moe())
        for log in (False, True):
            for x in ("cycles", "compute_utilization", "flops"):
                minidom.parseString(sluice.plot([one], x, x, log=log))
        with refused(self, "unknown-name"):
            sluice.plot([], "cycles", "flops")


class Figure9(unittest.TestCase):
    def test_it_is_the_papers(self):
        with open(os.path.join(SOURCE, "resources", "published", "fig9.csv"), encoding="utf-8") as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            published = [row for row in rows if row["model"] == "mixtral_b64"]
        with tempfile.TemporaryDirectory() as folder:
            runs = figure9.figure9(os.path.join(folder, "figure9.svg"))
            minidom.parse(os.path.join(folder, "figure9.svg"))
        self.assertEqual(len(runs), len(published))
        for run, row in zip(runs, published):
            self.assertEqual(run.on_chip_bytes, int(row["on_chip_bytes"]))
            self.assertAlmostEqual(run.cycles / int(row["cycles"]), 1, delta=0.005)


class Mixtral(unittest.TestCase):
    @unittest.skipIf(TORCH, f"not installed: {', '.join(TORCH)}")
    def test_the_script(self):
        import mixtral

        with tempfile.TemporaryDirectory() as folder:
            found = mixtral.explore(os.path.join(folder, "frontier.svg"))
            minidom.parse(os.path.join(folder, "frontier.svg"))
        self.assertGreater(len(found.frontier), 0)

    @unittest.skipIf(JUPYTER, f"not installed: {', '.join(JUPYTER)}")
    def test_the_notebook(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(os.path.join(EXAMPLES, "mixtral.ipynb"), as_version=4)
        code = [line for cell in notebook.cells if cell.cell_type == "code" for line in cell.source.splitlines()]
        self.assertLessEqual(len(code), 30)
        nbclient.NotebookClient(notebook, timeout=300).execute()
        shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertTrue(any("image/svg+xml" in output.get("data", {}) for output in shown))
