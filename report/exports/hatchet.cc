// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/hatchet.h"

#include <string>
#include <vector>

#include "report/exports/stacks.h"
#include "report/figures.h"
#include "report/json_string.h"
#include "view/exact.h"

namespace epik::report {
namespace {

using archive::kNone;
using archive::Profile;
using archive::Type;

class HatchetWriter {
 public:
  HatchetWriter(const Profile& profile, const Sink& sink) : profile_(profile), links_(profile.MakeLinks()), out_(sink) {
    for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
      const Type type = profile.metrics[m].type;
      if (type != Type::kUint64 && type != Type::kDouble) continue;
      metrics_.push_back(m);
      splits_.emplace_back(profile, m);
    }
  }

  void Write() {
    out_ << "[";
    Walk(
        profile_, links_, [this](uint32_t p) { Enter(p); }, [this](uint32_t) { Leave(); });
    out_ << "\n]\n";
  }

 private:
  void Enter(uint32_t p) {
    if (++depth_ > kDeepestStack) return;
    const archive::Region& region = profile_.regions[profile_.call_paths[p].region];
    out_ << (first_ ? "\n" : ",\n")
         << "{\"frame\": {\"name\": " << JsonString(region.name.empty() ? "(unnamed)" : region.name)
         << ", \"type\": " << JsonString(region.role);
    if (!region.file.empty()) out_ << ", \"file\": " << JsonString(region.file);
    if (region.begin_line > 0) out_ << ", \"line\": " << std::to_string(region.begin_line);
    out_ << "}, \"metrics\": {";
    for (size_t i = 0; i < metrics_.size(); ++i) {
      const std::string& name = profile_.metrics[metrics_[i]].unique_name;
      const double whole = splits_[i].InclusiveSum(p);
      const double own = depth_ == kDeepestStack ? whole : splits_[i].ExclusiveSum(p);
      out_ << (i == 0 ? "" : ", ") << JsonString(name) << ": " << view::JsonNumber(own) << ", "
           << JsonString(name + " (inc)") << ": " << view::JsonNumber(whole);
    }
    out_ << "}, \"children\": [";
    first_ = true;
  }

  void Leave() {
    if (depth_-- > kDeepestStack) return;
    out_ << "]}";
    first_ = false;
  }

  const Profile& profile_;
  const Profile::Links links_;
  Buffer out_;
  std::vector<uint32_t> metrics_;
  std::vector<Split> splits_;
  size_t depth_ = 0;
  bool first_ = true;  // the first of its siblings
};

}  // namespace

void WriteHatchet(const Profile& profile, const Sink& sink) { HatchetWriter(profile, sink).Write(); }

}  // namespace epik::report
