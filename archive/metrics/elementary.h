// SPDX-License-Identifier: BSD-3-Clause
// Mathematical functions for the end of a measured program. The library of libc for them takes half a megabyte of
// memory in each process, as much as all data that EPIK holds for a small program.
#ifndef EPIK_ARCHIVE_METRICS_ELEMENTARY_H_
#define EPIK_ARCHIVE_METRICS_ELEMENTARY_H_

namespace epik::archive {

// Both are exact to 13 digits. REQUIRES: a normal number above 0.
double Log2(double value);
// Returns e^-value. REQUIRES: value is 0 or more.
double Decay(double value);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_ELEMENTARY_H_
