// SPDX-License-Identifier: BSD-3-Clause
// One self-contained HTML file: the bundle of report/html, with the profile inside.
#ifndef EPIK_REPORT_HTML_HTML_H_
#define EPIK_REPORT_HTML_HTML_H_

#include <string>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/html/extras.h"
#include "report/sink.h"

namespace epik::report {

// The number of bytes of a text in a page, which compresses it.
size_t BytesInPage(const std::string& text);

// Returns false and sets *error when the page is not EPIK's.
bool WriteHtml(const archive::Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras,
               const Sink& sink, std::string* error, const HtmlBase& base = {});

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_HTML_H_
