"""Designs: schedules by search, compiled tensor programs, depths, repairs."""

import unittest

import sluice
from support import moe, refused, sample


class Designs(unittest.TestCase):
    def test_schedules_are_found_and_can_be_run(self):
        found = sluice.design(moe(), budget=6, steps=1, prove=True)
        self.assertGreater(found.simulated, 1)
        best = found.best("cycles")
        self.assertLessEqual(best.cycles, found[0].cycles)
        self.assertEqual(sluice.simulate(best.program).cycles, best.cycles)
        self.assertEqual({each["verdict"] for each in found.proved}, {"same"})

    def test_wrong_requests_are_refused(self):
        with refused(self, "unknown-transformation"):
            sluice.design(moe(), allow=["tiel"])

    def test_tensor_programs_are_compiled(self):
        compiled = sluice.compile(sluice.load(sample("gpt2_block.sluice")))
        self.assertEqual(len(compiled), 1)
        self.assertTrue(compiled[0].kernels and compiled[0].fifos)
        self.assertGreater(compiled[0].on_chip_bytes, 0)
        with self.assertRaises(sluice.Error):
            sluice.compile(moe())


class Depths(unittest.TestCase):
    def test_a_deadlock_is_repaired(self):
        program = sluice.load(sample("deadlock_fork_join.sluice"))
        found = sluice.unlock(program)
        self.assertEqual(found.kind, "artificial")
        self.assertTrue(found.changes and found.reasons)
        self.assertEqual(sluice.simulate(found.program).cycles, found.cycles)
        self.assertIsNone(sluice.unlock(moe()))

    def test_depths_are_chosen(self):
        sized = sluice.size_fifos(moe(), "peaks")
        self.assertEqual(sluice.simulate(sized.program).cycles, sized.cycles_after)
        self.assertEqual(sluice.simulate(sized.program).fifo_bytes, sized.bytes_after)
        with refused(self, "unknown-strategy"):
            sluice.size_fifos(moe(), "peeks")

    def test_a_point_of_the_frontier_is_taken(self):
        program = sluice.load(sample("softmax_depths.sluice"))
        front = sluice.size_fifos(program, "simulated", front=True).front
        self.assertIsNotNone(sluice.size_fifos(program, "simulated", seconds=1))
        self.assertGreater(len(front), 1)
        picked = sluice.size_fifos(program, "simulated", pick=2)
        self.assertEqual(picked.bytes_after, front[1]["bytes"])
        self.assertEqual(sluice.simulate(picked.program).cycles, front[1]["cycles"])
        with refused(self, "out-of-range"):
            sluice.size_fifos(program, "simulated", pick=99)
