// SPDX-License-Identifier: BSD-3-Clause
// Figures that all reports derive from a profile: inclusive and exclusive values, classes of regions, sums.
#ifndef EPIK_REPORT_FIGURES_H_
#define EPIK_REPORT_FIGURES_H_

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"
#include "report/row_source.h"

namespace epik::report {

// Classes of regions as in other tools: COM is a user's region that calls MPI or OpenMP, directly or through others.
enum class Class : uint8_t { kMpi, kOmp, kThread, kCom, kUsr, kEpik };
inline constexpr size_t kClasses = 6;
std::string_view ClassName(Class c);                            // MPI OMP THR COM USR EPIK
std::vector<Class> ClassifyRegions(const archive::Profile& p);  // by region

// The use of a region's time, as in the tree of metrics: code in OpenMP's constructs is computation.
enum class Use : uint8_t { kComputation, kMpi, kOmp, kIdle, kOther };
inline constexpr size_t kUses = 5;
std::vector<Use> UsesOfRegions(const archive::Profile& p);  // by region

int RankOf(const archive::Profile& profile, uint32_t location);
std::string LocationName(const archive::Profile& profile, uint32_t location);  // "rank:thread"

// Calls enter(path) and leave(path) in the order of the program, without recursion, because trees may be a million
// levels deep.
template <class Enter, class Leave>
void Walk(const archive::Profile& profile, const archive::Profile::Links& links, Enter&& enter, Leave&& leave) {
  for (uint32_t root : links.roots) {
    uint32_t p = root;
    for (enter(p);;) {
      if (links.first_child[p] != archive::kNone) {
        enter(p = links.first_child[p]);
        continue;
      }
      for (leave(p); p != root && links.next_sibling[p] == archive::kNone; leave(p)) p = profile.call_paths[p].parent;
      if (p == root) break;
      enter(p = links.next_sibling[p]);
    }
  }
}

// One additive metric, with and without callees, by call path and location. When a location has values only below a
// call path (for example a worker thread), it has passed through that call path: its inclusive value there is the sum
// of the values below, and its exclusive value is zero.
class Split {
 public:
  Split(const archive::Profile& profile, uint32_t metric);  // kNone, minima and maxima give no values
  // For a metric that is not in memory. Keeps inclusive rows with at least the share `least` of the total; for the
  // others it keeps only sums. Returns false and sets *error when a row cannot be read.
  Split() = default;
  bool Read(const archive::Profile& definitions, uint32_t metric, const ExclusiveRowSource& rows, double least,
            const std::function<void(uint32_t path, const std::vector<double>& own)>& each, std::string* error);

  double Inclusive(uint32_t path, uint32_t location) const { return At(inclusive_[path], location); }
  double Exclusive(uint32_t path, uint32_t location) const { return At(exclusive_[path], location); }
  double InclusiveSum(uint32_t path) const { return inclusive_sum_[path]; }
  double ExclusiveSum(uint32_t path) const { return exclusive_sum_[path]; }
  double Total() const { return total_; }  // over all roots and locations
  // Returns true if the profile has the changes between two runs. Its file says that; an older one shows it by values
  // below 0.
  bool IsDifference() const;
  // The value that shares are of: the total, or of a difference all values of call paths without their signs.
  double Whole() const;
  // Values that are infinite or no number, and count as 0.
  uint64_t not_finite() const { return not_finite_; }

  // Empty, or a value for each location.
  const std::vector<double>& InclusiveRow(uint32_t path) const { return inclusive_[path]; }
  const std::vector<double>& ExclusiveRow(uint32_t path) const { return exclusive_[path]; }

 private:
  static double At(const std::vector<double>& row, uint32_t location) { return row.empty() ? 0 : row[location]; }

  std::vector<std::vector<double>> inclusive_, exclusive_;
  std::vector<double> inclusive_sum_, exclusive_sum_;
  double total_ = 0;
  uint64_t not_finite_ = 0;
  bool is_marked_ = false;  // as a difference
};

// The first of these metrics that exists and is additive; kNone if all are missing.
uint32_t FindAnyMetric(const archive::Profile& profile, std::initializer_list<std::string_view> unique_names);

// All data that text reports need.
struct Figures {
  explicit Figures(const archive::Profile& profile);
  // For a profile whose values stay in the file: then memory does not depend on the number of locations times call
  // paths. Views of single call paths (MPI, OpenMP, efficiencies, counters) need the other constructor.
  Figures(const archive::Profile& definitions, const ExclusiveRowSource& rows, double least);

  // Calls `each` for all rows of the metric; never for kNone.
  void ForRows(uint32_t metric, const std::function<void(uint32_t path, const uint64_t* cells)>& each) const;
  // Sums over locations of a UINT64 metric, by call path. All are 0 when there is no such metric.
  std::vector<uint64_t> Sums(std::string_view unique_name) const;

  const archive::Profile& profile;
  const ExclusiveRowSource* rows = nullptr;  // null: values are in the profile
  mutable std::string error;                 // about a row that could not be read
  archive::Profile::Links links;
  Split time;
  std::vector<uint64_t> visits;
  std::vector<Class> classes;                                // by region
  std::vector<std::array<double, kClasses>> location_times;  // exclusive time of each class, by location
  std::vector<Use> uses;                                     // by region
  std::vector<std::array<double, kUses>> location_uses;      // exclusive time of each use, by location
  // Exclusive time of each region, over all its call paths, by location. Empty for regions without time; all are empty
  // when there are too many regions times locations.
  std::vector<std::vector<double>> region_times;
  std::array<double, kClasses> class_times = {};
  std::array<uint64_t, kClasses> class_visits = {};

  double UserTime(uint32_t location) const { return location_uses[location][static_cast<size_t>(Use::kComputation)]; }

 private:
  void Add(uint32_t path, const std::vector<double>& own);
};

// "program > " when each call path begins with an artificial root of that name; otherwise empty.
std::string RootPrefix(const Figures& figures);

// The artificial root, if all of the program's own code counts there: it has neither hooks nor regions of the user's.
// Threads and OpenMP's constructs have times of their own. Otherwise kNone.
uint32_t RootOfAllCode(const Figures& figures);

// The unevenness of a row of values, over the locations that have values.
struct Spread {
  size_t present = 0;
  double sum = 0, max = 0;
  uint32_t max_location = 0;
  double MaxOverMean() const { return sum > 0 ? max * static_cast<double>(present) / sum : 0; }
};
Spread SpreadOf(const std::vector<double>& row);

}  // namespace epik::report

#endif  // EPIK_REPORT_FIGURES_H_
