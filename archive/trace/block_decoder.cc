// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/block_decoder.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace epik::archive {
namespace {

uint32_t Hash(uint32_t parent, uint32_t number, size_t size) {
  const uint64_t mixed = (uint64_t{parent} << 32 | number) * 0x9e3779b97f4a7c15ull;
  return static_cast<uint32_t>((mixed >> 32) & (size - 1));
}

bool InflateAll(const void* from, size_t bytes, std::vector<uint8_t>* to) {
  z_stream zlib{};
  if (inflateInit2(&zlib, -MAX_WBITS) != Z_OK) return false;
  zlib.next_in = static_cast<Bytef*>(const_cast<void*>(from));
  zlib.avail_in = static_cast<uInt>(bytes);
  uint8_t nothing = 0;
  zlib.next_out = to->empty() ? &nothing : to->data();
  zlib.avail_out = static_cast<uInt>(to->size());
  const int state = inflate(&zlib, Z_FINISH);
  const bool whole = state == Z_STREAM_END && zlib.avail_in == 0 && zlib.avail_out == 0;
  inflateEnd(&zlib);
  return whole;
}

}  // namespace

const char* CheckBlockHeader(const void* bytes, epilog::BlockHeader* header) {
  std::memcpy(header, bytes, sizeof *header);
  if (header->magic != epilog::kBlockMagic) return "no block begins here";
  epilog::BlockHeader without = *header;
  without.header_crc = 0;
  if (crc32(0, reinterpret_cast<const Bytef*>(&without), sizeof without) != header->header_crc) {
    return "its header is damaged";
  }
  if (header->header_bytes != sizeof *header) return "its header has another size";
  if (header->method >= epilog::kMethods) return "its method is not known";
  if (header->events > epilog::kMostEvents || header->open > epilog::kMostOpen || header->open > header->depth ||
      header->depth > epilog::kMostDepth || header->first_time > header->last_time) {
    return "its header contradicts itself";
  }
  uint64_t raw = 0;
  for (const uint32_t column : header->column_bytes) raw += column;
  // Deflate adds at most a few bytes for each 16 KiB.
  if (raw > kMostColumnBytes || header->payload_bytes > raw + raw / 1024 + 64) return "its sizes contradict each other";
  if ((header->method & epilog::kDeflate) == 0 && raw != header->payload_bytes)
    return "its sizes contradict each other";
  return nullptr;
}

bool BlockDecoder::Fail(const char* what) {
  error_ = what;
  done_ = header_.events;
  return false;
}

