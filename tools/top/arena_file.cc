// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/arena_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "archive/close/liveness.h"
#include "runtime/base/clock.h"

namespace epik::top {

std::unique_ptr<ArenaFile> ArenaFile::Open(const std::string& path, std::string* error) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    *error = path + ": " + (fd < 0 ? std::strerror(errno) : "not a file");
    if (fd >= 0) close(fd);
    return nullptr;
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* bytes = size < sizeof(event::ProcessHeader) ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED) {
    *error = path + ": is empty or cannot be mapped";
    return nullptr;
  }
  return std::unique_ptr<ArenaFile>(new ArenaFile(static_cast<const char*>(bytes), size));
}

ArenaFile::~ArenaFile() { munmap(const_cast<char*>(bytes_), size_); }

bool ArenaFile::Read(Reading* reading, std::string* error) const {
  if (!archive::ReadProcessImageAgain(bytes_, size_, &reading->image, error)) return false;
  const event::ProcessHeader& header = reading->image.header;
  if (header.end_ticks != 0 || !archive::IsOfThisBoot(header)) {
    reading->ticks = reading->image.LastTicks();
    reading->seconds_per_tick = reading->image.SecondsPerTick();
    return true;
  }
  const uint64_t ns = base::MonotonicRawNs();
  const bool tsc = header.timer == base::Timer::kTsc;
  reading->ticks = tsc ? base::ReadTsc() : ns;
  reading->seconds_per_tick = 1e-9;
  const base::ClockPair& first = header.first_pair;
  if (tsc && reading->ticks > first.ticks && ns > first.ns) {
    reading->seconds_per_tick *= static_cast<double>(ns - first.ns) / static_cast<double>(reading->ticks - first.ticks);
  }
  return true;
}

event::ProcessState ArenaFile::State() const {
  return reinterpret_cast<const volatile event::ProcessHeader*>(bytes_)->state;
}

}  // namespace epik::top
