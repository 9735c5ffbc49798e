// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/openmp_order.h"

#include "archive/otf2/words.h"

namespace epik::archive {

using event::RecordKind;

OpenMpOrder::Kind OpenMpOrder::KindOf(const Frame& frame) const {
  if (frame.call_path == kNone) return Kind::kOther;
  const Profile& profile = archive_.definitions().profile;
  const Region& region = profile.regions[profile.call_paths[frame.call_path].region];
  if (region.role == kThreadRole) return Kind::kThread;
  if (region.paradigm != "openmp") return Kind::kOther;
  if (region.role == "parallel") return Kind::kParallel;
  if (region.role == "task" || region.role == "untied task") return Kind::kTask;
  return region.role == "artificial" && region.name == "idle" ? Kind::kIdle : Kind::kOther;
}

void OpenMpOrder::Release(uint32_t stream) {
  if (!held_) return;
  const auto [ns, frame] = *held_;
  held_.reset();
  for (const Event& event : before_) to_.Record(stream, ns, event);
  before_.clear();
  to_.Enter(stream, ns, frame);
}

void OpenMpOrder::Enter(uint32_t stream, int64_t ns, const Frame& frame) {
  Release(stream);
  const Kind kind = KindOf(frame);
  open_.push_back({kind, {}});
  if (kind == Kind::kIdle) return;  // a thread is in no team between parallel regions
  if (kind == Kind::kParallel || kind == Kind::kTask || kind == Kind::kThread) {
    held_ = {ns, frame};
  } else {
    to_.Enter(stream, ns, frame);
  }
}

void OpenMpOrder::Leave(uint32_t stream, int64_t ns, const Frame& frame) {
  Release(stream);
  const Open closed = open_.empty() ? Open{KindOf(frame), {}} : std::move(open_.back());
  if (!open_.empty()) open_.pop_back();
  if (closed.kind == Kind::kIdle) return;
  to_.Leave(stream, ns, frame);
  for (const Event& event : closed.behind) to_.Record(stream, ns, event);
}

void OpenMpOrder::Record(uint32_t stream, int64_t ns, const Event& event) {
  const Kind inside = open_.empty() ? Kind::kOther : open_.back().kind;
  const bool begins_team = event.kind == RecordKind::kFork || event.kind == RecordKind::kTeamBegin;
  const bool begins_task = event.kind == RecordKind::kTaskBegin || event.kind == RecordKind::kTaskSwitch;
  const bool begins_thread = event.kind == RecordKind::kThreadBegin;
  if (held_ && ((begins_team && inside == Kind::kParallel) || (begins_task && inside == Kind::kTask) ||
                (begins_thread && inside == Kind::kThread))) {
    before_.push_back(event);
    return;
  }
  // A library before EPIK may create the team's threads: then EPIK logs their creation between fork and team begin.
  if (held_ && event.kind == RecordKind::kThreadCreate && inside == Kind::kParallel) {
    to_.Record(stream, held_->first, event);
    return;
  }
  Release(stream);
  const bool ends_team = event.kind == RecordKind::kTeamEnd || event.kind == RecordKind::kJoin;
  if ((ends_team && inside == Kind::kParallel) || (event.kind == RecordKind::kTaskEnd && inside == Kind::kTask) ||
      (event.kind == RecordKind::kThreadEnd && inside == Kind::kThread)) {
    open_.back().behind.push_back(event);
    return;
  }
  to_.Record(stream, ns, event);
}

}  // namespace epik::archive
