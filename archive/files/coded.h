// SPDX-License-Identifier: BSD-3-Clause
// Numbers of variable length and texts, the encoding of defs.epk and maps.epk (docs/formats.md). Between processes of
// one job runtime/abi/bytes.h is used instead: its numbers have a fixed length.
//
// The reader trusts nothing: when bytes are missing, good() becomes false and all further values are zero. A caller
// checks good() once, at the end.
#ifndef EPIK_ARCHIVE_FILES_CODED_H_
#define EPIK_ARCHIVE_FILES_CODED_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace epik::archive {

class CodedOut {
 public:
  void Put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void PutSigned(int64_t value) { Put(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }
  void PutBits(double value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void PutText(std::string_view text) {
    Put(text.size());
    bytes_ += text;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class CodedIn {
 public:
  explicit CodedIn(std::string_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool AtEnd() const { return bytes_.empty(); }

  uint64_t Get() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  uint32_t Get32() {
    const uint64_t value = Get();
    if (value <= UINT32_MAX) return static_cast<uint32_t>(value);
    good_ = false;
    return 0;
  }
  int64_t GetSigned() {
    const uint64_t value = Get();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  double GetBits() {
    double value = 0;
    if (bytes_.size() < sizeof value) {
      good_ = false;
      return 0;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string GetText() {
    const uint64_t size = Get();
    if (size > bytes_.size()) {
      good_ = false;
      return "";
    }
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  // Reads the number of elements that follow. Each element takes at least a byte, so a number above the bytes left is
  // damage: a forged file must not make us allocate for it.
  uint64_t GetCount() {
    const uint64_t count = Get();
    if (count <= bytes_.size()) return count;
    good_ = false;
    return 0;
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_CODED_H_
