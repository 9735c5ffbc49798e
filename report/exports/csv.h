// SPDX-License-Identifier: BSD-3-Clause
// A table for spreadsheets and data frames: a line for each call path and location that has data (RFC 4180, UTF-8).
//
//   rank,thread,callpath,region,role,visits,excl_s,incl_s,min_s,max_s,bytes_sent,bytes_received,msgs_sent,
//   msgs_received,colls, then every further metric by its unique name ("rank (metric)" if a column has it)
//
// callpath    names of the regions from the root, joined by " > "
// excl_s      time of this call path alone, incl_s with everything below; min_s and max_s of one visit, inclusive
// bytes_…     and msgs_… point to point; colls: collective operations; 0 when the program had none
// the others  of this call path alone; minima and maxima as they are stored. Sums and kinds of time, which follow from
//             the columns and the region, are left out: `execution`, `mpi_point2point`, `bytes` …
// A minimum or maximum without a timed visit is an empty cell, and so is a time that was not measured.
#ifndef EPIK_REPORT_EXPORTS_CSV_H_
#define EPIK_REPORT_EXPORTS_CSV_H_

#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

void WriteCsv(const archive::Profile& profile, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_CSV_H_
