// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "archive/cubex/format.h"
#include "archive/cubex/tar.h"
#include "archive/files/guarded.h"
#include "archive/files/inflate.h"

namespace epik::archive {
namespace {

constexpr uint64_t kLargestAnchor = uint64_t{1} << 30;
// Definitions in good files become 10 to 60 times smaller; data that was made to exhaust memory, 1000 times.
constexpr uint64_t kMostExpansion = 250;
constexpr uint64_t kSmallAnchor = uint64_t{16} << 20;

uint64_t largest_anchor = 0;  // the user's limit; 0: none

std::string ThatIsTooMuch(uint64_t limit) {
  return "more than " + std::to_string(limit >> 20) + " MiB; `epk --max-anchor SIZE` raises the limit";
}

template <class T>
T Load(const char* from, bool swap) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof bytes);
  if (swap) std::reverse(bytes, bytes + sizeof bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
uint64_t LoadCell(const char* from, bool swap, Type type) {
  const T value = Load<T>(from, swap);
  return type == Type::kUint64 ? static_cast<uint64_t>(value) : std::bit_cast<uint64_t>(static_cast<double>(value));
}

// A counter that went backwards a little. CUBE's own library takes all such values for 0, too.
constexpr uint64_t kLargestCount = 0xFFFFFFFFFFFFFBFF;

uint64_t LoadCount(const char* from, bool swap) {
  const auto value = Load<uint64_t>(from, swap);
  return value > kLargestCount ? 0 : value;
}

uint64_t LoadCell(const char* from, Number number, bool swap, Type type) {
  switch (number) {
    case Number::kUint8: return LoadCell<uint8_t>(from, swap, type);
    case Number::kInt8: return LoadCell<int8_t>(from, swap, type);
    case Number::kUint16: return LoadCell<uint16_t>(from, swap, type);
    case Number::kInt16: return LoadCell<int16_t>(from, swap, type);
    case Number::kUint32: return LoadCell<uint32_t>(from, swap, type);
    case Number::kInt32: return LoadCell<int32_t>(from, swap, type);
    case Number::kInt64: return LoadCell<int64_t>(from, swap, type);
    case Number::kUint64: return LoadCount(from, swap);
    case Number::kTauCount: return LoadCell<uint32_t>(from, swap, type);
    case Number::kTauLeast: return Load<uint64_t>(from + 4, swap);
    case Number::kTauMost: return Load<uint64_t>(from + 12, swap);
    case Number::kTauSum: return Load<uint64_t>(from + 20, swap);
    default: return Load<uint64_t>(from, swap);
  }
}

}  // namespace

struct CubexReader::Table {
  struct Stream {
    uint64_t row, offset, length;
    bool operator<(const Stream& other) const { return row < other.row; }
  };

  bool present = false;
  bool swap = false;
  bool dense = false;
  bool zip = false;
  uint64_t rows_at = 0;             // in the file: the first row, or the first stream
  uint64_t rows = 0;                // when plain: rows that are there as a whole
  std::vector<uint32_t> positions;  // of the rows, ascending, when sparse
  std::vector<Stream> streams;      // by row, when compressed
};

// The work of Open: reads the anchor and finds the rows of each metric. None of it is needed afterwards.
class CubexReader::Loader {
 public:
  Loader(CubexReader* reader, std::string* error) : reader_(*reader), error_(error) {}

  bool Run() {
    std::vector<TarMember> members;
    if (!ListTar(*reader_.file_, &members, error_)) return false;
    for (TarMember& member : members) members_[member.name] = member;  // as in tar, the last member of a name counts
    if (!LoadAnchor()) return false;
    const Anchor& anchor = reader_.anchor_;
    bool any_inclusive = false;
    for (const Storage& storage : anchor.storage) any_inclusive = any_inclusive || storage.children_first;
    if (any_inclusive) {
      const std::vector<uint32_t> order = RowOrder(anchor.definitions, true);
      reader_.inclusive_rank_.resize(order.size());
      for (uint32_t i = 0; i < order.size(); ++i) reader_.inclusive_rank_[order[i]] = i;
    }
    reader_.tables_.resize(anchor.storage.size());
    for (uint32_t m = 0; m < anchor.storage.size(); ++m) {
      if (!LoadTable(m, &reader_.tables_[m])) return false;
    }
    return true;
  }

