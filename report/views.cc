// SPDX-License-Identifier: BSD-3-Clause
#include "report/views.h"

namespace epik::report {

bool MakeView(const Figures& figures, const TextOptions& options, ViewData* view, std::string* error) {
  switch (options.view) {
    case TextOptions::View::kMpi: return internal::MakeMpi(figures, options, view, error);
    case TextOptions::View::kOmp: return internal::MakeOmp(figures, options, view, error);
    case TextOptions::View::kCounters: return internal::MakeCounters(figures, options, view, error);
    case TextOptions::View::kPop: internal::MakePop(figures, options, view); return true;
    default: internal::MakeLoad(figures, options, view); return true;
  }
}

}  // namespace epik::report
