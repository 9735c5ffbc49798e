// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

constexpr size_t kBufferBytes = size_t{64} * 1024;
constexpr int kNameAttempts = 1000;

// The owner of an archive can read it under any umask.
void LetOwnerUse(int fd) {
  struct stat made;
  if (fstat(fd, &made) == 0 && (made.st_mode & 0600) != 0600) fchmod(fd, (made.st_mode & 0777) | 0600);
}

}  // namespace

AtomicFile::~AtomicFile() { Discard(); }

bool AtomicFile::Open(const std::string& path, std::string* error) {
  return Guarded(error, [&] {
    Discard();
    path_ = path;
    written_ = 0;
    buffer_.reserve(kBufferBytes);
    // O_EXCL: a name that is in use (by another thread or host, or as the remains of a killed run) is left alone.
    const std::string number = "." + std::to_string(getpid());
    std::string stem = path + number;
    for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
      std::string name = stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".tmp";
      fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd_ >= 0) LetOwnerUse(fd_);
      if (fd_ >= 0) temporary_ = std::move(name);
      if (fd_ < 0 && errno == ENAMETOOLONG && attempt == 0) {
        stem = path.substr(0, path.rfind('/') + 1) + "epik" + number;  // a name may be as long as the system allows
        continue;
      }
      if (fd_ >= 0 || errno != EEXIST) break;
    }
    return fd_ >= 0 || Fail("cannot be created", error);
  });
}

bool AtomicFile::Write(const void* data, size_t n, std::string* error) {
  const char* from = static_cast<const char*>(data);
  written_ += n;
  while (n > 0) {
    if (buffer_.size() == kBufferBytes && !Flush(error)) return false;
    const size_t part = std::min(n, kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), from, from + part);  // within the reserve, so this allocates nothing
    from += part;
    n -= part;
  }
  return true;
}

bool AtomicFile::Flush(std::string* error) {
  size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t put = write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Fail("cannot be written", error);
    done += static_cast<size_t>(put);
  }
  buffer_.clear();
  return true;
}

bool AtomicFile::Rewrite(uint64_t at, const void* data, size_t n, std::string* error) {
  if (!Flush(error)) return false;
  const char* from = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t put = pwrite(fd_, from, n, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Fail("cannot be written", error);
    from += put;
    at += static_cast<uint64_t>(put);
    n -= static_cast<size_t>(put);
  }
  return true;
}

bool AtomicFile::Commit(bool sync, std::string* error) {
  return Guarded(error, [&] {
    if (fd_ < 0) {
      *error = path_ + ": not open";  // or it has failed before
      return false;
    }
    if (!Flush(error)) return false;
    if (sync && fsync(fd_) != 0) return Fail("cannot be written", error);
    const int closed = close(fd_);  // some file systems report a full disk only here
    fd_ = -1;
    if (closed != 0) return Fail("cannot be written", error);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Fail("cannot be put in place", error);
    temporary_.clear();
    return true;
  });
}

bool AtomicFile::Fail(const char* what, std::string* error) {
  const int reason = errno;
  Guarded(error, [&] {
    *error = path_ + ": " + what + ": " + std::generic_category().message(reason);
    return true;
  });
  Discard();
  return false;
}

void AtomicFile::Discard() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  fd_ = -1;
  temporary_.clear();
  buffer_.clear();
}

bool WriteFileAtomically(const std::string& path, std::string_view contents, std::string* error, bool sync) {
  AtomicFile file;
  return file.Open(path, error) && file.Write(contents.data(), contents.size(), error) && file.Commit(sync, error);
}

}  // namespace epik::archive
