// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/abi/finish.h"

#include <cstdio>

#include "archive/close/digest.h"
#include "archive/close/write_archive.h"
#include "archive/files/guarded.h"

namespace {

void Copy(const std::string& text, char* to, size_t size) { std::snprintf(to, size, "%s", text.c_str()); }

// Even when something fails, the other processes of the group must get answers. So there is no return before
// WriteArchive.
bool FinishThisProcess(const EpikFinishRequest& request, epik::archive::WriteResult* result, std::string* error) {
  std::vector<epik::archive::ProcessImage> images(1);
  std::string why;
  if (request.arena == nullptr ||
      !epik::archive::ReadProcessImage(request.arena, request.arena_bytes, images.data(), &why)) {
    images.clear();
  }
  epik::archive::Group group(request.group);
  epik::archive::WriteRequest write;
  write.unfinished = request.unfinished;
  write.parent = request.archive_folder;
  write.keep_arenas = request.keep_arenas != 0;
  if (request.trace_file != nullptr && !images.empty()) images[0].trace_file = request.trace_file;
  const bool done = epik::archive::WriteArchive(&group, std::move(images), write, result, error);
  if (!done && !why.empty()) *error = why;
  return done;
}

}  // namespace

int epik_finish(const EpikFinishRequest* request, EpikFinishResult* result) {
  std::string error;
  if (request->version != kEpikFinishVersion) {
    Copy("libepk.so and libepk_archive.so are of different versions", result->error, sizeof result->error);
    return 1;
  }
  epik::archive::WriteResult written;
  const bool done = epik::archive::Guarded(&error, [&] { return FinishThisProcess(*request, &written, &error); });
  Copy(error, result->error, sizeof result->error);
  Copy(written.path, result->archive, sizeof result->archive);
  std::string digest;
  for (const std::string& line : written.digest) digest += epik::archive::OnScreen(line);
  Copy(digest, result->digest, sizeof result->digest);
  return done ? 0 : 1;
}