 private:
  bool Fail(const std::string& what) {
    *error_ = what;
    return false;
  }

  const TarMember* Find(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second;
  }

  bool LoadAnchor() {
    const TarMember* member = Find(std::string(kAnchorName));
    if (member == nullptr) return Fail("no anchor.xml in it: not a .cubex file, or cut off");
    const uint64_t most = largest_anchor != 0 ? largest_anchor : kLargestAnchor;
    if (member->size > most) return Fail("anchor.xml: " + ThatIsTooMuch(most));
    std::string& text = reader_.anchor_text_;
    text.resize(member->size);
    if (!reader_.file_->ReadAt(member->offset, text.data(), text.size())) return Fail("anchor.xml: cannot be read");
    if (text.size() > 2 && text[0] == '\x1f' && text[1] == '\x8b') {
      std::string plain;
      const uint64_t expanded = std::max(kSmallAnchor, kMostExpansion * text.size());
      const uint64_t limit = largest_anchor != 0 ? most : std::min(most, expanded);
      if (!Inflate(text, true, limit, &plain)) return Fail("anchor.xml: damaged gzip data, or " + ThatIsTooMuch(limit));
      text = std::move(plain);
    }
    reader_.anchor_bytes_ = text.size();
    if (!ParseAnchor(text, &reader_.anchor_, error_)) return false;
    if (reader_.anchor_.severity.empty()) std::string().swap(text);
    return true;
  }

  std::string Subject(uint32_t m) const { return "metric " + reader_.anchor_.definitions.metrics[m].unique_name; }

  void NoteDamage(const std::string& what) {
    reader_.anchor_.notes.push_back(what);
    reader_.anchor_.damage.push_back(what);
  }

  bool LoadTable(uint32_t m, Table* table) {
    const std::string id = std::to_string(reader_.anchor_.storage[m].id);
    const TarMember* index = Find(id + ".index");
    const TarMember* data = Find(id + ".data");
    if (index == nullptr || data == nullptr) {
      // Score-P leaves both out when there are no values; one of them alone is damage.
      if ((index == nullptr) != (data == nullptr)) {
        NoteDamage(Subject(m) + " has lost its values: one of its two members is missing");
      }
      return true;
    }
    table->present = true;
    return LoadIndex(*index, table) && LoadData(m, *data, table);
  }

  bool LoadIndex(const TarMember& member, Table* table) {
    char header[kIndexHeaderBytes + 4] = {};
    const size_t got = std::min<uint64_t>(member.size, sizeof header);
    if (got < kIndexHeaderBytes || !reader_.file_->ReadAt(member.offset, header, got) ||
        std::string_view(header, kIndexMagic.size()) != kIndexMagic) {
      return Fail(member.name + ": not an index");
    }
    const uint32_t mark = Load<uint32_t>(header + kIndexMagic.size(), false);
    if (mark != 1 && mark != 0x01000000) return Fail(member.name + ": damaged mark of the byte order");
    table->swap = mark != 1;
    const uint8_t kind = static_cast<uint8_t>(header[kIndexHeaderBytes - 1]);
    table->dense = kind == kDenseIndex;
    if (table->dense) return true;
    if (kind != kSparseIndex || got < sizeof header) return Fail(member.name + ": unknown kind of index");
    const uint64_t rows = Load<uint32_t>(header + kIndexHeaderBytes, table->swap);
    if (rows > reader_.anchor_.definitions.call_paths.size() || rows > (member.size - sizeof header) / 4) {
      return Fail(member.name + ": " + std::to_string(rows) + " rows are more than there can be");
    }
    table->positions.resize(rows);
    char* cells = reinterpret_cast<char*>(table->positions.data());
    if (!reader_.file_->ReadAt(member.offset + sizeof header, cells, rows * 4)) {
      return Fail(member.name + ": cannot be read");
    }
    uint64_t least = 0;
    for (uint32_t& position : table->positions) {
      if (table->swap) position = __builtin_bswap32(position);
      if (position < least || position >= reader_.anchor_.definitions.call_paths.size()) {
        return Fail(member.name + ": rows out of order or of no call path");
      }
      least = uint64_t{position} + 1;
    }
    return true;
  }

