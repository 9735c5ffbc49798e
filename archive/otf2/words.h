// SPDX-License-Identifier: BSD-3-Clause
// OTF2's words for EPIK's: roles and paradigms of regions, collective operations, kinds of metrics.
#ifndef EPIK_ARCHIVE_OTF2_WORDS_H_
#define EPIK_ARCHIVE_OTF2_WORDS_H_

#include <otf2/otf2.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "archive/trace/maps.h"

namespace epik::archive {

inline constexpr char kThreadRole[] = "thread create";  // of what a thread of libc is, from begin to end

OTF2_RegionRole RoleOf(const std::string& role);
OTF2_RegionFlag FlagsOf(const std::string& role);  // phases have no role of their own
OTF2_Paradigm ParadigmOf(const std::string& paradigm);

// The ways in which a program does things side by side.
struct ParadigmWord {
  const char *name, *title;
  OTF2_Paradigm number;
  OTF2_ParadigmClass kind;
};
std::span<const ParadigmWord> Paradigms();

// MPI_Iallreduce, MPI_Allreduce_init: what they do all the same.
OTF2_CollectiveOp OperationOf(std::string name);

// Whether a function of MPI makes or frees a communicator and waits for that. (MPI_Comm_idup does not.)
enum class CommCall : uint8_t { kNone, kMakes, kFrees };
CommCall OfCommunicator(std::string_view function);

OTF2_MetricType SourceOf(const std::string& metric, MetricName::Kind kind);
OTF2_Type TypeOf(MetricName::Kind kind);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_WORDS_H_
