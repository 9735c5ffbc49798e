# SPDX-License-Identifier: BSD-3-Clause
"""The wrappers of the Fortran bindings. Arguments are passed on unchanged; values for records are converted beside the
call."""
import re

import emit_c

# Routines that are functions in Fortran.
RESULTS = {"Wtime": "double", "Wtick": "double", "Aint_add": "MPI_Aint", "Aint_diff": "MPI_Aint"}
# Routines whose arguments differ from C's.
PARAMETERS = {"Init": [], "Init_thread": ["required", "provided"], "Pcontrol": ["level"]}
WITHOUT_ERROR = set(RESULTS) | {"Pcontrol"}
# Routines with a type(C_PTR): they have specific names.
WITH_POINTER = ("Alloc_mem", "Win_allocate", "Win_allocate_shared", "Win_shared_query")


def has_fortran(function):
    return not re.search(r"^MPI_T_|_[cf]2[cf]|Status_\w*2|_f082|2f08|DUP_FN", function.name)


def symbols_of(function, flavour):
    """Exported names: one wrapper each, with the other spelling that compilers have (-fsecond-underscore) as its alias."""
    low = re.sub(r"_c$", "", function.name).lower()
    large = function.name.endswith("_c")
    if flavour == "mpich":  # its other bindings call the C symbol, which is wrapped
        # The implementation calls some of its extensions by the names that the standard took over.
        lows = {low, low.replace("mpix_", "mpi_")} if "_error_" in low else {low}
        return [(f"{low}_f08_large_" if large else f"{low}_f08_", []) for low in sorted(lows)]
    names = [] if large else [(f"{low}_", [f"{low}__"]), (f"{low}_f08_", [])]
    if function.routine in WITH_POINTER:
        names += [(f"{low}_cptr_", [f"{low}_cptr__"]), (f"{low}_cptr_f08_", [])]
    return names


def conversion(parameter):
    """The expression for the parameter in records, from the address that Fortran passes."""
    name, base, given = parameter.name, parameter.base, parameter.name + "_f"
    if base == "void":
        return f"const void* {name} = Buffer({given});"
    if base in ("MPI_Request", "MPI_Status", "MPI_Message") or (base in ("MPI_Comm", "MPI_Win", "MPI_File") and parameter.depth):
        return f"auto* {name} = static_cast<MPI_Fint*>({given});"
    if base == "MPI_Datatype":
        kind = "TypeList" if parameter.depth else "MPI_Datatype"
        value = f"TypeList({given})" if parameter.depth else f"TypeOf({given})"
        return f"const {kind} {name} = {value};"
    if base in ("MPI_Comm", "MPI_File", "MPI_Group", "MPI_Op", "MPI_Win"):
        return f"const {base} {name} = {base[4:]}Of({given});"
    if parameter.depth:
        return f"auto* {name} = static_cast<{base}*>({given});"
    return f"const {base} {name} = *static_cast<const {base}*>({given});"


class Signature:
    def __init__(self, function):
        routine = re.sub(r"_c$", "", function.routine)
        self.result = RESULTS.get(routine, "void")
        self.names = PARAMETERS.get(routine, [p.name for p in function.parameters])
        self.has_error = routine not in WITHOUT_ERROR
        self.lengths = sum(p.is_text for p in function.parameters if p.name in self.names)

    def declarations(self):
        hidden = [f"size_t length{i}" for i in range(self.lengths)]
        return ", ".join([f"void* {name}_f" for name in self.names] +
                         (["MPI_Fint* ierror"] if self.has_error else []) + hidden)

    def arguments(self, use):
        hidden = [f"length{i}" for i in range(self.lengths)]
        return ", ".join([use.get(name, f"{name}_f") for name in self.names] +
                         (["ierror"] if self.has_error else []) + hidden)


def wrapper(function, meaning, symbol, aliases, index):
    signature = Signature(function)
    declarations = signature.declarations()
    lines = [f"EPIK_EXPORT {signature.result} {symbol}({declarations}) {{",
             f"  using Real = {signature.result}({declarations});",
             *(f"  {text};" for text in meaning.first),
             f"  Call call(routines[{index}], EPIK_HERE);"]
    real = "call.Real<Real>()"
    after = emit_c.aftermath(function, meaning)
    if not (signature.has_error and (after or meaning.begin)):
        lines.append(f"  return {real}({signature.arguments({})});")
    else:
        words = emit_c.words_of(meaning) | {p.name for p in emit_c.new_communicators(function)}
        needed = [p for p in function.parameters if p.name in words and p.name in signature.names]
        early = {p.name for p in needed if re.search(rf"\b{p.name}\b", " ".join(meaning.begin))}
        lines.append("  MPI_Fint unasked;")
        lines.append("  if (ierror == nullptr) ierror = &unasked;")
        for text in meaning.nested:
            used = [conversion(p) for p in function.parameters if re.search(rf"\b{p.name}\b", text)]
            lines.append(f"  if (call.IsNested()) {{ {' '.join(used)} {text}; }}")
        if meaning.begin or meaning.end:
            lines.append(f"  if (call.IsNested()) return {real}({signature.arguments({})});")
        lines += [f"  {conversion(p)}" for p in needed if p.name in early]
        lines += [f"  {text};" for text in meaning.begin]
        lines.append(f"  {real}({signature.arguments(meaning.use)});")
        if after:
            lines.append("  const int result = *ierror;")
            late = [f"    {conversion(p)}" for p in needed if p.name not in early]
            lines += (["  if (call.Made(result)) {"] if not meaning.end else ["  {"]) + late
            lines += ["    " + line for line in after] + ["  }"]
    lines += ["}"]
    lines += [f'EPIK_EXPORT {signature.result} {alias}({declarations}) __attribute__((alias("{symbol}")));'
              for alias in aliases]
    return "\n".join(lines + [""])


def emit(functions, table, flavour):
    rows = [(function, symbol, aliases) for function in functions if has_fortran(function)
            for symbol, aliases in symbols_of(function, flavour)]
    out = [emit_c.HEAD.format(headers='#include "adapters/mpi/fortran.h"', first_place="FirstPlaceOfFortran()")]
    out.append(emit_c.routines(table, [(function, symbol) for function, symbol, _ in rows]))
    out.append('extern "C" {\n')
    out += [wrapper(function, table.meaning(function), symbol, aliases, index)
            for index, (function, symbol, aliases) in enumerate(rows)]
    out.append('}  // extern "C"\n\n}  // namespace epik::mpi\n')
    return "\n".join(out)
