"""The package as a wheel has it: what is installed, how large it is, and that it stands alone."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import sluice
from support import SOURCE

BUILD = os.path.normpath(os.path.join(os.path.dirname(sluice.__file__), "..", ".."))


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "CMakeCache.txt")), "this package was not built by CMake where it lies")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        command = ["cmake", "--install", BUILD, "--component", "python", "--prefix", cls.folder]
        subprocess.run(command, check=True, capture_output=True)

    def files(self):
        return {
            os.path.relpath(os.path.join(root, name), self.folder): os.path.getsize(os.path.join(root, name))
            for root, _, names in os.walk(self.folder)
            for name in names
        }

    def test_all_of_the_package_is_in_it_and_it_is_small(self):
        files = self.files()
        written = os.path.join(SOURCE, "resources", "python")
        for root, _, names in os.walk(os.path.join(written, "sluice")):
            for name in names:
                if name.endswith((".py", ".typed")):
                    self.assertIn(os.path.relpath(os.path.join(root, name), written), files)
        self.assertIn(os.path.join("sluice", "__init__.pyi"), files)
        self.assertLess(sum(files.values()), 40e6)

    def test_it_stands_alone(self):
        script = f"import sys; sys.path.insert(0, {self.folder!r}); import sluice; print(sluice.__file__, len(sluice.operators()))"
        told = subprocess.run([sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True).stdout.split()
        self.assertTrue(told[0].startswith(self.folder))
        self.assertEqual(int(told[1]), len(sluice.operators()))

    def test_import_needs_nothing_but_python(self):
        script = "import sys, sluice; print(sorted({'numpy', 'pandas', 'torch', 'sympy', 'networkx'} & set(sys.modules)))"
        environment = {**os.environ, "PYTHONPATH": self.folder}
        told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment)
        self.assertEqual(told.stdout.strip(), "[]")


class Version(unittest.TestCase):
    def test_it_is_that_of_the_engine(self):
        with open(os.path.join(SOURCE, "resources", "python", "pyproject.toml"), encoding="utf-8") as file:
            self.assertEqual(re.search(r'^version = "(.*)"$', file.read(), re.MULTILINE)[1], sluice.__version__)
