# SPDX-License-Identifier: BSD-3-Clause
"""The functions of an installed mpi.h, read from the preprocessor's output."""
import re
from dataclasses import dataclass, field

# Names of functions that programs call. Constants that look like functions (MPI_COMM_DUP_FN) and callback types do not match.
NAME = r"(?:P?MPIX?_[A-Z_]*[a-z]\w*)"
PROTOTYPE = re.compile(rf"^(?P<result>[\w\s\*]+?)\s*\b(?P<name>{NAME})\s*\((?P<parameters>.*)\)$", re.S)
# The standard's names, where an implementation has others.
STANDARD_NAMES = {"indx": "index", "MPI_Precv_init dest": "source", "MPI_Type_commit type": "datatype",
                  "MPI_Type_free type": "datatype"}


@dataclass
class Parameter:
    declaration: str  # as in the header: "const int counts[]"
    name: str
    base: str         # the type without const and pointers: "int"
    depth: int        # how many * and [] it has

    @property
    def is_text(self):
        return self.base == "char" and self.depth > 0


@dataclass
class Function:
    name: str  # "MPI_Send"
    result: str
    parameters: list = field(default_factory=list)
    variadic: bool = False

    @property
    def routine(self):
        """The name without its prefix: its identifier in C++."""
        return re.sub(r"^MPI_", "", self.name)

    @property
    def meaning(self):
        """The name that rules are written for: large counts and extensions mean the same."""
        return re.sub(r"_c$", "", re.sub(r"^MPIX?_", "", self.name))


def without_attributes(text):
    """`text` less every __attribute__((…))."""
    pieces, at = [], 0
    for match in re.finditer(r"__attribute__\s*\(", text):
        if match.start() < at:
            continue
        pieces.append(text[at:match.start()])
        depth, at = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return "".join(pieces) + text[at:]


def parse_parameter(text, number, function):
    text = " ".join(text.split())
    match = re.match(r"^(?P<type>.*?[\s\*])(?P<name>[A-Za-z_]\w*)\s*(?P<arrays>(?:\[\w*\]\s*)*)$", text)
    if match is None:  # without a name
        name, declaration = f"argument{number}", f"{text} argument{number}"
        kind, depth = text, text.count("*")
    else:
        name = match["name"]
        name = STANDARD_NAMES.get(f"{function} {name}", STANDARD_NAMES.get(name, name))
        declaration = f"{match['type']}{name}{match['arrays']}".strip()
        kind, depth = match["type"], match["type"].count("*") + match["arrays"].count("[")
    base = " ".join(word for word in kind.replace("*", " ").split() if word != "const")
    return Parameter(declaration, name, base, depth)


def parse(text):
    """All functions MPI_… and MPIX_… that `text` declares and a PMPI name exists for, by name."""
    text = without_attributes(re.sub(r"^\s*#.*$", "", text, flags=re.M))
    functions, profiled = {}, set()
    for statement in re.split(r"[;{}]", text):
        match = PROTOTYPE.match(" ".join(statement.split()))
        if match is None or re.search(r"\b(typedef|return)\b", match["result"]):
            continue
        if match["name"].startswith("P"):
            profiled.add(match["name"][1:])
            continue
        words = [word for word in match["result"].split() if word not in ("extern",)]
        function = Function(match["name"], " ".join(words))
        for number, piece in enumerate(match["parameters"].split(",")):
            if piece.strip() == "...":
                function.variadic = True
            elif piece.strip() not in ("void", ""):
                function.parameters.append(parse_parameter(piece, number, function.name))
        functions[function.name] = function
    return {name: functions[name] for name in sorted(functions) if name in profiled or name.startswith("MPIX_")}
