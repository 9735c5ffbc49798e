// SPDX-License-Identifier: BSD-3-Clause
// The fields of a record as other programs understand them: numbers of a process become names.
#ifndef EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_
#define EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_

#include <string>
#include <string_view>

#include "archive/trace/record_names.h"
#include "archive/trace/trace_archive.h"

namespace epik::report {

// Text as JSON; what is not UTF-8 becomes U+FFFD.
std::string JsonText(std::string_view text);

// A finite number; others, which JSON does not have, as text.
std::string JsonNumber(double number);

// Nanoseconds as seconds, with all their digits.
std::string SecondsText(int64_t ns);

// One field as people and other programs understand it.
struct FieldText {
  std::string_view name;
  std::string text;
  bool is_text;  // no number: JSON wants quotes
};
FieldText TextOfField(const archive::TraceArchive& archive, uint32_t process, const epilog::FieldName& field,
                      uint64_t value);

// {"to":1,"tag":7,"comm":"MPI_COMM_WORLD","bytes":8192}
std::string JsonFields(const archive::TraceArchive& archive, uint32_t process, const epilog::Event& event);
// The same without the braces.
std::string JsonMembers(const archive::TraceArchive& archive, uint32_t process, const epilog::Event& event);

// The name of field `field`, which is a region (an operation, a metric, a parameter).
std::string RegionOfField(const archive::TraceArchive& archive, uint32_t process, uint64_t field);

}  // namespace epik::report

#endif  // EPIK_ARCHIVE_TRACE_RECORD_TEXT_H_
