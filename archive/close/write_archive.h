// SPDX-License-Identifier: BSD-3-Clause
// Turns an unfinished archive into a finished one: writes files, removes arenas and renames the folder, in this order.
#ifndef EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_
#define EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_

#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/unify/build_profile.h"

namespace epik::archive {

struct WriteRequest {
  std::string unfinished;  // folder that holds arenas/
  std::string parent;      // the folder for the finished archive
  EndingHint hint;
  bool keep_arenas = false;
  std::vector<std::string> damaged;  // arenas that the caller could not read as a whole; the archive keeps them
  // The file to which each process of `images` wrote its trace while it ran; empty or missing if it wrote none.
  std::vector<std::string> trace_files;
};

struct WriteResult {
  std::string path;                 // of the finished archive; empty when there is nothing to keep
  std::vector<std::string> digest;  // lines for people
  std::string damage;               // a sentence about damaged arenas; empty when there were none
};

// Collective. `images` are the processes whose arenas this process has. They are moved, because this may run in the
// memory of the measured program. Only rank 0 gets a result. If it returns false, with the reason in *error, the arenas
// are as they were, perhaps with new files beside them. All ranks get the same answer.
bool WriteArchive(Group* group, std::vector<ProcessImage> images, const WriteRequest& request, WriteResult* result,
                  std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_WRITE_ARCHIVE_H_
