// SPDX-License-Identifier: BSD-3-Clause
// CUBE 3: the XML of Scalasca 1, which older tools read. Values are exclusive along the call tree, and contain those of
// child metrics. Its readers are no XML parsers: they want this spelling and this order.
#ifndef EPIK_REPORT_EXPORTS_CUBE3_H_
#define EPIK_REPORT_EXPORTS_CUBE3_H_

#include <string>
#include <vector>

#include "archive/profile/profile.h"
#include "report/row_source.h"
#include "report/sink.h"

namespace epik::report {

// `notes` names the content for which CUBE 3 has no place. Returns false and sets *error when a row cannot be read, or
// when CUBE cannot hold the profile; the output is then incomplete.
bool WriteCube3(const archive::Profile& definitions, const ExclusiveRowSource& rows, const Sink& sink,
                std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_CUBE3_H_
