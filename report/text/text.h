// SPDX-License-Identifier: BSD-3-Clause
// The report people look at: what ran and how it ended, what measuring cost, where the time went, what to do next.
#ifndef EPIK_REPORT_TEXT_TEXT_H_
#define EPIK_REPORT_TEXT_TEXT_H_

#include <string>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"
#include "report/views/options.h"

namespace epik::report {

struct Figures;

// False, with the reason in *error, when the profile has nothing for the view.
// A profile may come without a manifest: then `ended` is empty, and the header leaves out all that a manifest tells.
bool WriteText(const epitome::Profile& profile, const archive::Manifest& manifest, const ViewOptions& options,
               const Sink& sink, std::string* error);

// The same of figures that are there already.
bool WriteText(const Figures& figures, const archive::Manifest& manifest, const ViewOptions& options, const Sink& sink,
               std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TEXT_TEXT_H_
