// SPDX-License-Identifier: BSD-3-Clause
// Counters of the kernel and the processor, without a library: groups of descriptors for each thread, one read a group.
//
// The program shares the descriptors: if it closes all descriptors, ours are gone, too. So each read checks that it is
// of our group, and a note tells about lost groups.
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/system_call.h"
#include "runtime/metrics/perf_events.h"
#include "runtime/metrics/perf_page.h"
#include "runtime/metrics/source.h"

namespace epik::metrics {
namespace {

constexpr uint32_t kMost = event::kMostCounters;

// The data that a read of a group returns.
struct GroupValues {
  uint64_t count, enabled, running;
  struct {
    uint64_t value, id;
  } event[kMost];
};

struct Chosen {
  uint32_t type;
  uint64_t config;
  bool with_kernel;
  uint32_t group;  // number of the group; counters of one group are next to each other
};

// State of a thread.
struct Open {
  int fd[kMost];
  uint64_t leader_id[kMost];  // by group
  uint64_t last[kMost];
  const perf_event_mmap_page*
      page[kMost];  // pages of the counters that the processor has and that can be read without the kernel
  bool lost;
};

class Perf final : public Source {
 public:
  std::vector<Counter> Offers() override {
    machine_ = LookAtPerfMachine();
    std::vector<Counter> offers;
    for (uint32_t i = 0; i < kPerfEventCount; ++i) {
      const PerfEvent& event = kPerfEvents[i];
      offers.push_back({std::string("perf::") + event.name, event.unit, event.text, Kind::kSum, event.scale, ""});
      Chosen chosen;
      offers.back().missing = Try(event, &chosen);
    }
    return offers;
  }

  void Choose(std::vector<Counter>* wanted) override {
    const std::vector<Counter> offers = Offers();
    for (Counter& counter : *wanted) {
      PerfEvent event = {"", "raw", PERF_TYPE_RAW, 0, false, 1, "occ"};
      if (!IsRaw(counter.name, &event.config)) {
        counter = FindOffer("perf", offers, counter.name);
        for (uint32_t i = 0; i < kPerfEventCount; ++i) {
          if (offers[i].name == counter.name) event = kPerfEvents[i];
        }
      } else {
        counter.name = "perf::" + counter.name;
      }
      if (!counter.missing.empty()) continue;
      Chosen chosen;
      counter.missing = Try(event, &chosen);
      if (!counter.missing.empty()) continue;
      if (!chosen.with_kernel) counter.text += ", outside the kernel (perf_event_paranoid)";
      chosen_.push_back(chosen);
    }
    MakeGroups();
  }

  size_t StateBytes() const override { return sizeof(Open); }

  const char* OpenThread(void* state) override {
    auto* open = static_cast<Open*>(state);
    for (int& fd : open->fd) fd = -1;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const size_t leader = LeaderOf(i);
      const Chosen& c = chosen_[i];
      open->fd[i] = OpenPerfEvent(c.type, c.config, c.with_kernel, leader == i ? -1 : open->fd[leader]);
      if (open->fd[i] >= 0) continue;
      const int error = -open->fd[i];
      CloseThread(state);
      return error == EMFILE ? "no descriptor was left: raise ulimit -n" : std::strerror(error);
    }
    for (size_t i = 0; i < chosen_.size(); i = EndOfGroup(i)) {
      // Enables the group as a whole: a counter that joins a running group does not count before the thread is
      // scheduled anew.
      ioctl(open->fd[i], PERF_EVENT_IOC_ENABLE, 0);
      GroupValues values;
      if (!ReadGroup(open->fd[i], EndOfGroup(i) - i, &values)) continue;
      open->leader_id[chosen_[i].group] = values.event[0].id;
    }
    MapPages(open);
    return nullptr;
  }

  void Read(void* state, uint64_t* values) override {
    auto* open = static_cast<Open*>(state);
    for (size_t i = 0; i < chosen_.size();) {
      const size_t end = EndOfGroup(i);
      if (ReadPages(open, i, end)) {
        for (; i < end; ++i) *values++ = open->last[i];
        continue;
      }
      GroupValues group;
      const bool ours = !open->lost && open->fd[i] >= 0 && ReadGroup(open->fd[i], end - i, &group) &&
                        group.event[0].id == open->leader_id[chosen_[i].group];
      if (!ours && open->fd[i] >= 0) Lose(open);
      if (ours && group.running < group.enabled) NoteShare(group);
      for (size_t e = i; e < end; ++e) {
        // A scaled value may fall when its group is counted again, but a counter must not.
        const uint64_t now = ours ? ForWholeTime(group.event[e - i].value, group.enabled, group.running) : 0;
        if (now > open->last[e]) open->last[e] = now;
        *values++ = open->last[e];
      }
      i = end;
    }
  }

