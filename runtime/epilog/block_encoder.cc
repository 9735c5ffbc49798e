// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epilog/block_encoder.h"

#include <zlib.h>

#include <cstring>

#include "runtime/epilog/deflater.h"
#include "runtime/epilog/record_prediction.h"

namespace epik::epilog {
namespace {

using event::CodeOf;
using event::IsEnter;

constexpr uint32_t kTableSize = 2 * kMostEvents;  // of the hash table of slots: a power of two
static_assert((kTableSize & (kTableSize - 1)) == 0 && kTableSize > kMostSlots);
// Room of each column. The block is full when one of them is, or when it has kMostEvents. Steps have room for the
// longest numbers, because a new unit may make all of them longer (ChangeUnit).
constexpr uint32_t kColumnRoom[kColumns] = {4 * kMostEvents, 3 * kMostEvents, 3 * kMostEvents, 10 * kMostEvents,
                                            6 * kMostEvents};
constexpr uint32_t kColumnsRoom = 26 * kMostEvents;
constexpr uint32_t kOutRoom = kColumnsRoom + kColumnsRoom / 8 + 4096;
// The most bytes that one word adds to a column. A record is one word longer than its fields.
constexpr uint32_t kMostPerWord = 10;
constexpr uint32_t kMargin = event::kMostFields + 1;

uint32_t Hash(uint32_t parent, uint32_t node) {
  const uint64_t mixed = (uint64_t{parent} << 32 | node) * 0x9e3779b97f4a7c15ull;
  return static_cast<uint32_t>(mixed >> 40) & (kTableSize - 1);
}

uint64_t GreatestDivisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

uint64_t RotateRight(uint64_t value, unsigned shift) { return value >> shift | value << (-shift & 63); }

uint64_t GetNumber(const uint8_t** from) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = *(*from)++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

struct BlockEncoder::Memory {
  uint32_t used_slots;  // whose cells are to be cleared
  bool has_records;
  RecordPrediction records;
  Deflater deflater;
  Slot slots[kMostSlots];
  uint32_t table[kTableSize];  // slots; 0: none
  uint8_t columns[kColumnsRoom];
  alignas(8) uint8_t out[kOutRoom];
};

size_t BlockEncoder::ScratchBytes() { return (sizeof(Memory) + 4095) & ~size_t{4095}; }

BlockEncoder::BlockEncoder(void* scratch) : memory_(static_cast<Memory*>(scratch)) { memory_->deflater.Prepare(); }

uint32_t BlockEncoder::ColumnBytes(unsigned column) const {
  uint32_t begin = 0;
  for (unsigned i = 0; i < column; ++i) begin += kColumnRoom[i];
  return static_cast<uint32_t>(column_[column] - (memory_->columns + begin));
}

void BlockEncoder::Begin(Stream* stream) {
  for (uint32_t slot = 1; slot < memory_->used_slots; ++slot) memory_->table[memory_->slots[slot].cell] = 0;
  uint8_t* begin = memory_->columns;
  for (unsigned i = 0; i < kColumns; ++i) {
    column_[i] = begin;
    begin += kColumnRoom[i];
  }
  stream_ = stream;
  events_ = words_ = hits_ = current_ = new_node_ = 0;
  memory_->used_slots = 1;
  memory_->records.Forget();
  memory_->has_records = false;
  memory_->slots[0] = {};
  high_ = event::HighTime(stream->time);
  time_ = stream->time;
  unit_ = 0;
  const OpenStack& open = stream->open;
  depth_ = begin_depth_ = open.depth;
  open_ = open.depth < kMostOpen ? open.depth : kMostOpen;
  for (uint32_t i = open.depth - open_; i < open.depth; ++i) {
    current_ = FindChild(current_, i < open.room ? open.nodes[i] : 0);
  }
  prediction_ = &memory_->slots[current_].after_record;
}

// The slot of a node under another one. A new one is written as its distance from the one before.
uint32_t BlockEncoder::FindChild(uint32_t parent, uint32_t node) {
  Slot* slots = memory_->slots;
  uint32_t cell = Hash(parent, node);
  for (; memory_->table[cell] != 0; cell = (cell + 1) & (kTableSize - 1)) {
    const Slot& slot = slots[memory_->table[cell]];
    if (slot.parent == parent && slot.node == node) return memory_->table[cell];
  }
  const uint32_t made = memory_->used_slots++;
  slots[made] = {node, parent, slots[parent].children++, 0, kIsExit, kIsExit, kIsExit, cell};
  memory_->table[cell] = made;
  column_[kNodes] = PutNumber(column_[kNodes], ZigZag(int64_t{node} - new_node_));
  new_node_ = node;
  return made;
}

// The number of words that the block takes without a check of the room.
uint32_t BlockEncoder::Room() const {
  uint32_t room = (kMostEvents - events_) / 2;  // a word may be two events
  for (unsigned i = 0; i < kColumns; ++i) {
    const uint32_t words = (kColumnRoom[i] - ColumnBytes(i)) / kMostPerWord;
    if (words < room) room = words;
  }
  return room > kMargin ? room - kMargin : 0;
}

uint32_t BlockEncoder::Take(const uint64_t* words, uint32_t count) {
  uint32_t taken = 0;
  while (taken < count) {
    const uint32_t room = Room();
    if (room == 0) break;
    taken += TakeSome(words + taken, room, count - taken);
  }
  words_ += taken;
  return taken;
}

EPIK_HOT void BlockEncoder::Miss(uint32_t* prediction, uint32_t outcome, uint32_t token) {
  column_[kRuns] = PutNumber(column_[kRuns], hits_);
  hits_ = 0;
  column_[kTokens] = PutNumber(column_[kTokens], token);
  *prediction = outcome;
}

EPIK_HOT void BlockEncoder::PutStep(uint64_t time) {
  // If the clock went back, the time stands still.
  if (EPIK_UNLIKELY(time < time_)) time = time_;
  const uint64_t step = time - time_;
  time_ = time;
  if (EPIK_UNLIKELY(events_ == 0)) {
    first_time_ = time;
    column_[kSteps] = PutNumber(column_[kSteps], 0);
    return;
  }
  uint64_t units = RotateRight(step * inverse_, shift_);
  if (EPIK_UNLIKELY(units > most_ || unit_ == 0)) {
    if (step != 0) ChangeUnit(step);
    units = step == 0 ? 0 : step / unit_;
  }
  column_[kSteps] = PutNumber(column_[kSteps], units);
}

// Steps divide exactly by the unit when their product with the inverse of its odd part is small.
void BlockEncoder::SetUnit(uint64_t unit) {
  unit_ = unit;
  shift_ = static_cast<unsigned>(__builtin_ctzll(unit));
  const uint64_t odd = unit >> shift_;
  inverse_ = odd;
  for (int i = 0; i < 5; ++i) inverse_ *= 2 - odd * inverse_;
  most_ = ~uint64_t{0} / unit;
}

// Handles a step that is no multiple of the unit: writes all steps of the block again in a smaller unit. Happens a few
// times in a block, mostly at its beginning.
void BlockEncoder::ChangeUnit(uint64_t step) {
  const uint64_t before = unit_;
  SetUnit(before == 0 ? step : GreatestDivisor(before, step));
  if (before == 0) return;
  const uint64_t factor = before / unit_;
  const uint32_t bytes = ColumnBytes(kSteps);
  uint8_t* column = column_[kSteps] - bytes;
  const uint8_t* from = column;
  uint8_t* to = memory_->out;
  while (from < column_[kSteps]) to = PutNumber(to, GetNumber(&from) * factor);
  const auto written = static_cast<uint32_t>(to - memory_->out);
  std::memcpy(column, memory_->out, written);
  column_[kSteps] = column + written;
}

EPIK_HOT void BlockEncoder::PutRecord(uint32_t kind, const uint64_t* fields) {
  RecordPrediction& records = memory_->records;
  if (EPIK_UNLIKELY(!records.TakePredictedFields(current_, kind, kRecordCodings.kinds[kind], fields))) {
    return PutFields(kind, fields);
  }
  uint8_t* to = column_[kFields];
  if (records.KindAt(current_) == kind) {
    *to++ = kAsPredicted;
  } else {
    records.RememberKind(current_, kind);
    memory_->has_records = true;
    to = PutNumber(to, kOfKind + kind);
    *to++ = 0;  // no other fields
  }
  column_[kFields] = to;
}

// A record with fields that are not as predicted, or with a point in time.
__attribute__((noinline)) void BlockEncoder::PutFields(uint32_t kind, const uint64_t* fields) {
  const RecordCoding& coding = kRecordCodings.kinds[kind];
  RecordPrediction& records = memory_->records;
  memory_->has_records = true;
  const uint64_t* last = records.FieldsAt(current_, kind);
  uint64_t predicted[event::kMostFields];
  uint64_t others = 0;
  for (uint32_t i = 0; i < coding.fields; ++i) {
    predicted[i] = RecordPrediction::Predicted(coding.coding[i], last[i], time_);
    others |= uint64_t{fields[i] != predicted[i]} << i;
  }
  const bool same_kind = records.KindAt(current_) == kind;
  records.Remember(current_, kind, fields, coding.fields);
  uint8_t* to = column_[kFields];
  if (same_kind && others == 0) {
    column_[kFields] = PutNumber(to, kAsPredicted);
    return;
  }
  to = PutNumber(to, same_kind ? kOfPredictedKind : kOfKind + kind);
  to = PutNumber(to, others);
  for (uint32_t i = 0; i < coding.fields; ++i) {
    if ((others >> i & 1) == 0) continue;
    if (coding.coding[i] == FieldCoding::kBits) {
      std::memcpy(to, &fields[i], sizeof fields[i]);
      to += sizeof fields[i];
    } else {
      to = PutNumber(to, ZigZag(static_cast<int64_t>(fields[i] - predicted[i])));
    }
  }
  column_[kFields] = to;
}

uint32_t BlockEncoder::TakeSome(const uint64_t* words, uint32_t room, uint32_t count) {
  Slot* const slots = memory_->slots;
  uint32_t i = 0;
  while (i < count && i < room) {
    const uint64_t word = words[i++];
    const uint32_t code = CodeOf(word);
    if (IsEnter(code)) {
      const bool is_call = event::IsCall(word);
      PutStep(is_call ? time_ + event::StepOf(word) : event::TimeOf(word, high_));
      const uint32_t predicted = *prediction_;
      uint32_t slot = predicted - kIsChild;
      if (EPIK_LIKELY(predicted >= kIsChild && slots[slot].node == code)) {
        ++hits_;
      } else {
        slot = FindChild(current_, code);
        Miss(prediction_, kIsChild + slot, kIsChild + slots[slot].number);
      }
      prediction_ = &slots[slot].after_enter;
      if (is_call) {
        ++events_;
        PutStep(time_ + event::DurationOf(word));
        if (EPIK_LIKELY(*prediction_ == kIsExit)) {
          ++hits_;
        } else {
          Miss(prediction_, kIsExit, kIsExit);
        }
        prediction_ = &slots[slot].after_exit;
      } else {
        current_ = slot;
        ++depth_;
      }
    } else if (code == static_cast<uint32_t>(event::RecordKind::kExit)) {
      if (EPIK_UNLIKELY(word == 0 || depth_ == 0)) continue;
      PutStep(event::TimeOf(word, high_));
      if (EPIK_LIKELY(*prediction_ == kIsExit)) {
        ++hits_;
      } else {
        Miss(prediction_, kIsExit, kIsExit);
      }
      prediction_ = &slots[current_].after_exit;
      current_ = slots[current_].parent;
      --depth_;
    } else {
      if (code == static_cast<uint32_t>(event::RecordKind::kTime)) {
        if (i < count) high_ = event::HighTime(words[i++]);
        continue;
      }
      const RecordCoding& coding = kRecordCodings.kinds[code];
      if (!coding.known) continue;
      if (coding.fields > count - i) return count;
      PutStep(event::TimeOf(word, high_));
      if (*prediction_ == kIsRecord) {
        ++hits_;
      } else {
        Miss(prediction_, kIsRecord, kIsRecord);
      }
      PutRecord(code, words + i);
      i += coding.fields;
      prediction_ = &slots[current_].after_record;
    }
    ++events_;
  }
  return i;
}

// Moves the stack to the end of the block: keeps the frames that were open at its beginning and have not ended, and
// adds the path to the current slot.
void BlockEncoder::MoveStream() {
  OpenStack* open = &stream_->open;
  if (depth_ > open->room && open->grow != nullptr) open->grow(open, depth_);
  uint32_t place = depth_;
  for (uint32_t slot = current_; slot != 0; slot = memory_->slots[slot].parent) {
    if (--place < open->room) open->nodes[place] = memory_->slots[slot].node;
  }
  open->depth = depth_;
  stream_->words += words_;
  stream_->time = high_ > time_ ? high_ : time_;
}

size_t BlockEncoder::Compress(int level, uint8_t* to, size_t room) {
  Deflater& deflater = memory_->deflater;
  deflater.Begin(level, to, room);
  for (unsigned i = 0; i < kColumns; ++i) {
    const uint32_t bytes = ColumnBytes(i);
    if (!deflater.Put(column_[i] - bytes, bytes, i + 1 == kColumns)) return 0;
  }
  return deflater.size();
}

EncodedBlock BlockEncoder::Finish(int level) {
  column_[kRuns] = PutNumber(column_[kRuns], hits_);
  auto* header = reinterpret_cast<BlockHeader*>(memory_->out);
  uint8_t* payload = memory_->out + sizeof(BlockHeader);
  *header = {};
  uint32_t raw = 0;
  for (unsigned i = 0; i < kColumns; ++i) raw += header->column_bytes[i] = ColumnBytes(i);
  size_t size = level > 0 ? Compress(level, payload, raw) : 0;
  header->method = (size != 0 ? kDeflate : kStored) | (memory_->has_records ? kPredictsRecords : kStored);
  if (size == 0) {
    for (unsigned i = 0; i < kColumns; ++i) {
      std::memcpy(payload + size, column_[i] - header->column_bytes[i], header->column_bytes[i]);
      size += header->column_bytes[i];
    }
  }
  header->magic = kBlockMagic;
  header->header_bytes = sizeof(BlockHeader);
  header->payload_bytes = static_cast<uint32_t>(size);
  header->payload_crc = static_cast<uint32_t>(crc32(0, payload, static_cast<uInt>(size)));
  header->location = stream_->location;
  header->events = events_;
  header->first_word = stream_->words;
  header->words = words_;
  header->depth = begin_depth_;
  header->open = open_;
  header->end_depth = depth_;
  header->first_time = first_time_;
  header->last_time = time_;
  header->unit = unit_;
  header->header_crc = 0;
  header->header_crc = static_cast<uint32_t>(crc32(0, memory_->out, sizeof(BlockHeader)));
  MoveStream();
  const size_t padding = -size & (kBlockAlign - 1);
  std::memset(payload + size, 0, padding);
  return {memory_->out, sizeof(BlockHeader) + size + padding, events_, static_cast<uint32_t>(size)};
}

}  // namespace epik::epilog
