// SPDX-License-Identifier: BSD-3-Clause
// The directory that holds everything of one measurement: opened by the tools, put in place by the runtime.
#ifndef EPIK_ARCHIVE_DIRECTORY_ARCHIVE_H_
#define EPIK_ARCHIVE_DIRECTORY_ARCHIVE_H_

#include <string>
#include <vector>

#include "archive/files/atomic_file.h"
#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::archive {

inline constexpr char kManifestName[] = "manifest.json";
inline constexpr char kSummaryName[] = "summary.cubex";
inline constexpr char kArenasName[] = "arenas";             // of a run that has not finished
inline constexpr char kUnfinishedSuffix[] = ".unfinished";  // of the directory until it is complete

struct Archive {
  std::string path;  // as given, without trailing slashes
  bool is_directory = false;
  std::string summary_path;  // the .cubex file; empty when there is none
  bool has_manifest = false;
  Manifest manifest;  // the defaults when there is none

  // notes (may be null): what the file has and a profile has not.
  bool ReadProfile(epitome::Profile* profile, std::string* error, std::vector<std::string>* notes = nullptr) const;
};

// path: an archive directory, or any .cubex file. The error says what the path is and what was expected.
bool Open(const std::string& path, Archive* archive, std::string* error);

// "epik_<title>" with characters that no file name should have replaced; never empty, at most 200 bytes of title.
std::string ArchiveName(const std::string& title);

// Where an archive of that title would go now: parent/epik_<title>, or with .1, .2 … when that exists.
std::string FinalPath(const std::string& parent, const std::string& title);

// Renames a complete archive to its final name. Nothing is ever replaced, whoever else publishes at the same time.
bool PublishDirectory(const std::string& unfinished, const std::string& parent, const std::string& title,
                      std::string* final_path, std::string* error);

namespace internal {

enum class Renamed { kYes, kExists, kFailed };  // kFailed: errno says why

// A rename that does not replace. Without the kernel's help (NFS, old kernels): reserves the name by an empty
// directory.
Renamed RenameNew(const std::string& from, const std::string& to, bool ask_kernel);

}  // namespace internal
}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_DIRECTORY_ARCHIVE_H_
