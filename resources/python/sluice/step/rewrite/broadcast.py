"""Puts a Broadcast behind each output that several operators read."""

from .._routing import Broadcast, EagerMerge, FlatPartition, Parallelize


def _readers(graph, node):
    """The readers of a node in the order of their edges; those that read it twice once more at the end."""
    first = list(graph.successors(node))
    return first + [reader for reader in first for _ in range(graph.number_of_edges(node, reader) - 1)]


def _groups(graph, node):
    """(what is read, its readers) where a Broadcast has to come between."""
    readers = _readers(graph, node)
    if not isinstance(node, (FlatPartition, EagerMerge, Parallelize)):
        return [(node, readers)] if len(readers) > 1 else []
    if len(readers) <= node.num_consumers:
        return []
    by_output = {}
    for reader in graph.successors(node):
        for source in reader.sources():
            if isinstance(source, tuple) and source[0] is node:
                by_output.setdefault(source[1], []).append(reader)
    return [((node, number), found) for number, found in by_output.items() if len(found) > 1]


def infer_broadcast(graph):
    """The graph, with them; it is changed in place."""
    removed, added = [], []
    groups = [(node, *group) for node in graph.nodes if not isinstance(node, Broadcast) for group in _groups(graph, node)]
    for node, source, readers in groups:
        broadcast = Broadcast(None, source, len(readers))
        added.append((node, broadcast))
        for number, reader in enumerate(readers):
            reader.replace_input(source, (broadcast, number))
            removed.append((node, reader))
            added.append((broadcast, reader))
    graph.remove_edges_from(removed)
    graph.add_edges_from(added)
    return graph
