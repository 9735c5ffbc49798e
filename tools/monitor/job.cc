// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/job.h"

#include <algorithm>
#include <utility>

#include "archive/directory/archive.h"
#include "config/report.h"
#include "tools/monitor/find.h"
#include "tools/scopes/remote.h"
#include "tools/scopes/rendezvous.h"

namespace epik::monitor {

using scopes::Batch;
using scopes::HostState;
using scopes::Place;
using scopes::Source;

namespace {

constexpr double kPullSeconds = 2;  // a host that does not answer by then is lost

constexpr char kStandard[] =
    "scope balance\n from work\n"
    "scope calls\n from calls\n reduce statistics\n"
    "scope links\n from links\n";

std::string Plural(uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// The scope that --progress asks for.
constexpr char kProgress[] = "progress";

}  // namespace

scopes::Plan StandardPlan(const std::string& region) {
  scopes::Plan plan;
  std::string ignored;
  scopes::ParseDescription(kStandard, "", &plan, &ignored);
  if (region.empty()) return plan;
  scopes::Description progress;
  progress.name = kProgress;
  progress.source = Source::kVisits;
  progress.reduce = scopes::Reduce::kSum;
  progress.where.push_back({scopes::Field::kRegion, scopes::Relation::kIs, region, 0});
  plan.scopes.push_back(progress);
  return plan;
}

std::unique_ptr<Job> Job::Open(const std::string& word, const JobOptions& options, std::string* error) {
  Found found;
  if (!Find(word, !options.hosts.empty(), &found, error)) return nullptr;
  std::unique_ptr<Job> job(new Job(options));
  const scopes::Arenas::How how = {false, options.plan.helpers};
  auto arenas = found.targets.empty() ? scopes::Arenas::OpenFolder(found.unfinished, how)
                                      : scopes::Arenas::Open(found.targets, how, error);
  if (arenas == nullptr) return nullptr;
  job->arenas_ = arenas.get();
  job->station_ = std::make_unique<scopes::Station>(options.plan, std::move(arenas), true);
  for (const scopes::Description& scope : options.plan.scopes) job->totals_.emplace_back(scope);
  if (!job->AddHosts(error)) return nullptr;
  return job;
}

// Adds scopes that have come after us.
bool Job::AddHosts(std::string* error) {
  const std::string folder = Folder();
  if (folder.empty()) return options_.hosts.empty();
  std::vector<Place> places;
  const std::string here = arenas_->processes() == 0 ? "" : scopes::HostName();
  if (!FindHosts(folder, options_.hosts, here, &places, error)) return false;
  std::erase_if(places, [&](const Place& place) {
    station_->SetAddress(place.name, place.address);
    return station_->Find(place.name) != nullptr ||
           std::any_of(hosts_.begin(), hosts_.end(), [&](const HostState& host) { return host.name == place.name; });
  });
  if (places.empty()) return true;
  const bool is_own_scope =
      std::any_of(places.begin(), places.end(), [](const Place& place) { return place.name == scopes::HostName(); });
  if (is_own_scope) arenas_->LeaveToScope();
  const std::string secret = scopes::SecretOf(folder, false, error);
  if (secret.empty()) return false;
  for (auto& child : scopes::MakeChildren(options_.plan, secret, places)) station_->Add(std::move(child));
  return true;
}

// A lost host counts as ended, because its state is not known.
bool Job::HasEnded() const {
  const std::string folder = Folder();
  if (!folder.empty() && !folder.ends_with(archive::kUnfinishedSuffix)) return true;
  if (arenas_->processes() != 0 && !arenas_->HasEnded()) return false;
  bool any = arenas_->processes() != 0;
  for (size_t i = 1; i < hosts_.size(); ++i) {  // the first is this one
    if (!hosts_[i].has_ended && hosts_[i].lost.empty()) return false;
    any = any || hosts_[i].has_ended;
  }
  return any;
}

const Totals& Job::Of(Source source) const {
  const auto found = std::find_if(totals_.begin(), totals_.end(),
                                  [&](const Totals& totals) { return totals.description().source == source; });
  return found == totals_.end() ? nothing_ : *found;
}

void Job::Learn(const Batch& batch) {
  for (const scopes::CommunicatorName& communicator : batch.communicators) {
    const std::string plain =
        "comm" + std::to_string(communicators_.size()) + " of " + std::to_string(communicator.size);
    std::string& name = communicators_[communicator.id];
    if (!communicator.name.empty()) name = communicator.name;
    if (name.empty()) name = plain;
  }
  program_ = batch.program;
  ranks_ = batch.ranks;
  hosts_ = batch.hosts;
}

// When no process could be read, as on a lost host, time stands still.
void Job::SetTime(const scopes::Times& times, Moment* moment) {
  moment->time = std::max(time_, times.read - times.began);
  moment->interval = moment->time - time_;
  time_ = moment->time;
}

void Job::SetWork(Moment* moment) const {
  const scopes::Work& work = Of(Source::kWork).now().work;
  moment->has_balance = work.processes > 1 && work.most > 0;
  if (moment->has_balance) moment->balance = work.useful / static_cast<double>(work.processes) / work.most;
  const Totals& calls = Of(Source::kCalls);
  moment->standing = work.standing;
  for (const scopes::StandingRow& row : Of(Source::kWork).now().standing) {
    if (row.stands != 0) moment->standing_longest = std::max(moment->standing_longest, row.seconds);
  }
  moment->gathered = calls.gathered();
  moment->incomplete = calls.incomplete();
  moment->has_late = !calls.arrivals().empty();
  for (const LastArrival& arrival : calls.arrivals()) {
    moment->late = std::max(moment->late, arrival.late / static_cast<double>(arrival.count));
  }
}

// Only statistics have what processes waited, and only those of each refresh have it in the interval.
void Job::SetWaited(Moment* moment) {
  const auto calls = std::find_if(totals_.begin(), totals_.end(), [](const Totals& totals) {
    const scopes::Description& scope = totals.description();
    return scope.source == Source::kCalls && scope.reduce == scopes::Reduce::kStatistics && scope.rate_s == 0;
  });
  const scopes::Work& work = Of(Source::kWork).now().work;
  if (calls != totals_.end()) {
    // While nobody leaves a call, nobody has noted it. When all have come, nobody waits any more.
    if (work.processes > 0) lasting_ = work.arrived < work.processes ? work.arrived_for : 0;
    const auto processes = static_cast<double>(moment->processes);
    const double all = moment->interval * processes;
    // They wait for one at least.
    const double waited = waiting_.Add(moment->time, calls->now().waited, lasting_, all - moment->interval);
    moment->has_waited = moment->has_notes && all > 0;
    if (moment->has_waited) moment->waited = waited / all;
  }
  // Without notes, a process that stands still has waited since the reading before.
  const bool some_come_late = work.in_collectives > 0 && work.in_collectives < work.processes;
  if (moment->has_waited || !some_come_late) return;
  moment->waited = static_cast<double>(work.in_collectives) / static_cast<double>(work.processes);
  moment->has_waited = true;
}

void Job::SetProgress(Moment* moment) {
  const scopes::Work& visits = Of(Source::kVisits).now().work;
  const bool runs = moment->processes > 0;
  moment->visits = visits.visits;
  moment->total = options_.total_visits;
  moment->has_rate = runs && visits.visits > 0 && visits.interval > 0;
  if (moment->has_rate) moment->rate = visits.entered / visits.interval;
  progress_.Add(moment->time, moment->visits);
  moment->has_remaining = progress_.IsDone() || (runs && progress_.HasRemaining());
  if (moment->has_remaining) moment->remaining = progress_.Remaining();
}

bool Job::NotesCalls() const {
  const config::Settings settings = config::ReadConf(arenas_->configuration());
  return settings.monitor_buffer > 0 || settings.waits || settings.monitor_statistics;
}

bool Job::LacksTree() const {
  const std::string& configuration = arenas_->configuration();
  return !configuration.empty() && config::ReadConf(configuration).coll_tree.kind == config::CollTree::Kind::kOff;
}

Moment Job::Take() {
  std::string ignored;  // error of a scope that is just leaving
  AddHosts(&ignored);
  Batch batch = station_->Pull(kPullSeconds);
  Learn(batch);
  for (size_t i = 0; i < totals_.size(); ++i) totals_[i].Add(std::move(batch.scopes[i]));
  Moment moment;
  SetTime(batch.times, &moment);
  for (const HostState& host : hosts_) {
    moment.processes += host.processes;
    moment.paused += host.paused;
    moment.discarded += host.discarded;
    moment.has_notes = moment.has_notes || host.has_notes;
    const bool is_shown = host.processes != 0 || !host.lost.empty() || host.has_ended;
    if (is_shown) moment.hosts.push_back(host);
  }
  SetWork(&moment);
  SetWaited(&moment);
  SetProgress(&moment);
  most_processes_ = std::max(most_processes_, moment.processes);
  moment.missing = Missing(moment);
  return moment;
}

double Job::KeepUp() {
  look_ = station_->ReadIfFilling() ? std::max(kQuickLook, look_ / 2) : std::min(kSlowLook, look_ * 1.2);
  return look_;
}

std::string Job::Paused(const Moment& moment) const {
  const bool all = moment.paused >= moment.processes;
  std::string text = all ? "the measurement is paused"
                         : "the measurement of " + std::to_string(moment.paused) + " of " +
                               std::to_string(moment.processes) + " processes is paused";
  text += ", so no figure has what happens there";
  return Folder().empty() ? text : text + "; it goes on with: epk control " + Folder() + " resume";
}

std::string Job::Missing(const Moment& moment) const {
  std::string lost;
  for (const HostState& host : hosts_) {
    if (!host.lost.empty()) lost += (lost.empty() ? "" : ", ") + host.name + " (" + host.lost + ")";
  }
  if (!lost.empty()) return "lost: " + lost + "; calls with processes there are in no figure";
  if (moment.paused > 0) return Paused(moment);
  if (!moment.has_notes && NotesCalls()) return "no collective call was noted yet";
  if (!moment.has_notes) {
    return "no collective calls are noted: start the program with EPK_MONITOR_BUFFER=1M to see who comes last";
  }
  const scopes::Description& progress = Of(Source::kVisits).description();
  if (progress.name == kProgress && !progress.where.empty() && moment.visits == 0) {
    return "no region '" + progress.where.front().text + "' was entered yet";
  }
  if (most_processes_ >= ranks_ || Folder().empty()) return "";
  return Plural(ranks_ - most_processes_, "process runs", "processes run") +
         " on other hosts, and calls with them are in no figure; start there: epk monitor --serve " + Folder();
}

std::string Job::CommunicatorName(uint64_t id) const {
  const auto known = communicators_.find(id);
  return known == communicators_.end() ? "" : known->second;
}

}  // namespace epik::monitor
