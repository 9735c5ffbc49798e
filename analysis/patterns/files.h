// SPDX-License-Identifier: BSD-3-Clause
// The files that an analysis writes into an archive.
#ifndef EPIK_ANALYSIS_PATTERNS_FILES_H_
#define EPIK_ANALYSIS_PATTERNS_FILES_H_

namespace epik::patterns {

inline constexpr char kProfileName[] = "trace.cubex";
inline constexpr char kAnalysisName[] = "analysis.json";

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_FILES_H_
