// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/process_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace epik::archive {

class ProcessFile::Input {
 public:
  explicit Input(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat info;
    if (fd_ >= 0 && fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) bytes_ = static_cast<uint64_t>(info.st_size);
  }
  ~Input() {
    if (fd_ >= 0) close(fd_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  bool good() const { return fd_ >= 0; }
  uint64_t bytes() const { return bytes_; }

  // The first place at or behind `from` that is not in a hole: a few bytes may be a file of any size.
  uint64_t NextData(uint64_t from) const {
    const off_t data = lseek(fd_, static_cast<off_t>(from), SEEK_DATA);
    if (data < 0) return errno == ENXIO ? bytes_ : from;
    return std::max(from, static_cast<uint64_t>(data) & ~uint64_t{epilog::kBlockAlign - 1});
  }

  // Reads all of it or nothing.
  bool Read(uint64_t offset, void* to, size_t size) const { return ReadSome(offset, to, size) == size; }

  size_t ReadSome(uint64_t offset, void* to, size_t size) const {
    size_t done = 0;
    while (done < size) {
      const ssize_t n = pread(fd_, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    return done;
  }

 private:
  int fd_;
  uint64_t bytes_ = 0;
};

namespace {

uint32_t Checksum(const void* bytes, size_t size) {
  return static_cast<uint32_t>(crc32_z(0, static_cast<const Bytef*>(bytes), size));
}

// Whether these bytes are the index at the end of a file, whatever its header says.
bool EndsInIndex(const epilog::IndexHeader& index, uint64_t offset, uint64_t bytes) {
  return index.magic == epilog::kIndexMagic && index.blocks <= bytes / sizeof(epilog::IndexEntry) &&
         offset + sizeof index + index.blocks * sizeof(epilog::IndexEntry) == bytes;
}

}  // namespace

bool ProcessFile::OpenHeader(const Input& input, std::string* error) {
  bytes_ = input.bytes();
  has_index_ = false;
  blocks_.clear();
  damage_.clear();
  if (!input.good()) {
    *error = path_ + ": " + std::strerror(errno);
    return false;
  }
  if (!input.Read(0, &header_, sizeof header_) ||
      std::memcmp(header_.magic, epilog::kFileMagic, sizeof header_.magic) != 0) {
    *error = path_ + ": is no trace file";
    return false;
  }
  if (header_.version != epilog::kFormatVersion || header_.header_bytes != sizeof header_) {
    *error = path_ + ": has version " + std::to_string(header_.version) + "; this EPIK reads version " +
             std::to_string(epilog::kFormatVersion);
    return false;
  }
  return true;
}

bool ProcessFile::Open(const std::string& path, std::string* error) {
  path_ = path;
  const Input input(path);
  if (!OpenHeader(input, error)) return false;
  has_index_ = ReadIndex(input);
  if (!has_index_) Search(input);
  return true;
}

bool ProcessFile::OpenAndSearch(const std::string& path, std::string* error) {
  path_ = path;
  const Input input(path);
  if (!OpenHeader(input, error)) return false;
  Search(input);
  return true;
}

bool ProcessFile::ReadIndex(const Input& input) {
  if (header_.index_offset == 0) return false;
  epilog::IndexHeader index;
  if (!input.Read(header_.index_offset, &index, sizeof index) || !EndsInIndex(index, header_.index_offset, bytes_)) {
    damage_.push_back({header_.index_offset, 0, "the index is damaged; its blocks were looked for"});
    return false;
  }
  blocks_.resize(index.blocks);
  const size_t size = blocks_.size() * sizeof(epilog::IndexEntry);
  bool good = input.Read(header_.index_offset + sizeof index, blocks_.data(), size) &&
              Checksum(blocks_.data(), size) == index.crc;
  uint64_t end = sizeof header_;
  for (const epilog::IndexEntry& entry : blocks_) {
    good = good && entry.offset >= end && entry.offset < header_.index_offset && entry.first_time <= entry.last_time;
    end = entry.offset + sizeof(epilog::BlockHeader);
  }
  if (good) return true;
  blocks_.clear();
  damage_.push_back({header_.index_offset, size, "the index is damaged; its blocks were looked for"});
  return false;
}

// Finds the next block at or after `from`. Returns the end of the file when no block follows.
uint64_t ProcessFile::FindBlock(const Input& input, uint64_t from, epilog::BlockHeader* header) const {
  // In most files the next block is near, and there may be as many gaps as blocks. So the pieces grow while no block is
  // found.
  std::vector<char> piece(2 * sizeof *header);
  for (uint64_t at = input.NextData(from); at + sizeof *header <= bytes_; at = input.NextData(at)) {
    const size_t have = input.ReadSome(at, piece.data(), piece.size());
    if (have < sizeof *header) break;
    size_t place = 0;
    for (; place + sizeof *header <= have; place += epilog::kBlockAlign) {
      uint32_t magic;
      std::memcpy(&magic, piece.data() + place, sizeof magic);
      if (magic != epilog::kBlockMagic || CheckBlockHeader(piece.data() + place, header) != nullptr) continue;
      if (at + place + BytesInFile(*header) <= bytes_) return at + place;
    }
    at += place;
    piece.resize(std::min<size_t>(2 * piece.size(), 1 << 16));
  }
  return bytes_;
}

void ProcessFile::Search(const Input& input) {
  for (uint64_t at = sizeof header_; at < bytes_;) {
    epilog::BlockHeader header;
    uint64_t next = at;
    const bool there = input.Read(at, &header, sizeof header) && CheckBlockHeader(&header, &header) == nullptr &&
                       at + BytesInFile(header) <= bytes_;
    if (!there) {
      epilog::IndexHeader index;
      if (input.Read(at, &index, sizeof index) && EndsInIndex(index, at, bytes_)) return;
      next = FindBlock(input, at + epilog::kBlockAlign, &header);
      damage_.push_back({at, next - at, "no block where one should be"});
      if (next >= bytes_) return;
    }
    blocks_.push_back({next, header.location, header.events, header.first_time, header.last_time});
    at = next + BytesInFile(header);
  }
}

bool ProcessFile::ReadBlock(size_t block, BlockDecoder* decoder, std::string* error) const {
  const Input input(path_);
  const epilog::IndexEntry& entry = blocks_[block];
  char bytes[sizeof(epilog::BlockHeader)];
  epilog::BlockHeader header;
  if (!input.good() || !input.Read(entry.offset, bytes, sizeof bytes)) {
    *error = "it cannot be read";
    return false;
  }
  if (const char* wrong = CheckBlockHeader(bytes, &header)) {
    *error = wrong;
    return false;
  }
  if (header.location != entry.location || header.first_time != entry.first_time || header.events != entry.events) {
    *error = "it is not the block that the index names";
    return false;
  }
  if (entry.offset + BytesInFile(header) > bytes_) {
    *error = "it is cut off by the end of the file";
    return false;
  }
  std::vector<char> payload(header.payload_bytes);
  if (!input.Read(entry.offset + sizeof header, payload.data(), payload.size())) {
    *error = "it cannot be read";
    return false;
  }
  return decoder->Open(header, payload.data(), error);
}

bool ProcessFile::ReadHeader(size_t block, epilog::BlockHeader* header) const {
  const Input input(path_);
  return input.good() && input.Read(blocks_[block].offset, header, sizeof *header) &&
         CheckBlockHeader(header, header) == nullptr;
}

bool FinishProcessFile(const std::string& path, int32_t rank, std::string* error) {
  ProcessFile file;
  if (!file.OpenAndSearch(path, error)) return false;
  std::vector<epilog::IndexEntry> blocks;
  std::map<uint32_t, uint64_t> written;  // for each location, the first word of all later blocks
  for (size_t i = file.blocks().size(); i-- > 0;) {
    epilog::BlockHeader header;
    if (!file.ReadHeader(i, &header)) continue;
    const auto [first, is_last] = written.try_emplace(header.location, ~uint64_t{0});
    if (!is_last && header.first_word + header.words > first->second) continue;
    first->second = header.first_word;
    blocks.push_back(file.blocks()[i]);
  }
  std::reverse(blocks.begin(), blocks.end());
  std::vector<char> tail(sizeof(epilog::IndexHeader) + blocks.size() * sizeof(epilog::IndexEntry));
  const epilog::IndexHeader index{epilog::kIndexMagic, Checksum(blocks.data(), tail.size() - sizeof index),
                                  blocks.size()};
  std::memcpy(tail.data(), &index, sizeof index);
  if (!blocks.empty()) std::memcpy(tail.data() + sizeof index, blocks.data(), tail.size() - sizeof index);
  const uint64_t end = (file.bytes() + epilog::kBlockAlign - 1) & ~uint64_t{epilog::kBlockAlign - 1};
  epilog::FileHeader header = file.header();
  header.rank = rank;
  header.index_offset = end;
  header.index_bytes = static_cast<uint32_t>(std::min<size_t>(tail.size(), UINT32_MAX));
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const auto write_all = [fd](const void* from, size_t size, uint64_t offset) {
    for (size_t done = 0; done < size;) {
      const ssize_t n =
          pwrite(fd, static_cast<const char*>(from) + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  };
  // The header comes last, because it makes the index known.
  const bool good = fd >= 0 && write_all(tail.data(), tail.size(), end) && write_all(&header, sizeof header, 0);
  if (!good) *error = path + ": " + std::strerror(errno);
  if (fd >= 0) close(fd);
  return good;
}

}  // namespace epik::archive
