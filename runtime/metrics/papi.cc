// SPDX-License-Identifier: BSD-3-Clause
// PAPI, for counters that only PAPI knows: presets (PAPI_TOT_INS), native counters, and counters of its software
// components. EPIK loads PAPI only for such a counter, and uses only functions that have been the same since PAPI 5. So
// neither building nor running EPIK needs PAPI. Each thread has an event set for each component.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "runtime/base/forked.h"
#include "runtime/base/system_call.h"
#include "runtime/metrics/perf_events.h"
#include "runtime/metrics/source.h"

namespace epik::metrics {
namespace {

constexpr int kOk = 0, kNull = -1, kNoEvent = -7, kConflict = -8, kCountsAlready = -10, kDisabled = -25;
constexpr uint32_t kMostComponents = 8;

struct Functions {
  int (*PAPI_library_init)(int version);
  void (*PAPI_shutdown)();
  int (*PAPI_thread_init)(unsigned long (*id)());
  int (*PAPI_event_name_to_code)(const char* name, int* code);
  int (*PAPI_get_event_component)(int code);
  const void* (*PAPI_get_component_info)(int component);
  int (*PAPI_create_eventset)(int* set);
  int (*PAPI_assign_eventset_component)(int set, int component);
  int (*PAPI_add_event)(int set, int code);
  int (*PAPI_start)(int set);
  int (*PAPI_read)(int set, long long* values);
  int (*PAPI_stop)(int set, long long* values);
  int (*PAPI_cleanup_eventset)(int set);
  int (*PAPI_destroy_eventset)(int* set);
  char* (*PAPI_strerror)(int error);
  int (*PAPI_multiplex_init)();
  int (*PAPI_set_multiplex)(int set);
};
Functions papi;

// Loads PAPI. Returns null, or the reason why it cannot be used.
const char* Load() {
  static bool loaded = false;
  if (loaded) return nullptr;
  if (base::LocksMayBeLost()) return "a forked child of a program with threads loads no library";
  void* library = nullptr;
  for (const char* name : {"libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7",
                           "libpapi.so.6.0", "libpapi.so.6", "libpapi.so.5.7", "libpapi.so.5"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return "PAPI is not installed, or not where the loader looks (LD_LIBRARY_PATH)";
  bool all = true;
  const auto find = [&](auto* function, const char* name) {
    *reinterpret_cast<void**>(function) = dlsym(library, name);
    all = all && *function != nullptr;
  };
#define EPIK_FIND(name) find(&papi.name, #name)
  EPIK_FIND(PAPI_library_init);
  EPIK_FIND(PAPI_shutdown);
  EPIK_FIND(PAPI_thread_init);
  EPIK_FIND(PAPI_event_name_to_code);
  EPIK_FIND(PAPI_get_event_component);
  EPIK_FIND(PAPI_get_component_info);
  EPIK_FIND(PAPI_create_eventset);
  EPIK_FIND(PAPI_assign_eventset_component);
  EPIK_FIND(PAPI_add_event);
  EPIK_FIND(PAPI_start);
  EPIK_FIND(PAPI_read);
  EPIK_FIND(PAPI_stop);
  EPIK_FIND(PAPI_cleanup_eventset);
  EPIK_FIND(PAPI_destroy_eventset);
  EPIK_FIND(PAPI_strerror);
  EPIK_FIND(PAPI_multiplex_init);
  EPIK_FIND(PAPI_set_multiplex);
#undef EPIK_FIND
  if (!all) return "libpapi.so is no PAPI 5 or later";
  loaded = true;
  return nullptr;
}

unsigned long ThreadId() { return static_cast<unsigned long>(base::SystemCall(SYS_gettid)); }

// The library starts only for a caller of its own major and minor version. A forked child starts it anew.
const char* Start() {
  static pid_t started = 0;
  if (const char* error = Load()) return error;
  if (started == getpid()) return nullptr;
  if (started != 0) papi.PAPI_shutdown();
  constexpr int kVersions[] = {0x0702, 0x0701, 0x0700, 0x0600, 0x0507, 0x0506, 0x0505, 0x0504};
  for (const int version : kVersions) {
    if (papi.PAPI_library_init(version << 16) <= 0) continue;
    if (papi.PAPI_thread_init(ThreadId) != kOk) return "PAPI was built without threads";
    started = getpid();
    return nullptr;
  }
  return "PAPI does not start: its version is not one of 5.4 to 7.2";
}

struct Chosen {
  int code;
  uint32_t component;  // place among those in use
};

// State of a thread.
struct Open {
  int set[kMostComponents];
  uint64_t last[event::kMostCounters];
};

class Papi final : public Source {
 public:
  std::vector<Counter> Offers() override {
    std::vector<Counter> offers;
    for (const char* preset : {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_REF_CYC", "PAPI_FP_OPS", "PAPI_DP_OPS",
                               "PAPI_L1_DCM", "PAPI_L2_TCM", "PAPI_L2_TCA", "PAPI_L3_TCM", "PAPI_L3_TCA", "PAPI_LD_INS",
                               "PAPI_SR_INS", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_RES_STL", "PAPI_TLB_DM"}) {
      int code = 0;
      offers.push_back({preset, "occ", "", Kind::kSum, 1, ""});
      offers.back().missing = Find(preset, &code);
      if (!offers.back().missing.empty()) continue;
      int set = NewSet(papi.PAPI_get_event_component(code));
      if (const int error = papi.PAPI_add_event(set, code); error != kOk) offers.back().missing = Words(error);
      Destroy(&set);
    }
    return offers;
  }

  void AllowTurns() override { may_take_turns_ = true; }

  void Choose(std::vector<Counter>* wanted) override {
    for (Counter& counter : *wanted) {
      int code = 0;
      counter.unit = "occ";
      counter.missing = Find(counter.name, &code);
      if (!counter.missing.empty()) continue;
      counter.missing = Add(counter.name, code, *wanted);
      const Component* component = ComponentOf(code);
      if (component != nullptr) counter.text = std::string("by PAPI, component ") + component->name;
    }
    for (Component& component : components_) Destroy(&component.trial);
  }

  size_t StateBytes() const override { return sizeof(Open); }

  const char* OpenThread(void* state) override {
    auto* open = static_cast<Open*>(state);
    for (int& set : open->set) set = kNull;
    for (uint32_t c = 0; c < components_.size(); ++c) {
      int error = kOk;
      open->set[c] = NewSet(components_[c].number);
      if (components_[c].AreInTurns()) error = papi.PAPI_set_multiplex(open->set[c]);
      for (const Chosen& chosen : chosen_) {
        if (chosen.component == c && error == kOk) error = papi.PAPI_add_event(open->set[c], chosen.code);
      }
      if (error == kOk) error = papi.PAPI_start(open->set[c]);
      if (error == kOk) continue;
      CloseThread(state);
      return papi.PAPI_strerror(error);
    }
    return nullptr;
  }

  void Read(void* state, uint64_t* values) override {
    auto* open = static_cast<Open*>(state);
    uint64_t* last = open->last;
    long long read[kMostComponents][event::kMostCounters];
    uint32_t next[kMostComponents] = {};
    bool good[kMostComponents];
    for (uint32_t c = 0; c < components_.size(); ++c) good[c] = papi.PAPI_read(open->set[c], read[c]) == kOk;
    for (const Chosen& chosen : chosen_) {
      const uint32_t c = chosen.component;
      const uint32_t place = next[c]++;
      // The estimate of a counter that takes turns may fall, but a counter must not.
      const uint64_t now = good[c] ? static_cast<uint64_t>(read[c][place]) : *last;
      if (!components_[c].AreInTurns() || now > *last) *last = now;
      *values++ = *last++;
    }
  }

  void CloseThread(void* state) override {
    auto* open = static_cast<Open*>(state);
    for (uint32_t c = 0; c < components_.size(); ++c) {
      if (open->set[c] == kNull) continue;
      long long ignored[event::kMostCounters];
      papi.PAPI_stop(open->set[c], ignored);
      Destroy(&open->set[c]);
    }
  }

  void Finish(AddTo, std::vector<std::string>* notes) override {
    for (const Component& component : components_) {
      if (!component.AreInTurns()) continue;
      const size_t all = component.fitting.size(), at_once = component.at_once;
      notes->push_back("counters of PAPI (" + std::string(component.name) + ") took turns, " + std::to_string(at_once) +
                       " of " + std::to_string(all) + " at a time: each was counted about " +
                       std::to_string(100 * at_once / all) + " % of the time, and its values are scaled up from that");
    }
  }

 private:
  struct Component {
    int number;
    const char* name;
    int trial;                         // an event set
    std::vector<std::string> fitting;  // names of the counters in it
    size_t at_once = 0;                // this many fit; 0: all

    bool AreInTurns() const { return at_once != 0; }
  };

  static std::string Words(int error) { return std::string("PAPI: ") + papi.PAPI_strerror(error); }

  static void Destroy(int* set) {
    if (*set == kNull) return;
    papi.PAPI_cleanup_eventset(*set);
    papi.PAPI_destroy_eventset(set);
    *set = kNull;
  }

  static int NewSet(int component) {
    int set = kNull;
    if (papi.PAPI_create_eventset(&set) == kOk) papi.PAPI_assign_eventset_component(set, component);
    return set;
  }

  // Since PAPI 5, the structure begins with name[128], short_name[64], description[128], three versions[64], and the
  // reason why the component is disabled.
  static std::string Reason(int component) {
    constexpr size_t kReasonAt = 512, kMostReason = 120;
    const auto* info = component >= 0 ? static_cast<const char*>(papi.PAPI_get_component_info(component)) : nullptr;
    if (info == nullptr) return "";
    const char* reason = info + kReasonAt;
    return std::string(info) + ": " + std::string(reason, strnlen(reason, kMostReason));
  }

  // The reason why the counter cannot be read, or "".
  static std::string Find(const std::string& name, int* code) {
    if (const char* error = Start()) return error;
    const int error = papi.PAPI_event_name_to_code(name.c_str(), code);
    if (error == kOk) return "";
    if (error != kNoEvent && error != kDisabled) return Words(error);
    std::string why = "PAPI knows no such event here";
    const PerfMachine machine = LookAtPerfMachine();
    const bool needs_pmu = name.compare(0, 5, "PAPI_") == 0 || name.find(":::") == std::string::npos;
    if (needs_pmu && !machine.has_pmu) why += machine.is_virtual ? "; no PMU in this virtual machine" : "; no PMU here";
    return why;
  }

  Component* ComponentOf(int code) {
    const int number = papi.PAPI_get_event_component(code);
    for (Component& component : components_) {
      if (component.number == number) return &component;
    }
    return nullptr;
  }

  std::string Add(const std::string& name, int code, const std::vector<Counter>& wanted) {
    Component* component = ComponentOf(code);
    if (component == nullptr) {
      if (components_.size() == kMostComponents) return "PAPI: more than 8 components at once";
      const int number = papi.PAPI_get_event_component(code);
      const auto* info = static_cast<const char*>(papi.PAPI_get_component_info(number));
      components_.push_back({number, info != nullptr ? info : "?", NewSet(number), {}, 0});
      component = &components_.back();
    }
    int error = papi.PAPI_add_event(component->trial, code);
    if ((error == kConflict || error == kCountsAlready) && TakeTurns(component)) {
      error = papi.PAPI_add_event(component->trial, code);
    }
    if (error == kOk) {
      component->fitting.push_back(name);
      chosen_.push_back({code, static_cast<uint32_t>(component - components_.data())});
      return "";
    }
    std::string why;
    if (error == kConflict || error == kCountsAlready) {
      why = "it does not fit beside " + Join(component->fitting) + "; together fit: " + Sets(*component, wanted) +
            (may_take_turns_ ? "" : "; or in turns: EPK_METRICS_MULTIPLEX=yes");
    } else {
      why = Words(error) + " (" + Reason(component->number) + ")";
    }
    if (component->fitting.empty()) {
      Destroy(&component->trial);
      components_.pop_back();
    }
    return why;
  }

  // The same in an event set whose counters need not all fit at once.
  bool TakeTurns(Component* component) {
    if (!may_take_turns_ || component->AreInTurns() || component->fitting.empty()) return false;
    int set = NewSet(component->number);
    bool good = papi.PAPI_multiplex_init() == kOk && papi.PAPI_set_multiplex(set) == kOk;
    for (const std::string& name : component->fitting) {
      int code = 0;
      good = good && papi.PAPI_event_name_to_code(name.c_str(), &code) == kOk && papi.PAPI_add_event(set, code) == kOk;
    }
    if (good) {
      std::swap(component->trial, set);
      component->at_once = component->fitting.size();
    }
    Destroy(&set);
    return good;
  }

  static std::string Join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  // Distributes the wanted counters of a component to runs. Takes one counter after the other, and puts it into the
  // first run that has room.
  static std::string Sets(const Component& component, const std::vector<Counter>& wanted) {
    struct Group {
      int set;
      std::vector<std::string> names;
    };
    std::vector<Group> groups;
    for (const Counter& counter : wanted) {
      int code = 0;
      if (papi.PAPI_event_name_to_code(counter.name.c_str(), &code) != kOk) continue;
      if (papi.PAPI_get_event_component(code) != component.number) continue;
      bool placed = false;
      for (Group& group : groups) {
        if (placed || papi.PAPI_add_event(group.set, code) != kOk) continue;
        group.names.push_back(counter.name);
        placed = true;
      }
      if (placed) continue;
      groups.push_back({NewSet(component.number), {counter.name}});
      if (papi.PAPI_add_event(groups.back().set, code) != kOk) groups.back().names[0] += " (nowhere)";
    }
    std::string text;
    for (Group& group : groups) {
      text += (text.empty() ? "" : " or ") + Join(group.names);
      Destroy(&group.set);
    }
    return text;
  }

  bool may_take_turns_ = false;
  std::vector<Component> components_;
  std::vector<Chosen> chosen_;
};

}  // namespace

Source* MakePapi() { return new Papi; }

}  // namespace epik::metrics
