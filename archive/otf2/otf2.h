// SPDX-License-Identifier: BSD-3-Clause
// Writes traces as OTF2, with the OTF2 library: the format of Vampir, Scalasca and others. `epk convert` uses it in a
// single process, libepk_otf2.so with all processes of a job together.
#ifndef EPIK_ARCHIVE_OTF2_OTF2_H_
#define EPIK_ARCHIVE_OTF2_OTF2_H_

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <vector>

#include "archive/otf2/run.h"
#include "archive/trace/walk.h"

namespace epik::archive {

// Makes a directory `path` with traces.otf2 in it.
bool WriteOtf2(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error);

// The processes of a job that write one directory together; each writes the locations of its rank.
class Otf2Job {
 public:
  virtual ~Otf2Job() = default;
  virtual int32_t rank() const = 0;
  virtual bool IsPrimary() const = 0;  // writes the definitions
  // Collective. Returns true when all pass true.
  virtual bool Agree(bool mine) = 0;
  virtual bool SetCallbacks(OTF2_Archive* archive) = 0;
  // Collective. The primary gets, over all processes, the number of events by location, the communicators that have
  // events with those they were made from, and the last time.
  virtual bool Gather(std::map<uint64_t, uint64_t>* counts, std::map<uint32_t, uint32_t>* lives, int64_t* last_ns) = 0;
};

// Collective. Each process has opened the archive with all definitions and its own streams; `part` is those streams.
bool WriteOtf2(const TracePart& part, const std::string& path, const Otf2Run& run, Otf2Job* job,
               std::vector<std::string>* notes, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_OTF2_H_
