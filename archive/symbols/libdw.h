// SPDX-License-Identifier: BSD-3-Clause
// libdw is loaded when the first file with debug information is opened. A program without debug information loads
// neither it nor the three libraries that it needs. Inside this namespace its functions keep their names.
#ifndef EPIK_ARCHIVE_SYMBOLS_LIBDW_H_
#define EPIK_ARCHIVE_SYMBOLS_LIBDW_H_

#include <elfutils/libdw.h>

namespace epik::symbols {

#define EPIK_LIBDW_FUNCTIONS(F) \
  F(dwarf_addrdie)              \
  F(dwarf_attr)                 \
  F(dwarf_attr_integrate)       \
  F(dwarf_begin_elf)            \
  F(dwarf_child)                \
  F(dwarf_cu_die)               \
  F(dwarf_cu_getdwarf)          \
  F(dwarf_cu_info)              \
  F(dwarf_cuoffset)             \
  F(dwarf_decl_line)            \
  F(dwarf_diename)              \
  F(dwarf_dieoffset)            \
  F(dwarf_end)                  \
  F(dwarf_entrypc)              \
  F(dwarf_filesrc)              \
  F(dwarf_formstring)           \
  F(dwarf_formudata)            \
  F(dwarf_get_units)            \
  F(dwarf_getsrc_die)           \
  F(dwarf_getsrcfiles)          \
  F(dwarf_getsrclines)          \
  F(dwarf_haschildren)          \
  F(dwarf_lineaddr)             \
  F(dwarf_linebeginstatement)   \
  F(dwarf_linecol)              \
  F(dwarf_lineno)               \
  F(dwarf_linesrc)              \
  F(dwarf_nextcu)               \
  F(dwarf_offdie)               \
  F(dwarf_onesrcline)           \
  F(dwarf_ranges)               \
  F(dwarf_siblingof)            \
  F(dwarf_srclang)              \
  F(dwarf_tag)

#define EPIK_LIBDW_DECLARE(function) extern decltype(&::function) function;
EPIK_LIBDW_FUNCTIONS(EPIK_LIBDW_DECLARE)
#undef EPIK_LIBDW_DECLARE

// Returns false when this machine has no libdw. The functions above may be called only after it has returned true.
bool LoadLibdw();

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_LIBDW_H_
