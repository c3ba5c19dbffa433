"""AccelForge (PyPI): searches mappings of Einsums to hierarchies of memories, by formulas. No piece of work is the same on both sides: it has neither
streams nor FIFOs, and no run. Energies of equal actions are compared by accelforge_energy.py."""

from measure import Missing

NAME = "accelforge"
TITLE = "AccelForge"
HELP = "nothing: there is no work that both do"


def cases(sources, work, cli):
    raise Missing("no work that both do: it maps Einsums by formulas, without streams")
