// SPDX-License-Identifier: BSD-3-Clause
// Turns an unfinished archive into a finished one: files written, arenas removed, folder renamed, in this order.
#ifndef EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_
#define EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_

#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/unify/build_profile.h"

namespace epik::archive {

struct WriteRequest {
  std::string unfinished;  // folder that holds arenas/
  std::string parent;      // where the finished archive goes
  EndingHint hint;
  bool keep_arenas = false;
  // Where each process of `images` wrote its trace while it ran; empty, or missing: it did not.
  std::vector<std::string> trace_files;
};

struct WriteResult {
  std::string path;                 // of the finished archive; empty when there was nothing to keep
  std::vector<std::string> digest;  // lines for people
};

// Collective; `images` are those of the processes whose arenas this one has: handed over, because this may be in the
// memory of the measured program. Rank 0 alone has a result. False, with the reason in *error, and nothing but new
// files in the unfinished folder. All ranks get the same answer.
bool WriteArchive(Group* group, std::vector<epitome::ProcessImage> images, const WriteRequest& request,
                  WriteResult* result, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_
