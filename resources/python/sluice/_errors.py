"""What goes wrong, as the engine tells it: code, place, cause and fix."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong, or worth knowing."""

    severity: str  #: "error", "warning" or "note"
    code: str  #: one word that never changes, such as "rank-mismatch"; `sluice-cli help CODE` explains it
    place: str  #: where it is, in words
    cause: str  #: what was found and what was expected
    fix: str  #: what can be done about it
    location: tuple = field(default=(), repr=False)  #: the place as parts, each with its kind and name or number
    related: tuple = field(default=(), repr=False)  #: other places that take part

    def __str__(self):
        told = f"{self.severity}: {self.place}: {self.cause} ({self.fix}) [{self.code}]"
        return told + "".join(f"\n  see also {place}" for place in self.related)


def diagnostics_of(entries):
    """Diagnostics of what the native module tells."""
    return tuple(
        Diagnostic(
            each["severity"], each["code"], each["place"], each["cause"], each["fix"], tuple(each["location"]), tuple(each["related"])
        )
        for each in entries
    )


class Error(Exception):
    """What was refused, and why: `diagnostics` has code, place, cause and fix of everything that is wrong."""

    def __init__(self, diagnostics):
        if isinstance(diagnostics, str):
            diagnostics = (Diagnostic("error", "", "", diagnostics, ""),)
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(each) for each in self.diagnostics))

    def __reduce__(self):
        return (type(self), (self.diagnostics,))

    @property
    def code(self):
        """That of the first diagnostic."""
        return self.diagnostics[0].code


def refuse(code, place, cause, fix):
    """Raises an Error with one diagnostic."""
    raise Error((Diagnostic("error", code, place, cause, fix),))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while the engine was at work. `result` is what there was by then, None if there was nothing."""

    def __init__(self, result=None):
        super().__init__("interrupted; what there is by then is in .result")
        self.result = result


def unless_interrupted(result, interruption):
    """The result of a piece of work; raises what interrupted it, which has the result with it then."""
    if interruption is None:
        return result
    if isinstance(interruption, KeyboardInterrupt):
        raise Interrupted(result) from interruption
    interruption.sluice_result = result
    raise interruption
