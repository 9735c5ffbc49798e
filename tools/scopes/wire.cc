// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/wire.h"

#include <cstring>

namespace epik::scopes {

namespace {

constexpr size_t kLengthBytes = 4;

template <class T>
std::string_view RawBytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

Digest Proof(Side side, std::string_view secret, std::string_view clients, std::string_view servers) {
  const std::string_view who = side == Side::kClient ? "client of epk scopes" : "server of epk scopes";
  return Hmac(secret, {who, kMagic, clients, servers});
}

Tagger::Tagger(Side from, std::string_view secret, std::string_view clients, std::string_view servers)
    : key_(Hmac(secret,
                {from == Side::kClient ? "frames of the client" : "frames of the server", kMagic, clients, servers})) {}

std::string Tagger::Next(std::string_view body) {
  const uint64_t place = count_++, length = body.size();
  const Digest tag = Hmac(BytesOf(key_), {RawBytes(place), RawBytes(length), body});
  return std::string(BytesOf(tag).substr(0, kTagBytes));
}

std::string PackFrame(Kind kind, std::string_view payload, Tagger* tagger) {
  const auto length = static_cast<uint32_t>(payload.size() + 1);
  std::string frame(RawBytes(length));
  frame.reserve(kLengthBytes + length + kTagBytes);
  frame += static_cast<char>(kind);
  frame += payload;
  return frame + tagger->Next(std::string_view(frame).substr(kLengthBytes));
}

size_t FrameReader::Missing() const {
  if (bytes_.size() < kLengthBytes) return kLengthBytes - bytes_.size();
  uint32_t length = 0;
  std::memcpy(&length, bytes_.data(), sizeof length);
  const size_t all = kLengthBytes + length + kTagBytes;
  return length <= most_ && all > bytes_.size() ? all - bytes_.size() : 0;
}

FrameState FrameReader::Next(Frame* frame) {
  if (is_bad_) return FrameState::kBad;
  if (bytes_.size() < kLengthBytes) return FrameState::kIncomplete;
  uint32_t length = 0;
  std::memcpy(&length, bytes_.data(), sizeof length);
  is_bad_ = length == 0 || length > most_;
  if (is_bad_) return FrameState::kBad;
  if (Missing() != 0) return FrameState::kIncomplete;
  const std::string_view body = std::string_view(bytes_).substr(kLengthBytes, length);
  is_bad_ = !SameBytes(std::string_view(bytes_).substr(kLengthBytes + length, kTagBytes), tagger_.Next(body));
  if (is_bad_) return FrameState::kBad;
  frame->kind = static_cast<Kind>(body[0]);
  frame->payload = body.substr(1);
  bytes_.erase(0, kLengthBytes + length + kTagBytes);
  return FrameState::kDone;
}

}  // namespace epik::scopes
