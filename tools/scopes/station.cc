// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/station.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"

namespace epik::scopes {

namespace {

// Share of a scope's interval. A reader that asks at the same rate must not come a moment too early, and get only every
// second reading.
constexpr double kNearly = 0.9;
// Reads between pulls leave this many times as long to others as they take.
constexpr double kRest = 4;

}  // namespace

double NowSeconds() { return static_cast<double>(base::MonotonicRawNs()) * 1e-9; }

uint32_t Paths::NumberOf(const std::string& name) {
  const auto [path, is_new] = known_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return path->second;
}

Station::Station(const Plan& plan, std::unique_ptr<Own> own, bool at_root)
    : plan_(plan), at_root_(at_root), own_(std::move(own)), taken_(plan.scopes.size()) {
  for (const Description& scope : plan.scopes) scopes_.emplace_back(scope);
}

void Station::Add(std::unique_ptr<Child> child) { below_.emplace_back().child = std::move(child); }

Child* Station::Find(const std::string& name) const {
  const auto found =
      std::find_if(below_.begin(), below_.end(), [&](const Below& below) { return below.child->name() == name; });
  return found == below_.end() ? nullptr : found->child.get();
}

void Station::SetAddress(const std::string& host, const Address& address) {
  for (Below& below : below_) below.child->SetAddress(host, address);
}

void Station::Define(const std::vector<CommunicatorName>& communicators, Batch* batch) {
  for (const CommunicatorName& communicator : communicators) {
    CommunicatorName& known = communicators_[communicator.id];
    const bool has_news = known.size == 0 || (known.name.empty() && !communicator.name.empty());
    if (!has_news) continue;
    if (known.size == 0) known = communicator;
    if (known.name.empty()) known.name = communicator.name;
    batch->communicators.push_back(known);
    for (Scope& scope : scopes_) scope.Define(known.id, known.size);
  }
}

// Translates a batch to our numbers and our clock.
bool Station::Translate(Below* below, Batch* theirs) {
  for (const PathName& path : theirs->paths) {
    if (path.number != below->paths.size()) return false;
    below->paths.push_back(paths_.NumberOf(path.name));
  }
  for (Rows& rows : theirs->scopes) {
    const bool good = ForEachPath(&rows, [&](uint32_t* path) {
      if (*path >= below->paths.size()) return false;
      *path = below->paths[*path];
      return true;
    });
    if (!good) return false;
  }
  return true;
}

// A station that was lost begins its numbers anew when it comes back.
void Station::Lose(Below* below) {
  const std::string why = below->child->why().empty() ? "sends what makes no sense" : below->child->why();
  for (HostState& host : below->hosts) {
    host.processes = host.paused = 0;
    if (host.has_ended) continue;  // its loss was expected
    host.lost = why;
  }
  if (below->hosts.empty()) below->hosts.push_back({below->child->name(), 0, 0, 0, false, false, why});
  below->paths.clear();
  for (auto& heir : below->child->Heirs()) heirs_.push_back(std::move(heir));
  if (!at_root_) return;
  for (Scope& scope : scopes_) scope.GiveUp();
}

bool Station::Take(Below* below, Batch* batch) {
  Batch theirs;
  double behind = 0;
  if (!below->child->Answer(&theirs, &behind) || !Translate(below, &theirs)) return false;
  Define(theirs.communicators, batch);
  if (program_.empty()) program_ = theirs.program;
  ranks_ = std::max(ranks_, theirs.ranks);
  theirs.times.Move(behind);
  batch->times.Merge(theirs.times);
  for (size_t i = 0; i < scopes_.size() && i < theirs.scopes.size(); ++i) {
    MoveTimes(&theirs.scopes[i], behind);
    if (behind != 0) scopes_[i].ClocksDiffer();
    scopes_[i].Add(theirs.scopes[i]);
  }
  below->hosts = std::move(theirs.hosts);
  return true;
}

void Station::TakeScopes(Batch* batch) {
  const double now = NowSeconds();
  for (size_t i = 0; i < scopes_.size(); ++i) {
    const double rate = scopes_[i].description().rate_s;
    batch->scopes.emplace_back();
    if (rate > 0 && now - taken_[i] < kNearly * rate) continue;
    taken_[i] = now;
    batch->scopes.back() = scopes_[i].Take(at_root_);
  }
}

void Station::ReadOwn(Batch* batch) {
  Batch mine;
  own_->Read(&paths_, &scopes_, &mine);
  Define(mine.communicators, batch);
  if (program_.empty()) program_ = mine.program;
  ranks_ = std::max(ranks_, mine.ranks);
  batch->times.Merge(mine.times);
  batch->hosts = std::move(mine.hosts);
}

bool Station::ReadIfFilling() {
  const double before = NowSeconds();
  if (own_ == nullptr || before < may_read_ || !own_->IsFilling()) return false;
  ReadOwn(&next_);
  const double now = NowSeconds();
  may_read_ = now + kRest * (now - before);
  return true;
}

Batch Station::Pull(double seconds) {
  Batch batch = std::exchange(next_, {});
  for (Below& below : below_) {
    below.asked = !plan_.one_by_one && below.child->Ask(seconds);
  }
  if (own_ != nullptr) ReadOwn(&batch);  // while the others work
  for (Below& below : below_) {
    if (plan_.one_by_one) below.asked = below.child->Ask(seconds);
    if (below.asked && !Take(&below, &batch)) Lose(&below);
    if (!below.asked && below.hosts.empty()) Lose(&below);
    batch.hosts.insert(batch.hosts.end(), below.hosts.begin(), below.hosts.end());
  }
  for (auto& heir : std::exchange(heirs_, {})) {
    if (Find(heir->name()) == nullptr) Add(std::move(heir));
  }
  TakeScopes(&batch);
  batch.program = program_;
  batch.ranks = ranks_;
  batch.times.Merge({began_, 0});
  began_ = batch.times.began;
  for (; told_ < paths_.size(); ++told_) {
    batch.paths.push_back({static_cast<uint32_t>(told_), paths_.NameOf(static_cast<uint32_t>(told_))});
  }
  return batch;
}

}  // namespace epik::scopes
