// SPDX-License-Identifier: BSD-3-Clause
// Names of the kinds of records and of their fields, taken from runtime/event/records.def.
#ifndef EPIK_ARCHIVE_TRACE_RECORD_NAMES_H_
#define EPIK_ARCHIVE_TRACE_RECORD_NAMES_H_

#include <array>
#include <string_view>

#include "runtime/epilog/format.h"

namespace epik::archive {

struct FieldName {
  std::string_view name;  // "to"
  std::string_view kind;  // "rank" and others, which records.def lists
};

struct RecordName {
  std::string_view name;  // empty: no such kind
  std::array<FieldName, event::kMostFields> field{};
};

constexpr RecordName NameRecord(std::string_view name, std::string_view fields) {
  RecordName record{name, {}};
  for (FieldName& field : record.field) {
    const size_t colon = fields.find(':');
    if (colon == std::string_view::npos) break;
    const size_t end = std::min(fields.find(' '), fields.size());
    field = {fields.substr(0, colon), fields.substr(colon + 1, end - colon - 1)};
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return record;
}

inline const RecordName& NameOf(event::RecordKind kind) {
  static constexpr auto kNames = [] {
    std::array<RecordName, epilog::kKinds> names{};
    names[static_cast<uint32_t>(event::RecordKind::kExit)].name = "exit";
#define RECORD(id, number, name, fields) names[number] = NameRecord(name, fields);
#include "runtime/event/records.def"
#undef RECORD
    return names;
  }();
  static constexpr RecordName kEnter{"enter", {}};
  const auto number = static_cast<uint32_t>(kind);
  return number < epilog::kKinds ? kNames[number] : kEnter;
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_RECORD_NAMES_H_
