// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, uint64_t size) : fd_(fd), size_(size) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { close(fd_); }

  uint64_t size() const override { return size_; }

  bool ReadAt(uint64_t offset, void* to, size_t n) const override {
    if (offset > size_ || n > size_ - offset) return false;
    char* at = static_cast<char*>(to);
    while (n > 0) {
      const ssize_t got = pread(fd_, at, n, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;  // 0: the file was cut off meanwhile
      at += got;
      offset += static_cast<uint64_t>(got);
      n -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int fd_;
  uint64_t size_;
};

}  // namespace

std::unique_ptr<ByteSource> OpenFile(const std::string& path, std::string* error) {
  std::unique_ptr<ByteSource> source;
  Guarded(error, [&] {
    // O_NONBLOCK: opening a pipe must not wait for its writer.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
      *error = path + ": " + std::generic_category().message(errno);
      return false;
    }
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
      close(fd);
      *error = path + ": not a regular file";
      return false;
    }
    source = std::make_unique<FileSource>(fd, static_cast<uint64_t>(info.st_size));
    return true;
  });
  return source;
}

// Uses system calls, because libstdc++'s streams need its locales, which are half of libepk_archive.so.
bool ReadStream(const std::string& path, std::string* contents) {
  contents->clear();
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = 0;
  std::string error;
  const bool all = Guarded(&error, [&] {
    char block[4096];
    while ((got = read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
      if (got > 0) contents->append(block, static_cast<size_t>(got));
    }
    return got == 0;
  });
  close(fd);
  return all;
}

bool ReadFile(const std::string& path, uint64_t limit, std::string* contents, std::string* error) {
  return Guarded(error, [&] {
    const std::unique_ptr<ByteSource> file = OpenFile(path, error);
    if (file == nullptr) return false;
    if (file->size() > limit) {
      *error = path + ": larger than " + std::to_string(limit) + " bytes";
      return false;
    }
    contents->resize(file->size());
    if (file->ReadAt(0, contents->data(), contents->size())) return true;
    *error = path + ": cannot be read";
    return false;
  });
}

}  // namespace epik::archive
