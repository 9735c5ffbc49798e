// SPDX-License-Identifier: BSD-3-Clause
// The small part of protobuf's encoding that writers need.
#ifndef EPIK_REPORT_TRACE_PROTOBUF_H_
#define EPIK_REPORT_TRACE_PROTOBUF_H_

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace epik::report {

class ProtoMessage {
 public:
  ProtoMessage& Number(uint32_t field, uint64_t value) {
    Varint(field << 3);
    Varint(value);
    return *this;
  }
  ProtoMessage& Fixed64(uint32_t field, uint64_t value) {
    Varint(field << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  ProtoMessage& Double(uint32_t field, double value) { return Fixed64(field, std::bit_cast<uint64_t>(value)); }
  ProtoMessage& Text(uint32_t field, std::string_view text) {
    Varint(field << 3 | 2);
    Varint(text.size());
    bytes_ += text;
    return *this;
  }
  ProtoMessage& Message(uint32_t field, const ProtoMessage& message) { return Text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_PROTOBUF_H_