  bool LoadData(uint32_t m, const TarMember& member, Table* table) {
    const Anchor& anchor = reader_.anchor_;
    const uint64_t row_bytes = anchor.columns.size() * Width(anchor.storage[m].number);
    const uint64_t all = table->dense ? anchor.definitions.call_paths.size() : table->positions.size();
    char magic[16] = {};
    const size_t got = std::min<uint64_t>(member.size, kZipDataMagic.size());
    if (!reader_.file_->ReadAt(member.offset, magic, got)) return Fail(member.name + ": cannot be read");
    table->zip = std::string_view(magic, kZipDataMagic.size()) == kZipDataMagic;
    if (table->zip) return LoadStreams(member, row_bytes, all, table);
    if (std::string_view(magic, kDataMagic.size()) != kDataMagic) return Fail(member.name + ": no values");
    table->rows_at = member.offset + kDataMagic.size();
    table->rows = std::min(all, (member.size - kDataMagic.size()) / row_bytes);
    if (table->rows < all) {
      NoteDamage(Subject(m) + " is cut off: " + std::to_string(table->rows) + " of " + std::to_string(all) +
                 " rows are there");
    }
    return true;
  }

  bool LoadStreams(const TarMember& member, uint64_t row_bytes, uint64_t rows, Table* table) {
    const uint64_t head = kZipDataMagic.size() + 8;
    char count[8] = {};
    if (member.size < head || !reader_.file_->ReadAt(member.offset + kZipDataMagic.size(), count, 8)) {
      return Fail(member.name + ": no table of compressed rows");
    }
    const uint64_t n = Load<uint64_t>(count, table->swap);
    if (n > rows || n > (member.size - head) / 24) {
      return Fail(member.name + ": more compressed rows than there can be");
    }
    std::string entries(n * 24, '\0');
    if (!reader_.file_->ReadAt(member.offset + head, entries.data(), entries.size())) {
      return Fail(member.name + ": cannot be read");
    }
    table->rows_at = member.offset + head + entries.size();
    const uint64_t room = member.size - head - entries.size();
    uint64_t sum = 0;  // overlapping streams could make a huge profile from a small file
    table->streams.reserve(n);
    for (uint64_t i = 0; i < n; ++i) {
      const char* entry = entries.data() + i * 24;
      const uint64_t plain = Load<uint64_t>(entry, table->swap);
      const Table::Stream stream{plain / row_bytes, Load<uint64_t>(entry + 8, table->swap),
                                 Load<uint64_t>(entry + 16, table->swap)};
      const bool inside = stream.offset <= room && stream.length <= room - stream.offset && stream.length <= room - sum;
      if (plain % row_bytes != 0 || stream.row >= rows || !inside) return Fail(member.name + ": damaged table of rows");
      sum += stream.length;
      table->streams.push_back(stream);
    }
    std::sort(table->streams.begin(), table->streams.end());
    const auto same = [](const Table::Stream& a, const Table::Stream& b) { return a.row == b.row; };
    if (std::adjacent_find(table->streams.begin(), table->streams.end(), same) != table->streams.end()) {
      return Fail(member.name + ": a row twice");
    }
    return true;
  }

