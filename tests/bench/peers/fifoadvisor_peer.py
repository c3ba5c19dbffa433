"""FIFOAdvisor (sharc-lab, Python on LightningSim): the depths of FIFOs of Vitis HLS designs. Its cases need LightningSim's traces of the designs, which
take a synthesis by Vitis HLS, and the repository has results only."""

from measure import Missing

NAME = "fifoadvisor"
TITLE = "FIFOAdvisor"
HELP = "sources of FIFOAdvisor with traces of its designs (cached_traces)"


def cases(sources, work, cli):
    if sources is None:
        raise Missing("no sources given (--fifoadvisor)")
    traces = sorted(sources.rglob("*.pkl")) + sorted(sources.rglob("*.trace"))
    raise Missing("it has no traces of its designs: they take Vitis HLS" if not traces else "traces of LightningSim are not read")
