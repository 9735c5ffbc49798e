// SPDX-License-Identifier: BSD-3-Clause
// Energy of the processors from the kernel's powercap (RAPL). The counters include everything that runs on a socket, so
// the energy belongs to no thread, and only the first thread of each process counts it. The processor updates the
// counters about every millisecond. Shorter call paths get energy by chance, in the right proportion over many visits.
#include "runtime/metrics/energy.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/system_call.h"

namespace epik::metrics {
namespace {

// Uses bare system calls, which are no cancellation points. Keeps no descriptor, because the program might close it and
// use its number again.
bool ReadNumber(const char* path, uint64_t* value) {
  const long fd = base::SystemCall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  char text[32];
  const long n = base::SystemCall(SYS_read, fd, text, sizeof text - 1);
  base::SystemCall(SYS_close, fd);
  if (n <= 0) return false;
  uint64_t number = 0;
  for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; ++i)
    number = number * 10 + static_cast<uint64_t>(text[i] - '0');
  *value = number;
  return true;
}

std::string ReadWord(const std::string& path) {
  char text[64] = "";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  return {text, std::strcspn(text, "\n")};
}

struct Zone {
  std::string file;
  std::string kind;  // package, core, uncore, dram, psys
  uint64_t range;    // the counter starts over behind this value
};

struct Part {
  const char* name;
  const char* text;
};
constexpr Part kParts[] = {{"package", "energy of the sockets"},
                           {"core", "energy of their cores, within package"},
                           {"uncore", "energy of what is on them beside cores, within package"},
                           {"dram", "energy of the memory"},
                           {"psys", "energy of the whole machine"}};

// State of a thread: whether it counts, and behind that each zone, in microjoules.
struct Open {
  uint64_t counts;
};
struct Count {
  uint64_t last, sum;
};
Count* CountsOf(Open* open) { return reinterpret_cast<Count*>(open + 1); }

class Energy final : public Source {
 public:
  explicit Energy(const char* powercap) : powercap_(powercap) {}

  std::vector<Counter> Offers() override {
    FindZones();
    std::vector<Counter> offers;
    for (const Part& part : kParts) {
      offers.push_back({std::string("energy::") + part.name, "J", part.text, Kind::kSum, 1e-6, ""});
      offers.back().missing = WhyNot(part.name);
    }
    return offers;
  }

  void Choose(std::vector<Counter>* wanted) override {
    const std::vector<Counter> offers = Offers();
    for (Counter& counter : *wanted) {
      counter = FindOffer("energy", offers, counter.name);
      if (counter.missing.empty()) chosen_.push_back(counter.name.substr(std::strlen("energy::")));
    }
  }

  size_t StateBytes() const override { return sizeof(Open) + zones_.size() * sizeof(Count); }

  const char* OpenThread(void* state) override {
    auto* open = static_cast<Open*>(state);
    Count* counts = CountsOf(open);
    open->counts = getpid() == static_cast<pid_t>(base::SystemCall(SYS_gettid)) ? 1 : 0;
    for (size_t z = 0; z < zones_.size(); ++z) ReadNumber(zones_[z].file.c_str(), &counts[z].last);
    return nullptr;
  }

  void Read(void* state, uint64_t* values) override {
    auto* open = static_cast<Open*>(state);
    Count* counts = CountsOf(open);
    for (size_t z = 0; z < zones_.size() && open->counts != 0; ++z) {
      Count* count = &counts[z];
      uint64_t now = 0;
      if (!IsChosen(zones_[z]) || !ReadNumber(zones_[z].file.c_str(), &now)) continue;
      count->sum += now >= count->last ? now - count->last : zones_[z].range - count->last + now;
      count->last = now;
    }
    for (const std::string& kind : chosen_) {
      *values = 0;
      for (size_t z = 0; z < zones_.size(); ++z) {
        if (zones_[z].kind == kind) *values += counts[z].sum;
      }
      ++values;
    }
  }

 private:
  // intel-rapl:0, and its parts intel-rapl:0:1.
  void FindZones() {
    zones_.clear();
    DIR* folder = opendir(powercap_);
    if (folder == nullptr) return;
    std::vector<std::string> names;
    while (const dirent* entry = readdir(folder)) {
      if (std::strchr(entry->d_name, ':') != nullptr) names.emplace_back(entry->d_name);
    }
    closedir(folder);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::string zone = std::string(powercap_) + "/" + name;
      std::string kind = ReadWord(zone + "/name");
      kind = kind.substr(0, kind.find('-'));  // package-0
      uint64_t range = 0;
      if (name.compare(0, 4, "mmio") == 0 || access((zone + "/energy_uj").c_str(), F_OK) != 0)
        continue;  // the same again
      if (!ReadNumber((zone + "/max_energy_range_uj").c_str(), &range)) range = ~uint64_t{0};
      zones_.push_back({zone + "/energy_uj", kind, range});
    }
  }

  std::string WhyNot(const std::string& kind) const {
    if (zones_.empty())
      return std::string("no RAPL: ") + powercap_ + " has no energy (a virtual machine, or no driver)";
    for (const Zone& zone : zones_) {
      if (zone.kind != kind) continue;
      uint64_t value;
      if (ReadNumber(zone.file.c_str(), &value)) return "";
      return zone.file + " cannot be read: root can, or chmod a+r it";
    }
    return "this machine measures no such part";
  }

  bool IsChosen(const Zone& zone) const {
    return std::find(chosen_.begin(), chosen_.end(), zone.kind) != chosen_.end();
  }

  const char* powercap_;
  std::vector<Zone> zones_;
  std::vector<std::string> chosen_;
};

}  // namespace

Source* MakeEnergyOf(const char* powercap) { return new Energy(powercap); }
Source* MakeEnergy() { return new Energy("/sys/class/powercap"); }

}  // namespace epik::metrics
