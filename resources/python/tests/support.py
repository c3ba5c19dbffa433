"""What the tests share: the samples, and an error of a kind."""

import contextlib
import os

import sluice

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))


def sample(name):
    return os.path.join(SOURCE, "sample_workloads", name)


def moe():
    return sluice.load(sample("simple_moe.sluice"))


@contextlib.contextmanager
def refused(test, code):
    """What is within ends with an Error of this code; its first diagnostic has a place, a cause and a fix."""
    with test.assertRaises(sluice.Error) as caught:
        yield caught
    first = caught.exception.diagnostics[0]
    test.assertEqual(first.code, code, str(caught.exception))
    test.assertTrue(first.place and first.cause and first.fix, str(caught.exception))
