"""What was captured of a module: its program, its numbers, and what it computed."""

from .._errors import refuse
from .._work import simulate


class Capture:
    """A module as a program, with the arrays that went in and came out when it was captured."""

    def __init__(self, name, program, coverage, tensors, expected, inputs=None, blocks=None):
        self.name = name  #: of the module in its model; "" of the model itself
        self.program = program  #: sluice.Program
        self.coverage = coverage  #: nodes, macs and bytes understood of all; `cuts`: node, operator, why, macs
        self.tensors = tensors  #: weights, tables and example inputs by the program's names for them
        self.expected = expected  #: what the module computed from the example inputs, by the program's names
        self.inputs = inputs or {}  #: traces of the program: name -> array
        self.blocks = blocks or {}  #: mixtures of experts that were cut out: name of the module -> Capture

    def simulate(self, knobs=None, **options):
        """sluice.simulate() with the traces of the capture."""
        return simulate(self.program, knobs, inputs=self.inputs, **options)

    def values(self, knobs=None, precision="float32"):
        """What the program computes from the module's weights and example inputs, by name."""
        return self.simulate(knobs).values(self.tensors, precision)

    def largest_error(self, knobs=None, precision="float32"):
        """The largest difference to what the module computed, relative to the largest number of each output."""
        import numpy

        found, worst = self.values(knobs, precision), 0.0
        for name, expected in self.expected.items():
            if name not in found:
                refuse("missing-data", f"output '{name}'", "the program does not compute it", "see coverage['cuts'] for what was cut out")
            difference = numpy.abs(found[name].reshape(expected.shape) - expected).max(initial=0)
            worst = max(worst, float(difference / max(numpy.abs(expected).max(initial=0), 1e-30)))
        return worst

    def __repr__(self):
        macs = self.coverage
        share = f"{macs['macs_understood']:,} of {macs['macs']:,} MACs understood, {len(macs['cuts'])} cuts"
        return f"<sluice.torch.Capture {self.name or 'module'}: {share}, blocks {sorted(self.blocks) or 'none'}>"
