// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/special_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "archive/files/atomic_file.h"

namespace epik::archive {
namespace {

namespace fs = std::filesystem;

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

bool Fail(const std::string& path, std::string* error) {
  *error = path + ": cannot be written: " + std::strerror(errno);
  return false;
}

bool CopyTo(const std::string& from, const std::string& path, std::string* error) {
  const File source(fopen(from.c_str(), "re"), fclose);
  File target(fopen(path.c_str(), "we"), fclose);
  if (source == nullptr || target == nullptr) return Fail(path, error);
  char buffer[64 * 1024];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, source.get())) > 0;) {
    if (fwrite(buffer, 1, n, target.get()) != n) return Fail(path, error);
  }
  return fclose(target.release()) == 0 || Fail(path, error);
}

}  // namespace

bool IsSpecialFile(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool WriteFileOrDevice(const std::string& path, std::string_view contents, std::string* error) {
  if (!IsSpecialFile(path)) return WriteFileAtomically(path, contents, error);
  File target(fopen(path.c_str(), "we"), fclose);
  if (target == nullptr) return Fail(path, error);
  if (fwrite(contents.data(), 1, contents.size(), target.get()) != contents.size()) return Fail(path, error);
  return fclose(target.release()) == 0 || Fail(path, error);
}

bool MakeFileOrDevice(const std::string& path, const FileWriting& write, std::string* error) {
  if (!IsSpecialFile(path)) return write(path, error);
  std::error_code trouble;
  std::string folder = (fs::temp_directory_path(trouble) / "epik_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return Fail(folder, error);
  const std::string at = folder + "/file";
  const bool good = write(at, error) && CopyTo(at, path, error);
  fs::remove_all(folder, trouble);
  return good;
}

}  // namespace epik::archive