  void CloseThread(void* state) override {
    auto* open = static_cast<Open*>(state);
    for (size_t i = chosen_.size(); i-- > 0;) {
      if (open->page[i] != nullptr) munmap(const_cast<perf_event_mmap_page*>(open->page[i]), kPage);
      open->page[i] = nullptr;
      if (open->fd[i] >= 0 && !open->lost) close(open->fd[i]);
      open->fd[i] = -1;
    }
  }
  void ForgetThread(void* state) override { CloseThread(state); }

  void Finish(AddTo, std::vector<std::string>* notes) override {
    if (lost_.load(std::memory_order_relaxed)) {
      notes->push_back("perf:: counters of some threads stop where the program closed their descriptors");
    }
    const uint32_t share = smallest_share_.load(std::memory_order_relaxed);
    if (share >= 1000) return;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "perf:: counters took turns: some were counted %u.%u %% of the time alone, and their values are scaled "
        "up from that; ask for fewer at once",
        share / 10, share % 10);
    notes->push_back(text);
  }

 private:
  static constexpr size_t kPage = 4096;

  // Reads go without the kernel only if all counters of a group are in registers.
  void MapPages(Open* open) const {
    for (size_t i = 0; kHasRegisters && i < chosen_.size(); ++i) {
      if (chosen_[i].type == PERF_TYPE_SOFTWARE) continue;
      void* page = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, open->fd[i], 0);
      if (page != MAP_FAILED) open->page[i] = static_cast<const perf_event_mmap_page*>(page);
    }
  }

  static bool ReadPages(Open* open, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      uint64_t now;
      if (open->page[i] == nullptr || !ReadPage(open->page[i], ReadRegister, &now)) return false;
      if (now > open->last[i]) open->last[i] = now;
    }
    return true;
  }

  // Opens the counter with events of the kernel or, if that is not permitted, without them where that makes sense.
  // Returns the reason of a failure, or "".
  std::string Try(const PerfEvent& event, Chosen* chosen) const {
    *chosen = {event.type, event.config, true, 0};
    int fd = OpenPerfEvent(event.type, event.config, true, -1);
    if ((fd == -EACCES || fd == -EPERM) && !event.in_kernel) {
      chosen->with_kernel = false;
      fd = OpenPerfEvent(event.type, event.config, false, -1);
    }
    if (fd < 0) return WhyNoPerf(event, -fd, machine_);
    close(fd);
    return "";
  }

  // perf::r01c2: a raw event code of the processor's manual.
  static bool IsRaw(const std::string& name, uint64_t* config) {
    if (name.size() < 2 || (name[0] != 'r' && name[0] != 'R')) return false;
    char* end;
    *config = std::strtoull(name.c_str() + 1, &end, 16);
    return *end == '\0';
  }

  // All counters that fit into the processor at the same time are one group, which one call reads.
  void MakeGroups() {
    uint32_t group = 0;
    int leader = -1;
    std::vector<int> fds;
    for (Chosen& chosen : chosen_) {
      int fd = OpenPerfEvent(chosen.type, chosen.config, chosen.with_kernel, leader);
      if (fd < 0 && leader >= 0) {  // does not fit: they take turns
        ++group;
        fd = leader = OpenPerfEvent(chosen.type, chosen.config, chosen.with_kernel, -1);
      } else if (leader < 0) {
        leader = fd;
      }
      chosen.group = group;
      if (fd >= 0) fds.push_back(fd);
    }
    for (const int fd : fds) close(fd);
  }

  size_t LeaderOf(size_t i) const {
    while (i > 0 && chosen_[i - 1].group == chosen_[i].group) --i;
    return i;
  }
  size_t EndOfGroup(size_t i) const {
    const uint32_t group = chosen_[i].group;
    while (i < chosen_.size() && chosen_[i].group == group) ++i;
    return i;
  }

  // No cancellation point, unlike read().
  static bool ReadGroup(int fd, size_t events, GroupValues* values) {
    const size_t bytes = (3 + 2 * events) * sizeof(uint64_t);
    return base::SystemCall(SYS_read, fd, values, bytes) == static_cast<long>(bytes) && values->count == events;
  }

  void Lose(Open* open) {
    open->lost = true;
    lost_.store(true, std::memory_order_relaxed);
  }

  void NoteShare(const GroupValues& group) {
    if (group.enabled < 1'000'000) return;  // the group has hardly begun to count
    const auto share = static_cast<uint32_t>(1000 * group.running / group.enabled);
    uint32_t before = smallest_share_.load(std::memory_order_relaxed);
    while (share < before && !smallest_share_.compare_exchange_weak(before, share, std::memory_order_relaxed)) {
    }
  }

  PerfMachine machine_;
  std::vector<Chosen> chosen_;
  std::atomic<bool> lost_{false};
  std::atomic<uint32_t> smallest_share_{1000};  // of the time, in thousandths
};

}  // namespace

Source* MakePerf() { return new Perf; }

}  // namespace epik::metrics
