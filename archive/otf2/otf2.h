// SPDX-License-Identifier: BSD-3-Clause
// OTF2, through its library: what Vampir, Scalasca and others read.
#ifndef EPIK_ARCHIVE_OTF2_OTF2_H_
#define EPIK_ARCHIVE_OTF2_OTF2_H_

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <vector>

#include "archive/trace/walk.h"

namespace epik::report {

// Makes a directory `path`, with traces.otf2 in it.
bool WriteOtf2(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error);

// The processes of a job that write one directory together, each the locations of its rank.
class Otf2Job {
 public:
  virtual ~Otf2Job() = default;
  virtual int32_t rank() const = 0;
  virtual bool IsPrimary() const = 0;  // writes the definitions
  // Collective: whether all say yes.
  virtual bool Agree(bool mine) = 0;
  virtual bool SetCallbacks(OTF2_Archive* archive) = 0;
  // Collective: events by location, and the last moment, of all at the primary.
  virtual bool Gather(std::map<uint64_t, uint64_t>* counts, int64_t* last_ns) = 0;
};

// Collective. `part` is of an archive of which everybody has the definitions and its own streams.
bool WriteOtf2(const TracePart& part, const std::string& path, Otf2Job* job, std::vector<std::string>* notes,
               std::string* error);

}  // namespace epik::report

#endif  // EPIK_ARCHIVE_OTF2_OTF2_H_
