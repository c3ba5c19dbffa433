"""Runs sluice-cli under limits and judges what any run owes: a known exit code, no crash, one JSON object."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

EXIT_CODES = {0, 1, 2, 3, 130}
HEEDED_WITHIN = 60  # s after SIGTERM, on a machine that has other things to do
MOST_READ = 256 << 20  # bytes of output that are looked at


class Failure(Exception):
    """Something that must not be; the text says what was run and what came."""


class Outcome:
    def __init__(self, words, code, out, err, stopped):
        self.words, self.code, self.out, self.err, self.stopped = words, code, out, err, stopped

    def fail(self, why):
        raise Failure(f"{why}\n  ran: {' '.join(self.words)}\n  exit code {self.code}, stdout "
                      f"{self.out[:300]!r}, stderr {self.err[-600:]!r}")

    def object(self):
        """The one JSON object on standard output."""
        def refuse(word):
            raise ValueError(f"{word} is no JSON")
        try:
            value = json.loads(self.out, parse_constant=refuse)
        except (ValueError, UnicodeDecodeError, RecursionError) as problem:
            self.fail(f"stdout is not one JSON object ({problem})")
        if not isinstance(value, dict):
            self.fail("stdout is JSON, but no object")
        return value

    def expect(self, *codes):
        if self.code not in codes:
            self.fail(f"expected exit code {' or '.join(map(str, codes))}")
        return self


class Box:
    """A folder of its own for one action, its random numbers, and the program."""

    def __init__(self, cli, source, folder, rng):
        self.cli, self.source, self.folder, self.rng = cli, source, folder, rng

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
        return self.path(name)

    def copy(self, file, name=None):
        target = self.path(name or os.path.basename(file))
        shutil.copyfile(file, target)
        return target

    def start(self, words, stdout=None, memory=4 << 30, file_size=None, stdin=subprocess.DEVNULL):
        """Output goes to files of the folder, so that none of it is held in memory."""
        count = getattr(self, "started", 0)
        self.started = count + 1
        out = self.path(f"stdout{count}") if stdout is None else None
        err = self.path(f"stderr{count}")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        words = [self.cli, *map(str, words)]
        sink = open(out, "wb") if out else stdout
        with open(err, "wb") as errors:
            process = subprocess.Popen(words, stdout=sink, stderr=errors, stdin=stdin, preexec_fn=limit,
                                       start_new_session=True)
        if out:
            sink.close()
        process.files = out, err
        return process

    def finish(self, process, patience=120):
        """Waits; a run that takes longer than `patience` seconds gets SIGTERM, and must heed it."""
        stopped = False
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            stopped = True
            process.terminate()
            try:
                process.wait(HEEDED_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise Failure(f"SIGTERM was not heeded within {HEEDED_WITHIN} s: {' '.join(process.args)}")
        out, err = (self.read(file) if file else b"" for file in process.files)
        for file in process.files:
            if file:
                os.remove(file)
        outcome = Outcome(process.args, process.returncode, out, err.decode(errors="replace"), stopped)
        if outcome.code not in EXIT_CODES and outcome.code != -signal.SIGKILL:
            outcome.fail("no exit code that is documented")
        if "internal error" in outcome.err:
            outcome.fail("an internal error")
        if outcome.code in (1, 2) and not outcome.err:
            outcome.fail("no word on stderr")
        if "--json" in process.args and process.files[0] and outcome.code != -signal.SIGKILL:
            outcome.object()
        return outcome

    def run(self, words, patience=120, **limits):
        return self.finish(self.start(words, **limits), patience)

    @staticmethod
    def read(file):
        with open(file, "rb") as opened:
            return opened.read(MOST_READ)


def hears_signals(process, wanted=signal.SIGTERM, patience=30):
    """Whether a process has come so far that it takes signals itself; False: it has ended."""
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith("SigBlk:") and int(line.split()[1], 16) & (1 << (wanted - 1)):
                        return True
        except (FileNotFoundError, ProcessLookupError):
            return False
        time.sleep(0.002)
    return False
