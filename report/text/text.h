// SPDX-License-Identifier: BSD-3-Clause
// The report for people: the program and how it ended, the cost of measuring, where the time went, the next steps.
#ifndef EPIK_REPORT_TEXT_TEXT_H_
#define EPIK_REPORT_TEXT_TEXT_H_

#include <string>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"
#include "report/views/options.h"

namespace epik::report {

struct Figures;

// Returns false, with the reason in *error, when the profile has no data for the view. A profile may come without a
// manifest: then `ended` is empty, and the header leaves out all facts of a manifest.
bool WriteText(const archive::Profile& profile, const archive::Manifest& manifest, const ViewOptions& options,
               const Sink& sink, std::string* error);

// Does the same with figures that exist already.
bool WriteText(const Figures& figures, const archive::Manifest& manifest, const ViewOptions& options, const Sink& sink,
               std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TEXT_TEXT_H_
