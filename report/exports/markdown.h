// SPDX-License-Identifier: BSD-3-Clause
// A profile as a table for a merge request, an issue, a lab book.
#ifndef EPIK_REPORT_EXPORTS_MARKDOWN_H_
#define EPIK_REPORT_EXPORTS_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// Writes the hottest call paths and regions, `top` of each; 0: all; ViewOptions::kDefaultTop: 20.
void WriteMarkdown(const archive::Profile& profile, const archive::Manifest& manifest, size_t top, const Sink& sink);

// Code in a cell of a table, for any text.
std::string MarkdownCode(std::string_view text);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_MARKDOWN_H_
