// SPDX-License-Identifier: BSD-3-Clause
// A profile in memory, made by the steps of SummarizeJob.
#ifndef EPIK_ARCHIVE_UNIFY_TEST_PROFILE_H_
#define EPIK_ARCHIVE_UNIFY_TEST_PROFILE_H_

#include <vector>

#include "archive/unify/build_profile.h"

namespace epik::archive {

// `images` are the processes of one run. Times are in seconds. Open frames are closed at the last known time.
inline void BuildProfile(const std::vector<ProcessImage>& images, const EndingHint& hint, Profile* profile,
                         Manifest* manifest) {
  *profile = Profile{};
  *manifest = Manifest{};
  if (images.empty()) return;
  std::vector<ProcessPart> parts;
  parts.reserve(images.size());
  for (const ProcessImage& image : images) parts.push_back(MakePart(image));
  Group alone(nullptr);
  ProfileSink sink(profile);
  SummarizeJob(&alone, parts, hint, [&](const JobSummary& job) {
    *profile = job.profile;
    *manifest = job.manifest;
    for (const Metric& metric : profile->metrics) {
      profile->values.emplace_back(metric.type, profile->call_paths.size(), profile->locations.size());
    }
    return &sink;
  });
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_TEST_PROFILE_H_
