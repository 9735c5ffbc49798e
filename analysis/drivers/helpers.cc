// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/helpers.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace epik::drivers {

namespace {

enum Kind : uint32_t { kBegin = 1, kWant, kBatch, kLast, kDamage, kDismiss };

// Text in words: its length, then its bytes.
std::vector<uint64_t> WordsOf(const std::string& text) {
  std::vector<uint64_t> words(1 + (text.size() + 7) / 8);
  words[0] = text.size();
  if (!text.empty()) memcpy(&words[1], text.data(), text.size());
  return words;
}
std::string TextOf(const std::vector<uint64_t>& words) {
  if (words.empty() || words[0] > (words.size() - 1) * 8) return "";
  return words[0] == 0 ? "" : std::string(reinterpret_cast<const char*>(&words[1]), words[0]);
}

}  // namespace

Helpers::Helpers(std::vector<Link> links) : links_(std::move(links)) {
  if (links_.empty()) return;
  if (pipe2(stop_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  listener_ = std::thread([this] { Listen(); });
}

Helpers::~Helpers() {
  if (links_.empty()) return;
  close(stop_[1]);
  listener_.join();
  close(stop_[0]);
}

void Helpers::Share(const std::vector<uint64_t>& sizes) {
  const size_t locations = sizes.size();
  owner_.assign(locations, 0);
  damage_.assign(locations, {});
  std::vector<uint32_t> by_size(locations);
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(), [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  std::vector<uint64_t> load(links_.size());
  for (const uint32_t l : by_size) {
    const auto least = std::min_element(load.begin(), load.end());
    owner_[l] = static_cast<uint32_t>(least - load.begin());
    *least += sizes[l] + 1;
  }
}

void Helpers::Begin(const std::vector<uint64_t>& words) {
  for (Link& link : links_) link.Send(kBegin, 0, words);
}

void Helpers::Serve(Lanes* lanes) {
  const std::lock_guard<std::mutex> guard(lock_);
  lanes_ = lanes;
  if (lost_one_) FailLanes();
}

// REQUIRES: the lock.
void Helpers::FailLanes() {
  lost_one_ = true;
  if (lanes_ == nullptr) return;
  lanes_->Fail(std::make_exception_ptr(std::runtime_error("a process that helped has ended too early")));
}

// A helper that is gone is noticed by the listener.
void Helpers::Want(uint32_t location) { links_[owner_[location]].Send(kWant, location); }

std::vector<std::string> Helpers::TakeDamage(uint32_t location) {
  const std::lock_guard<std::mutex> guard(lock_);
  return std::exchange(damage_[location], {});
}

void Helpers::Dismiss(int status) {
  for (Link& link : links_) link.Send(kDismiss, static_cast<uint32_t>(status));
}

void Helpers::Listen() {
  std::vector<pollfd> ready;
  for (const Link& link : links_) ready.push_back({link.descriptor(), POLLIN, 0});
  ready.push_back({stop_[0], POLLIN, 0});
  for (Note note; poll(ready.data(), ready.size(), -1) >= 0 || errno == EINTR;) {
    if (ready.back().revents != 0) return;
    for (size_t h = 0; h < links_.size(); ++h) {
      if (ready[h].revents == 0) continue;
      const bool good = links_[h].Receive(&note) && note.location < damage_.size();
      const std::lock_guard<std::mutex> guard(lock_);
      if (!good) {
        ready[h].fd = -1;
        FailLanes();
      } else if (note.kind == kDamage) {
        damage_[note.location].push_back(TextOf(note.words));
      } else if (lanes_ != nullptr) {
        lanes_->Put(note.location, Batch(std::move(note.words)), note.kind == kLast);
      }
    }
  }
}

int Help(Link* link, const Helper& helper) {
  const size_t words = WordsOfBatch(helper.locations);
  std::vector<std::unique_ptr<replay::EventSource>> sources(helper.locations);
  std::vector<bool> begun(helper.locations);
  Batch batch;
  for (Note note; link->Receive(&note);) {
    const uint32_t l = note.location;
    if (note.kind == kDismiss) return static_cast<int>(l);
    if (note.kind == kBegin) {
      for (auto& source : sources) source.reset();
      begun.assign(helper.locations, false);
      if (helper.begin != nullptr) helper.begin(note.words);
      continue;
    }
    if (note.kind != kWant || l >= helper.locations) return 1;
    if (!begun[l]) sources[l] = helper.source(l);
    begun[l] = true;
    batch.Clear();
    const bool last = sources[l] == nullptr || !Fill(sources[l].get(), words, &batch);
    if (last) {
      sources[l].reset();
      for (const std::string& what : helper.damage(l)) link->Send(kDamage, l, WordsOf(what));
    }
    if (!link->Send(last ? kLast : kBatch, l, batch.words())) return 1;
  }
  return 1;
}

}  // namespace epik::drivers
