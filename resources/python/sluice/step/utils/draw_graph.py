"""Pictures of a graph, drawn by Graphviz's dot."""

import subprocess


def save_graph_format(digraph, output_filename, format, subgraph_nodes=None):
    """Writes output_filename.FORMAT for each of the formats; "dot" needs no Graphviz."""
    shown = set(subgraph_nodes) if subgraph_nodes else set(digraph.nodes)
    lines = [f'  "{node}" [shape=box];' for node in digraph.nodes if node in shown]
    lines += [f'  "{a}" -> "{b}";' for a, b in digraph.edges() if a in shown and b in shown]
    text = "digraph step {\n" + "\n".join(lines) + "\n}\n"
    for each in format:
        if each == "dot":
            with open(f"{output_filename}.dot", "w", encoding="utf-8") as file:
                file.write(text)
        else:
            subprocess.run(["dot", f"-T{each}", "-o", f"{output_filename}.{each}"], input=text, text=True, check=True)
