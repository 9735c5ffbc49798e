// SPDX-License-Identifier: BSD-3-Clause
// Translates EPIK's words to those of OTF2: roles and paradigms of regions, collective operations, kinds of metrics.
#ifndef EPIK_ARCHIVE_OTF2_WORDS_H_
#define EPIK_ARCHIVE_OTF2_WORDS_H_

#include <otf2/otf2.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "archive/trace/maps.h"

namespace epik::archive {

inline constexpr char kThreadRole[] = "thread create";  // for the time of a thread of libc, from begin to end

OTF2_RegionRole RoleOf(const std::string& role);
OTF2_RegionFlag FlagsOf(const std::string& role);  // phases have no role of their own
OTF2_Paradigm ParadigmOf(const std::string& paradigm);

// The ways in which a program runs in parallel.
struct ParadigmWord {
  const char *name, *title;
  OTF2_Paradigm number;
  OTF2_ParadigmClass kind;
};
std::span<const ParadigmWord> Paradigms();

// The operation of MPI_Iallreduce, MPI_Allreduce_c and MPI_Allreduce_init is that of MPI_Allreduce.
OTF2_CollectiveOp OperationOf(std::string name);

// The effect of an MPI function on communicators, if it waits for that effect. (MPI_Comm_idup does not.)
enum class CommCall : uint8_t { kNone, kMakes, kFrees };
CommCall OfCommunicator(std::string_view function);

OTF2_MetricType SourceOf(const std::string& metric, MetricName::Kind kind);
OTF2_Type TypeOf(MetricName::Kind kind);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_WORDS_H_
