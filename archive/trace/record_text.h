// SPDX-License-Identifier: BSD-3-Clause
// The fields of a record in a form that other programs understand: numbers of a process become names.
#ifndef EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_
#define EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_

#include <string>
#include <string_view>

#include "archive/trace/record_names.h"
#include "archive/trace/trace_archive.h"

namespace epik::archive {

// A text as JSON; bytes that are not UTF-8 become U+FFFD.
std::string JsonText(std::string_view text);

// A number as JSON. Infinities and NaN become texts, because JSON has no such numbers.
std::string JsonNumber(double number);

// Nanoseconds as seconds, with all digits.
std::string SecondsText(int64_t ns);

// One field of a record, for people and for other programs.
struct FieldText {
  std::string_view name;
  std::string text;
  bool is_text;  // JSON wants quotes around it
};
FieldText TextOfField(const TraceArchive& archive, uint32_t process, const FieldName& field, uint64_t value);

// {"to":1,"tag":7,"comm":"MPI_COMM_WORLD","bytes":8192}
std::string JsonFields(const TraceArchive& archive, uint32_t process, const Event& event);
// Returns the same text without braces.
std::string JsonMembers(const TraceArchive& archive, uint32_t process, const Event& event);

// The name of the region with the number `field`: an operation, a metric or a parameter.
std::string RegionOfField(const TraceArchive& archive, uint32_t process, uint64_t field);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_