  CubexReader& reader_;
  std::string* error_;
  std::unordered_map<std::string, TarMember> members_;
};

void SetLargestAnchor(uint64_t bytes) { largest_anchor = bytes; }

CubexReader::CubexReader() = default;
CubexReader::~CubexReader() = default;

bool CubexReader::Open(const std::string& path, std::string* error) {
  return Guarded(error, [&] {
    std::unique_ptr<ByteSource> file = OpenFile(path, error);
    if (file == nullptr) return false;
    if (Open(std::move(file), error)) return true;
    *error = path + ": " + *error;
    return false;
  });
}

bool CubexReader::Open(std::unique_ptr<ByteSource> file, std::string* error) {
  return Guarded(error, [&] {
    file_ = std::move(file);
    tables_.clear();
    inclusive_rank_.clear();
    return Loader(this, error).Run();
  });
}

bool CubexReader::IsDense(uint32_t metric) const { return tables_[metric].dense; }

const SeverityRow* CubexReader::FindSeverity(uint32_t metric, uint32_t path) const {
  const std::pair key(metric, path);
  const auto first = std::lower_bound(
      anchor_.severity.begin(), anchor_.severity.end(), key,
      [](const SeverityRow& row, const auto& wanted) { return std::pair(row.metric, row.path) < wanted; });
  return first != anchor_.severity.end() && std::pair(first->metric, first->path) == key ? &*first : nullptr;
}

bool CubexReader::FindRow(const Table& table, uint32_t metric, uint32_t path, uint64_t* row) const {
  const uint32_t position = anchor_.storage[metric].children_first ? inclusive_rank_[path] : path;
  *row = position;
  if (!table.dense) {
    const auto found = std::lower_bound(table.positions.begin(), table.positions.end(), position);
    if (found == table.positions.end() || *found != position) return false;
    *row = static_cast<uint64_t>(found - table.positions.begin());
  }
  if (!table.zip) return *row < table.rows;
  return std::binary_search(table.streams.begin(), table.streams.end(), Table::Stream{*row, 0, 0});
}

bool CubexReader::HasRow(uint32_t metric, uint32_t path) const {
  uint64_t row = 0;
  const Table& table = tables_[metric];
  return table.present ? FindRow(table, metric, path, &row) : FindSeverity(metric, path) != nullptr;
}

bool CubexReader::ReadBytes(const Table& table, uint64_t row, size_t bytes, char* to) const {
  if (!table.zip) return file_->ReadAt(table.rows_at + row * bytes, to, bytes);
  const auto stream = std::lower_bound(table.streams.begin(), table.streams.end(), Table::Stream{row, 0, 0});
  std::string packed(stream->length, '\0'), plain;
  if (!file_->ReadAt(table.rows_at + stream->offset, packed.data(), packed.size())) return false;
  if (!Inflate(packed, false, bytes, &plain) || plain.size() != bytes) return false;
  std::memcpy(to, plain.data(), bytes);
  return true;
}

bool CubexReader::ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const {
  return Guarded(error, [&] {
    const Table& table = tables_[metric];
    const Storage& storage = anchor_.storage[metric];
    const Metric& definition = anchor_.definitions.metrics[metric];
    std::fill_n(cells, anchor_.columns.size(), Values::EmptyBits(definition.type));
    const auto damaged = [&] {
      *error = "metric " + definition.unique_name + ", call path " + std::to_string(path) + ": damaged values";
      return false;
    };
    if (!table.present) {
      const SeverityRow* row = FindSeverity(metric, path);
      return row == nullptr || ParseSeverity(*row, cells) || damaged();
    }
    uint64_t row = 0;
    if (!FindRow(table, metric, path, &row)) return true;
    const size_t width = Width(storage.number);
    std::string bytes(anchor_.columns.size() * width, '\0');
    if (!ReadBytes(table, row, bytes.size(), bytes.data())) return damaged();
    for (size_t l = 0; l < anchor_.columns.size(); ++l) {
      const char* cell = bytes.data() + anchor_.columns[l] * width;
      cells[l] = LoadCell(cell, storage.number, table.swap, definition.type);
    }
    if (definition.type == Type::kMax && definition.unique_name == kLongestVisit) {
      std::replace(cells, cells + anchor_.columns.size(), uint64_t{0}, Values::EmptyBits(Type::kMax));
    }
    return true;
  });
}

bool CubexReader::ParseSeverity(const SeverityRow& row, uint64_t* cells) const {
  std::vector<uint64_t> values(anchor_.columns.size());
  const char* at = anchor_text_.data() + row.offset;
  const char* const end = at + row.length;
  const bool integer = anchor_.definitions.metrics[row.metric].type == Type::kUint64;
  for (uint64_t& value : values) {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    double real = 0;
    const auto [stop, problem] = integer ? std::from_chars(at, end, value) : std::from_chars(at, end, real);
    if (problem != std::errc()) return false;
    if (!integer) value = std::bit_cast<uint64_t>(real);
    at = stop;
  }
  for (size_t l = 0; l < values.size(); ++l) cells[l] = values[anchor_.columns[l]];
  return true;
}

}  // namespace epik::archive
