"""FIFOAdvisor (sharc-lab, Python on LightningSim): the depths of FIFOs of Vitis HLS designs. Its sources and designs can be had, but it tries depths on
LightningSim's traces of them (trace.pkl), which take a synthesis by Vitis HLS. What it published is read by fifoadvisor_published.py."""

from measure import Missing

NAME = "fifoadvisor"
TITLE = "FIFOAdvisor"
HELP = "sources of FIFOAdvisor with traces of its designs (trace.pkl)"


def cases(sources, work, cli):
    if sources is None:
        raise Missing("no sources given (--fifoadvisor)")
    traces = sorted(sources.rglob("*.pkl")) + sorted(sources.rglob("*.trace"))
    raise Missing("it has no traces of its designs, which take Vitis HLS (fifoadvisor_published.py reads its results)" if not traces else "traces of LightningSim are not read")
