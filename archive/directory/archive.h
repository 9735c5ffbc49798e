// SPDX-License-Identifier: BSD-3-Clause
// An archive is the directory that holds everything of one measurement. Tools open it here; the end of a measurement
// gives it its final name here (publish.cc).
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

// Says why a directory with that suffix cannot be read, and which command to type.
std::string NotFinished(const std::string& path);

struct Archive {
  std::string path;  // as given, without trailing slashes
  bool is_directory = false;
  std::string summary_path;  // the .cubex file; empty if the archive lacks it
  bool has_manifest = false;
  Manifest manifest;  // the defaults if the archive lacks it

  // `notes` (may be null) gets sentences about content of the file that a profile cannot hold.
  bool ReadProfile(Profile* profile, std::string* error, std::vector<std::string>* notes = nullptr) const;
};

// `path` is an archive directory or any .cubex file. The error names the content of the path, and the expected content.
bool Open(const std::string& path, Archive* archive, std::string* error);

// "epik_<title>". Characters that do not belong in a file name are replaced, and the title is cut after 200 bytes.
std::string ArchiveName(const std::string& title);

// The path that a new archive with this title gets: parent/epik_<title>, or with .1, .2 … when that exists.
std::string FinalPath(const std::string& parent, const std::string& title);

// Renames a complete archive to its final name. It never replaces an archive, even if several processes publish at the
// same time.
bool PublishDirectory(const std::string& unfinished, const std::string& parent, const std::string& title,
                      std::string* final_path, std::string* error);

namespace internal {

enum class Renamed { kYes, kExists, kFailed };  // kFailed: errno has the reason

// Renames without replacing. When the kernel cannot do that (NFS, old kernels), an empty directory reserves the name.
Renamed RenameNew(const std::string& from, const std::string& to, bool ask_kernel);

}  // namespace internal
}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_DIRECTORY_ARCHIVE_H_
