// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

constexpr uint64_t kBlock = 512;
constexpr uint64_t kLargestPlainSize = 0x1FFFFFFFE;  // CubeW's limit: larger sizes are in a pax record
constexpr uint64_t kLargestPaxHeader = uint64_t{64} * 1024;
using Block = std::array<char, kBlock>;

bool IsZero(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](char c) { return c == 0; });
}

std::string_view Field(const Block& block, size_t offset, size_t width) {
  const std::string_view field(block.data() + offset, width);
  return field.substr(0, field.find('\0'));
}

bool ParseNumber(std::string_view digits, int base, uint64_t* value) {
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), *value, base);
  return problem == std::errc() && end == digits.data() + digits.size();
}

// Reads octal text, or GNU tar's binary form for large files.
bool ParseSize(const Block& block, uint64_t* size) {
  const auto* raw = reinterpret_cast<const unsigned char*>(block.data()) + 124;
  if (raw[0] != 0x80) return ParseNumber(Field(block, 124, 12), 8, size);
  if (raw[1] != 0 || raw[2] != 0 || raw[3] != 0) return false;
  *size = 0;
  for (int i = 4; i < 12; ++i) *size = *size << 8 | raw[i];
  return true;
}

// Records "LENGTH KEY=VALUE\n"; only the size matters here.
bool ParsePax(std::string_view records, bool* has_size, uint64_t* size) {
  while (!records.empty() && records.front() != '\0') {
    uint64_t length = 0;
    const size_t blank = records.find(' ');
    if (blank == std::string_view::npos || !ParseNumber(records.substr(0, blank), 10, &length)) return false;
    if (length <= blank + 1 || length > records.size()) return false;
    std::string_view record = records.substr(blank + 1, length - blank - 1);
    records.remove_prefix(length);
    if (record.back() == '\n') record.remove_suffix(1);
    if (record.substr(0, 5) != "size=") continue;
    if (!ParseNumber(record.substr(5), 10, size)) return false;
    *has_size = true;
  }
  return true;
}

class TarLister {
 public:
  TarLister(const ByteSource& file, std::vector<TarMember>* members, std::string* error)
      : file_(file), members_(members), error_(error) {}

  bool Run() {
    members_->clear();
    int zero_blocks = 0;  // one may be CUBE's extra padding; two end the archive
    while (zero_blocks < 2 && at_ + kBlock <= file_.size()) {
      Block block;
      if (!file_.ReadAt(at_, block.data(), kBlock)) return Fail("cannot be read");
      if (IsZero(block)) {
        ++zero_blocks;
        at_ += kBlock;
      } else {
        zero_blocks = 0;
        if (!TakeMember(block)) return false;
      }
    }
    if (members_->empty()) return Fail("not a .cubex file: no members");
    return zero_blocks == 2 || at_ >= file_.size() || Fail("the file is cut off within a member's header");
  }

 private:
  bool Fail(const std::string& what) {
    *error_ = "offset " + std::to_string(at_) + ": " + what;
    return false;
  }

  bool TakeMember(const Block& block) {
    if (std::memcmp(block.data() + 257, "ustar", 5) != 0) {
      return Fail(at_ == 0 ? "not a .cubex file: no tar header" : "damaged header of a member");
    }
    uint64_t size = 0;
    if (!ParseSize(block, &size)) return Fail("damaged size of a member");
    const char type = block[156];
    if (type != 'x' && has_pax_size_) size = pax_size_;
    std::string name(Field(block, 0, 100));
    if (name.substr(0, 2) == "./") name.erase(0, 2);
    const uint64_t content = at_ + kBlock;
    if (size > file_.size() - content) {
      return Fail("the file is cut off: " + name + " has " + std::to_string(size) + " bytes, " +
                  std::to_string(file_.size() - content) + " are there");
    }
    if (type == 'x') {
      if (!TakePax(content, size)) return false;
    } else {
      has_pax_size_ = false;
      const bool carries_data = type == '0' || type == '\0' || type == '7';
      if (carries_data) members_->push_back({std::move(name), content, size});
    }
    at_ = content + (size + kBlock - 1) / kBlock * kBlock;
    return true;
  }

