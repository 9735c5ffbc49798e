// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/formats.h"

#include "archive/otf2/otf2.h"
#include "report/trace/chrome.h"
#include "report/trace/paraver.h"
#include "report/trace/perfetto.h"
#include "view/text.h"

namespace epik::report {
namespace {

constexpr uint64_t kViewersTake = uint64_t{256} << 20;

constexpr TraceFormat kFormats[] = {
    {"perfetto", "ui.perfetto.dev", kViewersTake, /*leaves_out=*/true, WritePerfetto, nullptr},
    {"chrome", "JSON for chrome://tracing and ui.perfetto.dev", kViewersTake, /*leaves_out=*/true, WriteChrome,
     nullptr},
    {"otf2", "OTF2, a new directory (-o NAME): Vampir, Scalasca, otf2-print", 0, /*leaves_out=*/false, nullptr,
     archive::WriteOtf2},
    {"paraver", "NAME.prv, NAME.pcf and NAME.row (-o NAME): Paraver", 0, /*leaves_out=*/false, nullptr, WriteParaver},
};

}  // namespace

std::span<const TraceFormat> TraceFormats() { return kFormats; }

const TraceFormat* FindTraceFormat(std::string_view name) {
  for (const TraceFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string TraceFormatLines() {
  constexpr size_t kName = 13;
  std::string lines;
  for (const TraceFormat& format : kFormats) lines += "    " + view::PadRight(format.name, kName) + format.help + "\n";
  return lines;
}

}  // namespace epik::report
