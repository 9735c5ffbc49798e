// SPDX-License-Identifier: BSD-3-Clause
// Communicators that a loop makes and never frees.
#ifndef EPIK_REPORT_VIEWS_COMMUNICATORS_H_
#define EPIK_REPORT_VIEWS_COMMUNICATORS_H_

#include <string>

#include "report/figures.h"

namespace epik::report {

// A sentence about them; empty: there are few.
std::string UnfreedCommunicators(const Figures& figures, bool unicode);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_COMMUNICATORS_H_