  bool TakePax(uint64_t content, uint64_t size) {
    if (size > kLargestPaxHeader) return Fail("a pax header of more than 64 KiB");
    std::string records(size, '\0');
    if (!file_.ReadAt(content, records.data(), size)) return Fail("cannot be read");
    return ParsePax(records, &has_pax_size_, &pax_size_) || Fail("damaged pax header");
  }

  const ByteSource& file_;
  std::vector<TarMember>* members_;
  std::string* error_;
  uint64_t at_ = 0;
  bool has_pax_size_ = false;
  uint64_t pax_size_ = 0;
};

}  // namespace

bool ListTar(const ByteSource& file, std::vector<TarMember>* members, std::string* error) {
  return Guarded(error, [&] { return TarLister(file, members, error).Run(); });
}

namespace {

Block Header(const std::string& name, uint64_t size, char type) {
  Block block{};
  std::memcpy(block.data(), name.data(), name.size());
  std::memcpy(block.data() + 100, "0000600\0000000000\0000000000", 23);  // mode, owner, group
  char octal[24];
  std::snprintf(octal, sizeof octal, "%011llo", static_cast<unsigned long long>(size & 077777777777));
  std::memcpy(block.data() + 124, octal, 11);
  std::memcpy(block.data() + 136, "00000000000", 11);  // no time, so that equal profiles give equal files
  std::memset(block.data() + 148, ' ', 8);
  block[156] = type;
  std::memcpy(block.data() + 257, "ustar\00000", 8);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char checksum[16];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  std::memcpy(block.data() + 148, checksum, 7);
  return block;
}

}  // namespace

bool TarWriter::WriteHeader(const std::string& name, uint64_t size, char type, std::string* error) {
  const Block block = Header(name, size, type);
  return file_.Write(block.data(), block.size(), error);
}

bool TarWriter::Begin(const std::string& name, uint64_t size, char filler, std::string* error) {
  if (name.empty() || name.size() > 99 || name.find('/') != std::string::npos) {
    *error = "no name for a member of a .cubex file: " + name;
    return false;
  }
  announced_ = size;
  filler_ = filler;
  written_ = 0;
  grows_ = false;
  name_ = name;
  const uint64_t stored = size % kBlock == 0 ? size + 1 : size;
  if (stored > kLargestPlainSize) {
    const std::string tail = " size=" + std::to_string(stored) + "\n";  // at least 17 characters: two digits before it
    const std::string record = std::to_string(tail.size() + 2) + tail;
    if (!WriteHeader("PaxHeader/" + name.substr(0, 80), record.size(), 'x', error)) return false;
    Block block{};
    std::memcpy(block.data(), record.data(), record.size());
    if (!file_.Write(block.data(), block.size(), error)) return false;
  }
  if (!WriteHeader(name, stored, '0', error)) return false;
  content_ = file_.written();
  return true;
}

bool TarWriter::BeginGrowing(const std::string& name, std::string* error) {
  if (!Begin(name, 1, '\0', error)) return false;
  grows_ = true;
  return true;
}

bool TarWriter::Rewrite(uint64_t at, const void* data, size_t n, std::string* error) {
  return file_.Rewrite(content_ + at, data, n, error);
}

bool TarWriter::Write(const void* data, size_t n, std::string* error) {
  written_ += n;
  return file_.Write(data, n, error);
}

bool TarWriter::End(std::string* error) {
  if (!grows_ && written_ != announced_) {
    *error = file_.path() + ": a member of " + std::to_string(announced_) + " bytes got " + std::to_string(written_);
    return false;
  }
  if (written_ % kBlock == 0 && !Write(&filler_, 1, error)) return false;
  if (grows_) {
    const Block header = Header(name_, written_, '0');
    if (!file_.Rewrite(content_ - kBlock, header.data(), kBlock, error)) return false;
  }
  const Block zero{};
  return file_.Write(zero.data(), kBlock - written_ % kBlock, error);
}

bool TarWriter::Finish(std::string* error) {
  const Block zero{};
  return file_.Write(zero.data(), kBlock, error) && file_.Write(zero.data(), kBlock, error) &&
         file_.Commit(false, error);
}

}  // namespace epik::archive
