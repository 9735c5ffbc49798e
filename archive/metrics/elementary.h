// SPDX-License-Identifier: BSD-3-Clause
// Functions that the end of a measured program computes by itself. The library of libc for them takes half a megabyte
// of memory in each process, as much as all that EPIK holds for a small program.
#ifndef EPIK_ARCHIVE_METRICS_ELEMENTARY_H_
#define EPIK_ARCHIVE_METRICS_ELEMENTARY_H_

namespace epik::archive {

// Both are exact to 13 digits. REQUIRES: a normal number above 0.
double Log2(double value);
// REQUIRES: 0 or more. e^-value.
double Decay(double value);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_ELEMENTARY_H_
