// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/graph/spill.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace epik::graph {

namespace {
constexpr size_t kSmallChunks = 5;  // one for each array of a graph
}  // namespace

Store::~Store() {
  for (const std::span<std::byte> chunk : chunks_) munmap(chunk.data(), chunk.size());
  if (file_ >= 0) close(file_);
}

bool Store::OpenFile() {
  if (file_ >= 0) return true;
  if (file_failed_) return false;
  std::error_code no_folder;
  std::string name = (std::filesystem::temp_directory_path(no_folder) / "epk-XXXXXX").string();
  file_ = mkostemp(name.data(), O_CLOEXEC);
  file_failed_ = file_ < 0;
  if (!file_failed_) unlink(name.c_str());
  return !file_failed_;
}

// A full disk is noticed here, not by a signal when the chunk is used. Then memory takes its place.
void* Store::Take(size_t bytes) {
  void* chunk = MAP_FAILED;
  if (left_in_memory_ < bytes && OpenFile()) {
    const auto at = static_cast<off_t>(file_bytes_);
    if (posix_fallocate(file_, at, static_cast<off_t>(bytes)) == 0) {
      chunk = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, at);
    } else {
      file_failed_ = true;
    }
    if (chunk != MAP_FAILED) file_bytes_ += bytes;
  }
  if (chunk == MAP_FAILED) {
    left_in_memory_ -= std::min(left_in_memory_, bytes);
    chunk = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (chunk == MAP_FAILED) throw std::bad_alloc();
  // A reader that goes backwards comes to another page nearly each time. Small graphs do without, because a large page
  // is taken as a whole.
  if (chunks_.size() >= kSmallChunks) madvise(chunk, bytes, MADV_HUGEPAGE);
  chunks_.push_back({static_cast<std::byte*>(chunk), bytes});
  return chunk;
}

}  // namespace epik::graph
