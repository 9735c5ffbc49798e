# SPDX-License-Identifier: BSD-3-Clause
"""Refuses includes that go in a circle, between folders or between units (x.h with x.cc) of a folder, and circles of imports
between files of the page."""
import collections
import os
import pathlib
import re

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
IMPORT = re.compile(r"\bfrom '(\.[^']+)';$", re.M)
OUTSIDE = ("bench", "test", "examples")


def is_for_tests(path):
    return path.name.endswith(("_test.cc", "_bench.cc", "_samples.h")) or path.name.startswith(("sample_", "test_"))


def circles(graph):
    """The strongly connected components of more than one node (Tarjan), each sorted."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(node):
        work = [(node, iter(sorted(graph[node])))]
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        while work:
            at, successors = work[-1]
            for next_node in successors:
                if next_node not in index:
                    index[next_node] = low[next_node] = len(index)
                    stack.append(next_node)
                    on_stack.add(next_node)
                    work.append((next_node, iter(sorted(graph[next_node]))))
                    break
                if next_node in on_stack:
                    low[at] = min(low[at], index[next_node])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    members = []
                    while not members or members[-1] != at:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                    if len(members) > 1:
                        found.append(sorted(members))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def graphs(root, paths):
    """The includes: folder by folder, and unit by unit within each folder."""
    sources = {path for path in paths if path.suffix in (".h", ".cc") and path.parts[0] not in OUTSIDE}
    folders = collections.defaultdict(set)
    units = collections.defaultdict(set)
    for path in sources:
        if is_for_tests(path):
            continue
        folders[str(path.parent)], units[str(path.with_suffix(""))]  # each is a node
        for include in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
            other = pathlib.Path(include)
            if other not in sources or is_for_tests(other):
                continue
            if other.parent != path.parent:
                folders[str(path.parent)].add(str(other.parent))
            elif other.with_suffix("") != path.with_suffix(""):
                units[str(path.with_suffix(""))].add(str(other.with_suffix("")))
    for graph in (folders, units):
        for node in [other for others in graph.values() for other in others]:
            graph[node]  # also units that include nothing
    return folders, units


def imports(root, paths):
    """The imports of the page, file by file."""
    files = {str(path.with_suffix("")): path for path in paths if path.suffix in (".ts", ".tsx")}
    graph = {name: set() for name in files}
    for name, path in files.items():
        for imported in IMPORT.findall((root / path).read_text(encoding="utf-8")):
            other = os.path.normpath(path.parent / imported)
            if other in files:
                graph[name].add(other)
    return graph


def check(root, paths):
    for members in circles(imports(root, paths)):
        yield f"import circle: {', '.join(members)}"
    folders, units = graphs(root, paths)
    for members in circles(folders):
        yield f"include circle of folders: {', '.join(members)}"
    for members in circles(units):
        folder = str(pathlib.Path(members[0]).parent)
        yield f"include circle in {folder}: {', '.join(pathlib.Path(unit).name for unit in members)}"
