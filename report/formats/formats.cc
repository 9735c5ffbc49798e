// SPDX-License-Identifier: BSD-3-Clause
#include "report/formats/formats.h"

#include <algorithm>
#include <type_traits>

#include "report/exports/csv.h"
#include "report/exports/cube3.h"
#include "report/exports/folded.h"
#include "report/exports/hatchet.h"
#include "report/exports/json.h"
#include "report/exports/markdown.h"
#include "report/exports/pprof.h"
#include "report/exports/speedscope.h"
#include "report/text/text.h"
#include "view/text.h"

namespace epik::report {
namespace {

using Notes = std::vector<std::string>;

// A view with tables is written alone, any other view together with the whole profile.
template <class WriteAll>
bool ViewOrAll(const Subject& s, Format::WriteView* write_view, WriteAll&& all, const Sink& sink, Notes* notes,
               std::string* error) {
  const View* view = FindView(s.options.view);
  if (view != nullptr && !view->Is(kTyped)) return all(), true;
  ViewData data;
  ViewOptions options = s.options;
  options.manifest = &s.manifest;
  if (!MakeView(Figures(s.profile), options, &data, error)) return false;
  write_view(data, sink);
  if (!data.lacks.empty()) notes->push_back(data.lacks);
  return true;
}

bool Text(const Subject& s, const Sink& sink, Notes*, std::string* error) {
  if (s.rows == nullptr) return WriteText(s.profile, s.manifest, s.options, sink, error);
  return WriteText(Figures(s.profile, *s.rows, s.options.min_percent / 100), s.manifest, s.options, sink, error);
}
void TextOfView(const ViewData& view, const Sink& sink) { sink(view.text); }

bool Json(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return ViewOrAll(
      s, WriteViewJson, [&] { WriteJson(s.profile, s.manifest, sink); }, sink, notes, error);
}

bool Csv(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return ViewOrAll(
      s, WriteViewCsv, [&] { WriteCsv(s.profile, sink); }, sink, notes, error);
}

bool Markdown(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return ViewOrAll(
      s, WriteViewMarkdown, [&] { WriteMarkdown(s.profile, s.manifest, s.options.top, sink); }, sink, notes, error);
}

bool Html(const Subject& s, const Sink& sink, Notes*, std::string* error) {
  return WriteHtml(s.profile, s.manifest, s.page, sink, error, s.base);
}

bool Folded(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return WriteFolded(s.profile, s.metric, sink, notes, error);
}

bool Speedscope(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return WriteSpeedscope(s.profile, s.manifest, s.metric, sink, notes, error);
}

// For a writer that takes the profile, and perhaps the manifest, and cannot fail.
template <auto Write>
bool All(const Subject& s, const Sink& sink, Notes*, std::string*) {
  if constexpr (std::is_invocable_v<decltype(Write), const archive::Profile&, const archive::Manifest&, const Sink&>) {
    Write(s.profile, s.manifest, sink);
  } else {
    Write(s.profile, sink);
  }
  return true;
}

bool Cube3(const Subject& s, const Sink& sink, Notes* notes, std::string* error) {
  return WriteCube3(s.profile, *s.rows, sink, notes, error);
}

constexpr Format kFormats[] = {
    {"text", kReports | kFromRows, "people", Text, TextOfView},
    {"html", kReports | kNeedsPage, "people: one file that opens in every browser, from disk", Html, nullptr},
    {"json", kReports, "programs: everything, as report.schema.json says", Json, WriteViewJson},
    {"csv", kReports, "data frames and spreadsheets: by call path and location", Csv, WriteViewCsv},
    {"markdown", kReports, "merge requests, lab books: the hottest call paths and regions", Markdown,
     WriteViewMarkdown},
    {"cube3", kConverts | kFromRows, "CUBE 3 XML: Scalasca 1 and what reads its files", Cube3, nullptr},
    {"folded", kReports | kConverts, "stacks, one a line: flame graph scripts", Folded, nullptr},
    {"speedscope", kReports | kConverts, "speedscope.app", Speedscope, nullptr},
    {"pprof", kReports, "the pprof tools", All<WritePprof>, nullptr},
    {"hatchet", kReports, "hatchet.GraphFrame.from_literal", All<WriteHatchet>, nullptr},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const Format* end = std::end(kFormats);
  const Format* found = std::find_if(kFormats, end, [&](const Format& format) { return format.name == name; });
  return found == end ? nullptr : found;
}

std::vector<std::string> FormatNames(FormatTrait trait) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.Is(trait)) names.emplace_back(format.name);
  }
  return names;
}

std::string FormatLines(FormatTrait trait) {
  constexpr size_t kName = 13;
  std::string lines;
  for (const Format& format : kFormats) {
    if (format.Is(trait)) lines += "    " + view::PadRight(format.name, kName) + std::string(format.help) + "\n";
  }
  return lines;
}

}  // namespace epik::report
