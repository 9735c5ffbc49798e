// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/formats.h"

#include "archive/otf2/otf2.h"
#include "report/trace/chrome.h"
#include "report/trace/paraver.h"
#include "report/trace/perfetto.h"

namespace epik::report {
namespace {

constexpr TraceFormat kFormats[] = {
    {"chrome", uint64_t{256} << 20, /*leaves_out=*/true, WriteChrome, nullptr},
    {"perfetto", uint64_t{256} << 20, /*leaves_out=*/true, WritePerfetto, nullptr},
    {"otf2", 0, /*leaves_out=*/false, nullptr, WriteOtf2},
    {"paraver", 0, /*leaves_out=*/false, nullptr, WriteParaver},
};

}  // namespace

std::span<const TraceFormat> TraceFormats() { return kFormats; }

const TraceFormat* FindTraceFormat(std::string_view name) {
  for (const TraceFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace epik::report
