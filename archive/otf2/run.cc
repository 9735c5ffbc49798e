// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/run.h"

#include <ctime>

#include "archive/files/byte_source.h"
#include "archive/files/manifest.h"

namespace epik::archive {
namespace {

// Reads "2026-11-24T12:00:00+0000" as nanoseconds since 1970; 0 when the text is no such time.
int64_t Nanoseconds(const std::string& date) {
  struct tm parts = {};
  const char* end = strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S%z", &parts);
  if (end == nullptr) return 0;
  const auto offset = parts.tm_gmtoff;  // timegm overwrites it
  return (timegm(&parts) - offset) * int64_t{1000000000};
}

}  // namespace

Otf2Run RunOf(const TraceArchive& archive) {
  std::string text, ignored;
  Manifest manifest;
  const bool known = ReadFile(archive.path() + "/manifest.json", Manifest::kLargest, &text, &ignored) &&
                     Manifest::FromJson(text, &manifest, &ignored) && !manifest.program.empty();
  if (!known) return {"program"};
  return {manifest.program, Nanoseconds(manifest.started)};
}

}  // namespace epik::archive
