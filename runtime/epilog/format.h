// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a trace file, as docs/formats.md describes them. The encoder inside the program and all readers share
// them.
#ifndef EPIK_RUNTIME_EPILOG_FORMAT_H_
#define EPIK_RUNTIME_EPILOG_FORMAT_H_

#include <cstdint>

#include "runtime/event/trace.h"

namespace epik::epilog {

inline constexpr char kFileMagic[8] = {'E', 'P', 'I', 'K', 'E', 'L', 'G', '\n'};
inline constexpr uint32_t kFormatVersion = 1;

// First bytes of a file of traces/. Blocks follow, each at a multiple of kBlockAlign.
struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint32_t process_id;
  int32_t rank;           // -1: not known (yet)
  uint64_t index_offset;  // of the closing index; 0: no index
  uint32_t index_bytes;   // with its head
  uint32_t reserved[7];
};
static_assert(sizeof(FileHeader) == 64);

inline constexpr uint32_t kBlockMagic = 0x424b5045;  // "EPKB"
inline constexpr uint32_t kIndexMagic = 0x494b5045;  // "EPKI"
inline constexpr uint32_t kBlockAlign = 8;
inline constexpr uint32_t kMostEvents = 1u << 16;  // of a block
inline constexpr uint32_t kMostOpen = 4096;        // nodes of open frames that a block begins with
inline constexpr uint32_t kMostDepth = 1u << 25;   // of frames, where a block begins

// The columns of a block's payload, in their order.
enum Column : unsigned {
  kNodes = 0,  // of frames open at the beginning, then of call paths as they are entered first
  kRuns,       // how many events come as predicted
  kTokens,     // events that do not come as predicted
  kSteps,      // of time
  kFields,     // kinds and fields of records
  kColumns
};

// Bits of a block's method.
enum Method : uint32_t {
  kStored = 0,
  kDeflate = 1,
  kPredictsRecords = 2,  // record_prediction.h. Without it, each record has all of its fields, as in older traces
  kMethods = 4
};

struct BlockHeader {
  uint32_t magic;
  uint32_t header_crc;  // of all other bytes of the header
  uint32_t header_bytes;
  uint32_t payload_bytes;  // as in the file, without padding
  uint32_t payload_crc;    // of these bytes
  uint32_t location;       // its number within the process
  uint32_t method;
  uint32_t events;
  uint64_t first_word;  // words of the location's stream before this block
  uint32_t words;       // in this block
  uint32_t depth;       // frames open at the beginning
  uint32_t open;        // of these, the innermost ones whose nodes are given
  uint32_t end_depth;
  uint64_t first_time;
  uint64_t last_time;
  uint64_t unit;  // steps of time are multiples of this many ticks
  uint32_t column_bytes[kColumns];
  uint32_t reserved[7];
};
static_assert(sizeof(BlockHeader) == 128);

// The closing index: its head, then an entry for each block in the order of the file.
struct IndexHeader {
  uint32_t magic;
  uint32_t crc;  // of the entries
  uint64_t blocks;
};
struct IndexEntry {
  uint64_t offset;
  uint32_t location;
  uint32_t events;
  uint64_t first_time;
  uint64_t last_time;
};
static_assert(sizeof(IndexHeader) == 16 && sizeof(IndexEntry) == 32);

// The meaning of a prediction or a token. In a token, kIsChild and above are the number of a child of the current call
// path.
enum : uint32_t { kIsExit = 0, kIsRecord = 1, kIsChild = 2 };

// A call path within a block. Slot 0 stands for everything below the outermost known frame.
struct Slot {
  uint32_t node;
  uint32_t parent;  // slot
  uint32_t number;  // among the children of its parent
  uint32_t children;
  // The predicted next event: kIsExit, kIsRecord, or kIsChild + a slot. It is the event that came the last time.
  uint32_t after_enter;
  uint32_t after_exit;
  uint32_t after_record;
  uint32_t cell;  // where it is in the hash table
};
static_assert(sizeof(Slot) == 32);
inline constexpr uint32_t kMostSlots = kMostEvents + kMostOpen + 1;

inline constexpr uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
inline constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// At most 10 bytes.
EPIK_HOT uint8_t* PutNumber(uint8_t* to, uint64_t value) {
  while (EPIK_UNLIKELY(value >= 0x80)) {
    *to++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<uint8_t>(value);
  return to;
}

// How a field is written. kNext: without a sign, and mostly one more than last time.
enum class FieldCoding : uint8_t { kUnsigned, kSigned, kTime, kBits, kNext };

// Whether a field has this kind: the word after its colon in records.def.
constexpr bool IsFieldKind(const char* at, const char* kind) {
  while (*kind != '\0') {
    if (*at++ != *kind++) return false;
  }
  return *at == '\0' || *at == ' ';
}
constexpr FieldCoding CodingOf(const char* fields, uint32_t field) {
  for (; *fields != '\0'; ++fields) {
    if (*fields != ':') continue;
    if (field-- != 0) continue;
    ++fields;
    if (IsFieldKind(fields, "int") || IsFieldKind(fields, "rank") || IsFieldKind(fields, "ns")) {
      return FieldCoding::kSigned;
    }
    if (IsFieldKind(fields, "ticks")) return FieldCoding::kTime;
    if (IsFieldKind(fields, "double")) return FieldCoding::kBits;
    if (IsFieldKind(fields, "request")) return FieldCoding::kNext;
    return FieldCoding::kUnsigned;
  }
  return FieldCoding::kUnsigned;
}

struct RecordCoding {
  bool known;
  uint8_t fields;
  uint8_t steady;  // fields that are predicted to stay as they are, if all do except for a last one that is kNext
  FieldCoding coding[event::kMostFields];
};
inline constexpr uint32_t kKinds = base::kFirstChunkLine;
inline constexpr uint8_t kNotSteady = event::kMostFields + 1;

constexpr uint8_t SteadyFields(const RecordCoding& coding) {
  uint8_t steady = 0;
  while (steady < coding.fields && coding.coding[steady] != FieldCoding::kTime &&
         coding.coding[steady] != FieldCoding::kNext) {
    ++steady;
  }
  const bool ends_with_next = steady + 1 == coding.fields && coding.coding[steady] == FieldCoding::kNext;
  return steady == coding.fields || ends_with_next ? steady : kNotSteady;
}

struct RecordCodings {
  RecordCoding kinds[kKinds]{};
  constexpr RecordCodings() {
#define RECORD(id, number, name, fields_text)                                                             \
  kinds[number].known = true;                                                                             \
  kinds[number].fields = static_cast<uint8_t>(event::CountFields(fields_text));                           \
  for (uint32_t i = 0; i < kinds[number].fields; ++i) kinds[number].coding[i] = CodingOf(fields_text, i); \
  kinds[number].steady = SteadyFields(kinds[number]);
#include "runtime/event/records.def"
#undef RECORD
  }
};
inline constexpr RecordCodings kRecordCodings;

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_FORMAT_H_
