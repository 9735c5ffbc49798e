// SPDX-License-Identifier: BSD-3-Clause
// The formats that profiles are written in: one list for `epk report`, `epk convert`, their help and their checks.
#ifndef EPIK_REPORT_FORMATS_FORMATS_H_
#define EPIK_REPORT_FORMATS_FORMATS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/html/html.h"
#include "report/row_source.h"
#include "report/sink.h"
#include "report/views/views.h"

namespace epik::report {

// The profile that is written, and the options of all formats.
struct Subject {
  const archive::Profile& profile;
  const archive::Manifest& manifest;
  const ExclusiveRowSource* rows = nullptr;  // not null: the values are not in the profile
  ViewOptions options = {};
  std::string metric = "time";  // for formats that show a single one
  HtmlExtras page = {};
  HtmlBase base = {};
};

enum FormatTrait : unsigned {
  kReports = 1,   // for `epk report`
  kConverts = 2,  // for `epk convert`
  kFromRows = 4,  // works with Subject::rows: values need not be in memory
  kNeedsPage = 8  // puts the profile in a page: Subject::page
};

struct Format {
  // Returns false and sets *error when it cannot be written. `notes` names content without a place in the format.
  using Write = bool(const Subject& subject, const Sink& sink, std::vector<std::string>* notes, std::string* error);
  using WriteView = void(const ViewData& view, const Sink& sink);

  std::string_view name;
  unsigned traits;
  std::string_view help;  // the programs that read it
  Write* write;
  WriteView* write_view;  // writes a view alone; null: the format has no views

  bool Is(FormatTrait trait) const { return (traits & trait) != 0; }
};

std::span<const Format> Formats();
const Format* FindFormat(std::string_view name);  // null if the name is unknown

std::vector<std::string> FormatNames(FormatTrait trait);
// For manuals: " name help", one line each.
std::string FormatLines(FormatTrait trait);

}  // namespace epik::report

#endif  // EPIK_REPORT_FORMATS_FORMATS_H_
