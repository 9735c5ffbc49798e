// SPDX-License-Identifier: BSD-3-Clause
// An archive that a tool makes under a given name: under this name it is whole, or does not exist.
//
//   NewArchive made;
//   made.Open("epik_b", &error) && /* write files into made.path() */ && made.Commit(&error);
#ifndef EPIK_ARCHIVE_DIRECTORY_NEW_ARCHIVE_H_
#define EPIK_ARCHIVE_DIRECTORY_NEW_ARCHIVE_H_

#include <string>

namespace epik::archive {

class NewArchive {
 public:
  NewArchive() = default;
  NewArchive(const NewArchive&) = delete;
  NewArchive& operator=(const NewArchive&) = delete;
  ~NewArchive();  // removes what was written, unless Commit succeeded

  // Returns false, with the reason, when the name exists already: an archive is never replaced.
  bool Open(const std::string& target, std::string* error);
  const std::string& path() const { return path_; }
  bool Commit(std::string* error);

 private:
  std::string target_, path_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_DIRECTORY_NEW_ARCHIVE_H_
