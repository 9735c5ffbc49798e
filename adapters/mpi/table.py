# SPDX-License-Identifier: BSD-3-Clause
"""mpi.def: the group of each routine, and its records."""
import re
from dataclasses import dataclass, field

FIELDS = ("needs", "first", "nested", "begin", "use", "ok", "track", "made", "end", "moves")


def group_order(settings):
    """The bit of each group: its place in kMpiGroups of config/settings.h."""
    pieces = re.search(r'kMpiGroups\s*=\s*((?:"[^"]*"\s*)+);', settings)[1]
    words = "".join(re.findall(r'"([^"]*)"', pieces)).split(" ")
    return {name: bit for bit, name in enumerate(word for word in words if word != "|")}


@dataclass
class Meaning:
    needs: list = field(default_factory=list)
    first: list = field(default_factory=list)
    nested: list = field(default_factory=list)
    begin: list = field(default_factory=list)
    use: dict = field(default_factory=dict)  # parameter -> expression
    ok: list = field(default_factory=list)
    track: list = field(default_factory=list)
    made: list = field(default_factory=list)
    end: list = field(default_factory=list)

    def code(self):
        return self.begin + self.ok + self.track + self.made + self.end


def communicators(function):
    """The names of the first communicator that is given and of the one that is returned."""
    given = [p.name for p in function.parameters if p.base == "MPI_Comm" and p.depth == 0]
    made = [p.name for p in function.parameters if p.base == "MPI_Comm" and p.depth == 1]
    return (given + [""])[0], (made + [""])[0]


def add_collective(meaning, function, bytes_):
    """A collective operation that moves these bytes, or (a barrier) nothing."""
    root = "root" if any(p.name == "root" for p in function.parameters) else "kNoRoot"
    counts = bytes_ != "nothing"
    if function.meaning.endswith("_init"):
        words = f"RequestKey(*request), {bytes_}, comm, {root}" if counts else "RequestKey(*request), comm"
        meaning.track.append(f"TrackCollective(call.region(), {words})")
        return
    later = function.meaning[0] == "I"
    # Asks twice in the same words, so that a call without notes asks only once.
    asked = "Announces" if later else "Notes"
    begin = "call.begun.request = BeginLater(call.region(), call.Traces())" if later else \
        "BeginBlocking(call)"
    meaning.begin.append(f"if (call.{asked}()) {begin}")
    meaning.ok += [f"Collective(&call, {bytes_})"] if counts else []
    end = f"EndCollectiveLater(call.returned(), result, request, comm, {root})" if later else \
        f"EndCollective(call, result, comm, {root})"
    meaning.end.append(f"if (call.{asked}()) {end if later else f'call.Left({end})'}")


class Table:
    def __init__(self, lines, settings):
        self.groups, self.rules = [], []
        self.order = group_order(settings)
        for number, line in enumerate(lines, 1):
            words = line.split(None, 1)
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "group":
                name, pattern = words[1].split(None, 1)
                self.groups.append((re.compile(pattern.strip(), re.I), name))
            elif words[0] == "does":
                self.rules.append((re.compile(words[1].strip(), re.I), []))
            elif words[0] in FIELDS and self.rules:
                self.rules[-1][1].append((words[0], words[1].strip()))
            else:
                raise SystemExit(f"mpi.def:{number}: '{words[0]}' is not known")

    def group(self, function):
        if function.name.startswith("MPI_T_"):
            return "MISC"
        return next(name for pattern, name in self.groups if pattern.fullmatch(function.meaning))

    def bits(self, function):
        """The group as bits of EPK_MPI_ENABLED: its own, and those of both parts of its name."""
        name = self.group(function)
        both = [self.order[part] for part in name.split("_") if "_" in name and part in self.order]
        return 1 << self.order[name], sum(1 << bit for bit in both) if len(both) == 2 else 0

    def meaning(self, function):
        meaning = Meaning()
        for pattern, pieces in self.rules:
            if not pattern.fullmatch(function.meaning):
                continue
            for kind, text in pieces:
                if kind == "use":
                    name, expression = text.split("=", 1)
                    meaning.use[name] = expression
                elif kind == "moves":
                    add_collective(meaning, function, text)
                else:
                    old, new = communicators(function)
                    text = re.sub(r"\bOLD\b", old, re.sub(r"\bNEW\b", f"CommOf(*{new})", text))
                    getattr(meaning, kind).append(text)
        return meaning
