// SPDX-License-Identifier: BSD-3-Clause
// Predicts the next record of a call path: it is likely to be the same as the last one. The encoder and all readers
// remember the same records, so a block holds only the differences.
#ifndef EPIK_RUNTIME_EPILOG_RECORD_PREDICTION_H_
#define EPIK_RUNTIME_EPILOG_RECORD_PREDICTION_H_

#include <cstdint>
#include <cstring>

#include "runtime/epilog/format.h"

namespace epik::epilog {

// The first number of a record: kAsPredicted: the kind and all fields are as predicted; kOfPredictedKind: the kind is;
// else kOfKind plus the kind. In the last two cases, the bits of the second number say which fields are not as
// predicted.
enum : uint64_t { kAsPredicted = 0, kOfPredictedKind = 1, kOfKind = 2 };

class RecordPrediction {
 public:
  // REQUIRES: zeroed memory, or Forget.
  void Forget() {
    if (used_) std::memset(static_cast<void*>(this), 0, sizeof *this);
  }

  // The kind of the last record of the call path with this slot.
  EPIK_HOT uint32_t KindAt(uint32_t slot) const { return kinds_[Context(slot, 0)]; }
  // The fields of the last record of this kind.
  EPIK_HOT const uint64_t* FieldsAt(uint32_t slot, uint32_t kind) const { return fields_[Context(slot, kind)]; }
  EPIK_HOT void Remember(uint32_t slot, uint32_t kind, const uint64_t* fields, uint32_t count) {
    RememberKind(slot, kind);
    uint64_t* last = fields_[Context(slot, kind)];
    for (uint32_t i = 0; i < count; ++i) last[i] = fields[i];
  }

  // Whether all fields of the record are as predicted; if so, they are remembered. The usual case of an encoder.
  EPIK_HOT bool TakePredictedFields(uint32_t slot, uint32_t kind, const RecordCoding& coding, const uint64_t* fields) {
    uint64_t* last = fields_[Context(slot, kind)];
    uint32_t i = 0;
    while (i < coding.fields && fields[i] == last[i]) ++i;
    if (i != coding.steady) return false;
    if (i == coding.fields) return true;
    if (fields[i] != last[i] + 1) return false;
    last[i] = fields[i];
    return true;
  }
  EPIK_HOT void RememberKind(uint32_t slot, uint32_t kind) {
    used_ = true;
    kinds_[Context(slot, 0)] = static_cast<uint8_t>(kind);
  }

  // Requests are numbered; a point in time is near that of the event.
  EPIK_HOT static uint64_t Predicted(FieldCoding coding, uint64_t last, uint64_t time) {
    return coding == FieldCoding::kTime ? time : last + (coding == FieldCoding::kNext);
  }

 private:
  static constexpr uint32_t kContextBits = 10;
  // If two contexts share a number, both predict less well, but the result is still right.
  EPIK_HOT static uint32_t Context(uint32_t slot, uint32_t kind) {
    return (slot * 0x9e3779b1u ^ kind * 0x85ebca6bu) >> (32 - kContextBits);
  }

  bool used_;
  uint8_t kinds_[1u << kContextBits];
  uint64_t fields_[1u << kContextBits][event::kMostFields];
};
static_assert(kKinds <= 256);

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_RECORD_PREDICTION_H_
