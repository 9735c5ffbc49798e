// SPDX-License-Identifier: BSD-3-Clause
// One self-contained HTML file: the bundle of report/html with the profile in it.
#ifndef EPIK_REPORT_HTML_HTML_H_
#define EPIK_REPORT_HTML_HTML_H_

#include <string>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/html/extras.h"
#include "report/sink.h"

namespace epik::report {

// The bytes that a text takes in a page, where it is compressed.
size_t BytesInPage(const std::string& text);

// False and *error when the page is not ours.
bool WriteHtml(const epitome::Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras,
               const Sink& sink, std::string* error, const HtmlBase& base = {});

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_HTML_H_
