// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/helpers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace epik::drivers {

namespace {

constexpr char kNothing[] = "; nothing was written";

enum Kind : uint32_t { kBegin = kBeat + 1, kWant, kBatch, kLast, kDamage, kAsk, kAnswer, kDismiss };

std::vector<Link*> All(std::vector<Link>* links) {
  std::vector<Link*> all;
  for (Link& link : *links) all.push_back(&link);
  return all;
}

}  // namespace

Helpers::Helpers(std::vector<Link> links, std::chrono::milliseconds patience)
    : patience_(patience), links_(std::move(links)), failed_(links_.size()), heard_(links_.size()) {
  if (links_.empty()) return;
  if (pipe2(stop_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  for (Link& link : links_) link.LimitWaits(patience_);
  pulse_.emplace(All(&links_), BeatOf(patience_));
  listener_ = std::thread([this] { Listen(); });
}

Helpers::~Helpers() {
  if (links_.empty()) return;
  close(stop_[1]);
  for (const Link& link : links_) shutdown(link.descriptor(), SHUT_RD);  // a helper may be stopped within a note
  listener_.join();
  close(stop_[0]);
}

void Helpers::Share(const std::vector<uint64_t>& sizes, uint64_t own) {
  const std::lock_guard<std::mutex> guard(lock_);
  const size_t locations = sizes.size();
  owner_.assign(locations, 0);
  damage_.assign(locations, {});
  answers_.assign(locations, std::nullopt);
  std::vector<uint32_t> by_size(locations);
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(), [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::pair<uint64_t, uint32_t>> load;  // of each process that is there
  for (uint32_t h = 0; h < links_.size(); ++h) {
    if (failed_[h] == nullptr) load.push_back({0, h});
  }
  load.push_back({own, static_cast<uint32_t>(links_.size())});
  for (const uint32_t l : by_size) {
    const auto least = std::min_element(load.begin(), load.end());
    owner_[l] = least->second;
    least->first += sizes[l] + 1;
  }
}

void Helpers::Begin(const std::vector<uint64_t>& words) {
  for (Link& link : links_) link.Send(kBegin, 0, words);
}

void Helpers::Serve(Lanes* lanes) {
  const std::lock_guard<std::mutex> guard(lock_);
  lanes_ = lanes;
  for (size_t h = 0; h < links_.size(); ++h) {
    if (failed_[h] != nullptr) Fail(h, failed_[h]);
  }
}

// Only locations of this helper can lack events now; those that it has sent completely do not. REQUIRES: the lock.
void Helpers::Fail(size_t link, std::exception_ptr why) {
  failed_[link] = std::move(why);
  answered_.notify_all();
  for (uint32_t l = 0; lanes_ != nullptr && l < owner_.size(); ++l) {
    if (owner_[l] == link) lanes_->Fail(l, failed_[link]);
  }
}

// The listener notices a helper that has ended.
void Helpers::Want(uint32_t location) { links_[owner_[location]].Send(kWant, location); }

void Helpers::Ask(uint32_t location, const std::vector<uint64_t>& question) {
  links_[owner_[location]].Send(kAsk, location, question);
}

std::vector<uint64_t> Helpers::Answer(uint32_t location, const archive::TimeLimit& limit) {
  std::unique_lock<std::mutex> guard(lock_);
  const std::exception_ptr& failed = failed_[owner_[location]];
  WaitUntil(&answered_, &guard, limit, [&] { return answers_[location].has_value() || failed != nullptr; });
  if (!answers_[location].has_value()) std::rethrow_exception(failed);
  return *std::exchange(answers_[location], std::nullopt);
}

std::vector<std::string> Helpers::TakeDamage(uint32_t location) {
  const std::lock_guard<std::mutex> guard(lock_);
  return std::exchange(damage_[location], {});
}

void Helpers::Dismiss(int status) {
  for (Link& link : links_) link.Send(kDismiss, static_cast<uint32_t>(status));
}

// Beats that a helper missed are counted, instead of the time, so that a helper is not given up because this process
// was stopped itself.
void Helpers::Listen() {
  const std::chrono::milliseconds beat = BeatOf(patience_);
  std::vector<pollfd> ready(links_.size() + 1);
  ready.back() = {stop_[0], POLLIN, 0};
  auto next = std::chrono::steady_clock::now() + beat;
  while (true) {
    for (size_t h = 0; h < links_.size(); ++h) {
      ready[h] = {heard_[h].gone ? -1 : links_[h].descriptor(), POLLIN, 0};
    }
    if (poll(ready.data(), ready.size(), static_cast<int>(beat.count())) < 0 && errno != EINTR) return;
    if (ready.back().revents != 0) return;
    for (size_t h = 0; h < links_.size(); ++h) {
      if (ready[h].revents != 0) Hear(h);
    }
    if (std::chrono::steady_clock::now() < next) continue;
    next = std::chrono::steady_clock::now() + beat;
    CountSilence();
  }
}

// Takes the next note of a helper.
void Helpers::Hear(size_t link) {
  Note note;
  heard_[link].missed = 0;
  try {
    Link& from = links_[link];
    const bool received = from.Receive(&note);
    if (received && note.kind == kBeat) return;
    const std::lock_guard<std::mutex> guard(lock_);
    if (!received || note.location >= damage_.size()) {
      throw std::runtime_error((from.was_silent() ? from.SaySilence() : from.whom() + " has ended too early") +
                               kNothing);
    }
    Take(&note);
  } catch (...) {  // also when there is no memory left
    heard_[link].gone = true;
    const std::lock_guard<std::mutex> guard(lock_);
    Fail(link, std::current_exception());
  }
}

void Helpers::CountSilence() {
  for (size_t h = 0; h < links_.size(); ++h) {
    if (heard_[h].gone || ++heard_[h].missed <= patience_ / BeatOf(patience_)) continue;
    heard_[h].gone = true;
    const std::lock_guard<std::mutex> guard(lock_);
    Fail(h, std::make_exception_ptr(std::runtime_error(links_[h].SaySilence() + kNothing)));
  }
}

// REQUIRES: the lock.
void Helpers::Take(Note* note) {
  if (note->kind == kDamage) {
    damage_[note->location].push_back(TextOf(note->words));
  } else if (note->kind == kAnswer) {
    answers_[note->location] = std::move(note->words);
    answered_.notify_all();
  } else if (lanes_ != nullptr) {
    lanes_->Put(note->location, Batch(std::move(note->words)), note->kind == kLast);
  }
}

int Help(Link* link, const Helper& helper) {
  const size_t words = WordsOfBatch(helper.locations);
  std::vector<std::unique_ptr<replay::EventSource>> sources(helper.locations);
  std::vector<bool> begun(helper.locations);
  Batch batch;
  for (Note note; link->Receive(&note);) {
    const uint32_t l = note.location;
    if (note.kind == kBeat) continue;
    if (note.kind == kDismiss) return static_cast<int>(l);
    if (note.kind == kBegin) {
      for (auto& source : sources) source.reset();
      begun.assign(helper.locations, false);
      if (helper.begin != nullptr) helper.begin(note.words);
      continue;
    }
    if (l >= helper.locations) return 1;
    if (note.kind == kAsk) {
      if (!link->Send(kAnswer, l, helper.answer(l, note.words))) break;
      continue;
    }
    if (note.kind != kWant) return 1;
    if (!begun[l]) sources[l] = helper.source(l);
    begun[l] = true;
    batch.Clear();
    const bool last = sources[l] == nullptr || !Fill(sources[l].get(), words, &batch);
    if (last) {
      sources[l].reset();
      for (const std::string& what : helper.damage(l)) link->Send(kDamage, l, WordsOf(what));
    }
    if (!link->Send(last ? kLast : kBatch, l, batch.words())) break;
  }
  if (link->was_silent()) throw std::runtime_error(link->SaySilence());
  return 1;
}

}  // namespace epik::drivers
