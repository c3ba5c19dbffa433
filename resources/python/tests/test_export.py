"""Charts: drawn by sluice-cli with the window's plots, where it is built."""

import os
import tempfile
import unittest
from unittest import mock

import numpy
import sluice
from sluice import _export
from support import moe, refused


def can_draw():
    with tempfile.TemporaryDirectory() as folder:
        try:
            sluice.export(moe(), os.path.join(folder, "graph.svg"))
        except sluice.Error as error:
            if error.code != "helper-failed":
                raise
            return False
    return True


class Charts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        if not can_draw():
            raise unittest.SkipTest("sluice-cli and sluice-chart are not built")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_files_are_of_the_kind_that_their_names_say(self):
        for name, begin in (("a.svg", b"<?xml"), ("b.pdf", b"%PDF"), ("c.png", b"\x89PNG")):
            file = os.path.join(self.folder, name)
            self.assertEqual(moe().export(file), file)
            with open(file, "rb") as drawn:
                self.assertEqual(drawn.read(len(begin)), begin)

    def test_a_run_draws_what_it_ran(self):
        routing = numpy.array([[i % 2] for i in range(16)])
        curves = {}
        for name, inputs in (("own", None), ("given", {"routing": routing})):
            file = os.path.join(self.folder, f"{name}.csv")
            sluice.simulate(moe(), {"token_tile": 2}, inputs=inputs).export(file)
            with open(file, encoding="utf-8") as drawn:
                curves[name] = drawn.read()
        self.assertIn("gather", curves["own"])
        self.assertNotEqual(curves["own"], curves["given"])

    def test_notebooks_show_programs_and_runs(self):
        self.assertIn("</svg>", moe()._repr_svg_())
        self.assertIn("</svg>", moe().simulate().plot())
        self.assertIn("<td>cycles</td>", moe().simulate()._repr_html_())

    def test_mistakes_are_refused_and_nothing_is_written(self):
        file = os.path.join(self.folder, "chart.svg")
        with refused(self, "unknown-name"):
            moe().export(file, knobs={"token_tiel": 4})
        with refused(self, "unknown-file-suffix"):
            moe().export(os.path.join(self.folder, "chart.docx"))
        with self.assertRaises(sluice.Error):
            moe().export(file, figure="none")
        self.assertEqual(os.listdir(self.folder), [])


class WithoutCommandLine(unittest.TestCase):
    def test_it_says_what_is_missing(self):
        with mock.patch.object(_export, "command_line", lambda: None):
            with refused(self, "helper-failed"):
                moe().export("never.svg")
            self.assertIsNone(moe()._repr_svg_())


class Sources(unittest.TestCase):
    def test_files_and_sets_of_traces_are_found_from_anywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "t.npy"), "w").close()
            there = os.path.join(folder, "t.npy")
            self.assertEqual(_export._absolute("t.npy", folder), there)
            self.assertEqual(_export._absolute("set:t.npy,count=2", folder), f"set:{there},count=2")
            self.assertEqual(_export._absolute("set:zipf,count=5", folder), "set:zipf,count=5")
