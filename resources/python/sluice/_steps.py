"""Steps of schedules as functions: `sluice.steps.tile(region="expert", ...)`, one for each transformation of the registry."""

import difflib

from . import _registry
from ._errors import refuse
from ._program import schedule_step


def _check(name, known, given):
    place = f"step '{name}'"
    for each in given:
        if each not in known:
            close = difflib.get_close_matches(each, known, 1)
            fix = f"did you mean '{close[0]}'?" if close else f"its arguments are {', '.join(known) or 'none'}"
            refuse("unknown-argument", place, f"it has no argument '{each}'", fix)
    for each, argument in known.items():
        if argument["needed"] and each not in given:
            refuse("missing-argument", place, f"it needs '{each}': {argument['help']}", f"give {each}=...")


def step_help(spec):
    """What a function of the steps is for, from the transformation's description."""
    lines = [f"{spec['summary']} ({spec['paper']})" if spec["paper"] else spec["summary"], ""]
    for argument in spec["arguments"]:
        about = [argument["help"]]
        if argument["choices"]:
            about.append("one of " + ", ".join(argument["choices"]))
        about.append("must be given" if argument["needed"] else f"default {argument['default']!r}")
        lines.append(f"`{argument['name']}`: {'; '.join(about)}.")
    return "\n".join([*lines, "", f"Effect: {spec['effect']}"])


class Steps:
    """A function for each transformation: it gives the step for `program.then()` and `Builder.step()`. Raises Error for wrong arguments."""


def _function(name, spec):
    known = {argument["name"]: argument for argument in spec["arguments"]}

    def step(self, **arguments):
        _check(name, known, arguments)
        return schedule_step(name, **arguments)

    step.__name__, step.__qualname__, step.__doc__ = name, f"Steps.{name}", step_help(spec)
    return step


for _name, _spec in _registry.transformations().items():
    setattr(Steps, _name, _function(_name, _spec))
steps = Steps()