EPIK_HOT bool BlockDecoder::GetNumber(Range* column, uint64_t* value) {
  if (EPIK_LIKELY(column->at != column->end && *column->at < 0x80)) {
    *value = *column->at++;
    return true;
  }
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && column->at != column->end; shift += 7) {
    const uint8_t byte = *column->at++;
    result |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

bool BlockDecoder::Unpack(const void* payload, std::string* error) {
  if (crc32(0, static_cast<const Bytef*>(payload), header_.payload_bytes) != header_.payload_crc) {
    *error = "the checksum of its content is wrong";
    return false;
  }
  size_t bytes = 0;
  for (const uint32_t column : header_.column_bytes) bytes += column;
  raw_.resize(bytes);
  if ((header_.method & epilog::kDeflate) == 0) {
    if (bytes != 0) std::memcpy(raw_.data(), payload, bytes);
  } else if (!InflateAll(payload, header_.payload_bytes, &raw_)) {
    *error = "its content does not decompress";
    return false;
  }
  const uint8_t* at = raw_.data();
  for (unsigned i = 0; i < epilog::kColumns; ++i) {
    column_[i] = {at, at + header_.column_bytes[i]};
    at = column_[i].end;
  }
  return true;
}

uint32_t BlockDecoder::AddChild(uint32_t parent, uint32_t node, uint32_t cell) {
  const auto made = static_cast<uint32_t>(slots_.size());
  slots_.push_back(
      {node, parent, slots_[parent].children++, 0, epilog::kIsExit, epilog::kIsExit, epilog::kIsExit, cell});
  table_[cell] = made;
  return made;
}

bool BlockDecoder::GetNode(uint32_t* node) {
  uint64_t distance = 0;
  if (!GetNumber(&column_[epilog::kNodes], &distance)) return false;
  new_node_ += static_cast<uint32_t>(epilog::UnZigZag(distance));
  *node = new_node_;
  return true;
}

// Finds the child of the current slot that has this number; a new child has the next number.
bool BlockDecoder::FindChild(uint32_t number, uint32_t* slot) {
  const uint32_t children = slots_[current_].children;
  if (number > children) return false;
  uint32_t cell = Hash(current_, number, table_.size());
  for (; table_[cell] != 0; cell = (cell + 1) & static_cast<uint32_t>(table_.size() - 1)) {
    const epilog::Slot& other = slots_[table_[cell]];
    if (other.parent != current_ || other.number != number) continue;
    *slot = table_[cell];
    return true;
  }
  uint32_t node = 0;
  if (number != children || !GetNode(&node)) return false;
  *slot = AddChild(current_, node, cell);
  return true;
}

bool BlockDecoder::Open(const epilog::BlockHeader& header, const void* payload, std::string* error) {
  header_ = header;
  error_.clear();
  done_ = header_.events;
  for (const epilog::Slot& slot : slots_) {
    if (slot.cell < table_.size()) table_[slot.cell] = 0;
  }
  slots_.clear();
  if (!Unpack(payload, error)) return false;
  // Each slot takes at least a byte of its column. Slots never move: predictions point into them.
  const size_t most = std::min<size_t>(header_.column_bytes[epilog::kNodes], epilog::kMostSlots - 1) + 1;
  slots_.reserve(most);
  if (table_.size() < 2 * most) table_.assign(std::bit_ceil(2 * most), 0);
  slots_.push_back({});
  slots_[0].cell = static_cast<uint32_t>(table_.size());
  current_ = new_node_ = 0;
  for (uint32_t i = 0; i < header_.open; ++i) {
    if (!FindChild(0, &current_)) {
      *error = "its open frames are damaged";
      return false;
    }
  }
  if ((header_.method & epilog::kPredictsRecords) != 0) {
    if (records_ == nullptr) records_ = std::make_unique<epilog::RecordPrediction>();
    records_->Forget();
  }
  prediction_ = &slots_[current_].after_record;
  depth_ = header_.depth;
  time_ = header_.first_time;
  if (!GetNumber(&column_[epilog::kRuns], &hits_)) {
    *error = "its runs are damaged";
    return false;
  }
  done_ = 0;
  return true;
}

EPIK_HOT bool BlockDecoder::GetOutcome(uint32_t* outcome) {
  if (EPIK_LIKELY(hits_ > 0)) {
    --hits_;
    *outcome = *prediction_;
    return true;
  }
  uint64_t token = 0;
  if (!GetNumber(&column_[epilog::kTokens], &token) || !GetNumber(&column_[epilog::kRuns], &hits_)) return false;
  if (token >= epilog::kIsChild) {
    uint32_t slot = 0;
    if (token - epilog::kIsChild > epilog::kMostSlots ||
        !FindChild(static_cast<uint32_t>(token - epilog::kIsChild), &slot))
      return false;
    token = epilog::kIsChild + slot;
  }
  *outcome = *prediction_ = static_cast<uint32_t>(token);
  return true;
}

EPIK_HOT bool BlockDecoder::GetStep() {
  uint64_t units = 0;
  if (!GetNumber(&column_[epilog::kSteps], &units)) return false;
  uint64_t step = 0;
  if (__builtin_mul_overflow(units, header_.unit, &step)) return false;
  if (step > header_.last_time - time_) return false;
  time_ += step;
  return true;
}

bool BlockDecoder::GetBits(uint64_t* value) {
  Range* column = &column_[epilog::kFields];
  if (column->end - column->at < static_cast<ptrdiff_t>(sizeof *value)) return false;
  std::memcpy(value, column->at, sizeof *value);
  column->at += sizeof *value;
  return true;
}

// Reads a record as its difference from the predicted record.
bool BlockDecoder::GetRecord(Event* event) {
  uint64_t first = 0, others = 0;
  if (!GetNumber(&column_[epilog::kFields], &first)) return false;
  const uint64_t kind = first < epilog::kOfKind ? records_->KindAt(current_) : first - epilog::kOfKind;
  if (kind >= epilog::kKinds || !epilog::kRecordCodings.kinds[kind].known) return false;
  if (first != epilog::kAsPredicted && !GetNumber(&column_[epilog::kFields], &others)) return false;
  const epilog::RecordCoding& coding = epilog::kRecordCodings.kinds[kind];
  event->kind = static_cast<event::RecordKind>(kind);
  event->fields = coding.fields;
  const uint64_t* last = records_->FieldsAt(current_, static_cast<uint32_t>(kind));
  for (uint32_t i = 0; i < coding.fields; ++i) {
    event->field[i] = epilog::RecordPrediction::Predicted(coding.coding[i], last[i], time_);
    if ((others >> i & 1) == 0) continue;
    if (coding.coding[i] == epilog::FieldCoding::kBits) {
      if (!GetBits(&event->field[i])) return false;
      continue;
    }
    uint64_t difference = 0;
    if (!GetNumber(&column_[epilog::kFields], &difference)) return false;
    event->field[i] += static_cast<uint64_t>(epilog::UnZigZag(difference));
  }
  records_->Remember(current_, static_cast<uint32_t>(kind), event->field, coding.fields);
  return true;
}

// Reads the fields in the form of older traces.
bool BlockDecoder::GetFields(Event* event) {
  uint64_t kind = 0;
  if (!GetNumber(&column_[epilog::kFields], &kind) || kind >= epilog::kKinds ||
      !epilog::kRecordCodings.kinds[kind].known)
    return false;
  const epilog::RecordCoding& coding = epilog::kRecordCodings.kinds[kind];
  event->kind = static_cast<event::RecordKind>(kind);
  event->fields = coding.fields;
  for (uint32_t i = 0; i < coding.fields; ++i) {
    uint64_t value = 0;
    if (coding.coding[i] == epilog::FieldCoding::kBits) {
      if (!GetBits(&value)) return false;
    } else {
      if (!GetNumber(&column_[epilog::kFields], &value)) return false;
      const bool is_signed =
          coding.coding[i] == epilog::FieldCoding::kSigned || coding.coding[i] == epilog::FieldCoding::kTime;
      if (is_signed) value = static_cast<uint64_t>(epilog::UnZigZag(value));
      if (coding.coding[i] == epilog::FieldCoding::kTime) value += time_;
    }
    event->field[i] = value;
  }
  return true;
}

bool BlockDecoder::Next(Event* event) {
  if (done_ == header_.events) return false;
  uint32_t outcome = 0;
  if (!GetOutcome(&outcome)) return Fail("what happens next is damaged");
  if (!GetStep()) return Fail("a time is damaged");
  event->time = time_;
  event->location = header_.location;
  event->fields = 0;
  if (outcome == epilog::kIsExit) {
    if (depth_ == 0) return Fail("a frame ends that was not open");
    event->kind = event::RecordKind::kExit;
    event->node = slots_[current_].node;
    event->depth = --depth_;
    prediction_ = &slots_[current_].after_exit;
    current_ = slots_[current_].parent;
  } else if (outcome == epilog::kIsRecord) {
    const bool good = (header_.method & epilog::kPredictsRecords) != 0 ? GetRecord(event) : GetFields(event);
    if (!good) return Fail("a record is damaged");
    event->node = slots_[current_].node;
    event->depth = depth_;
    prediction_ = &slots_[current_].after_record;
  } else {
    current_ = outcome - epilog::kIsChild;
    event->kind = event::RecordKind::kEnter;
    event->node = slots_[current_].node;
    event->depth = depth_++;
    prediction_ = &slots_[current_].after_enter;
  }
  if (++done_ == header_.events && (time_ != header_.last_time || depth_ != header_.end_depth)) {
    error_ = "it does not end as its header says";
  }
  return true;
}

std::vector<uint32_t> BlockDecoder::OpenNodes() const {
  std::vector<uint32_t> nodes;
  for (uint32_t slot = current_; slot != 0; slot = slots_[slot].parent) nodes.push_back(slots_[slot].node);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace epik::archive
