// SPDX-License-Identifier: BSD-3-Clause
// The kernel's resource usage of the calling thread: one system call for all values.
#include <sys/resource.h>

#include "runtime/metrics/source.h"

namespace epik::metrics {
namespace {

struct Field {
  const char* name;
  const char* unit;
  const char* text;
  double scale;
  uint64_t (*of)(const rusage&);
};

uint64_t Microseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000u + static_cast<uint64_t>(time.tv_usec);
}
uint64_t Whole(long value) { return static_cast<uint64_t>(value); }

// Fields that Linux always leaves at zero are left out. ru_maxrss belongs to the whole process, see docs/metrics.md.
constexpr Field kFields[] = {
    {"ru_utime", "sec", "processor time in user mode", 1e-6, [](const rusage& u) { return Microseconds(u.ru_utime); }},
    {"ru_stime", "sec", "processor time in the kernel", 1e-6, [](const rusage& u) { return Microseconds(u.ru_stime); }},
    {"ru_minflt", "occ", "page faults without a disk", 1, [](const rusage& u) { return Whole(u.ru_minflt); }},
    {"ru_majflt", "occ", "page faults that waited for a disk", 1, [](const rusage& u) { return Whole(u.ru_majflt); }},
    {"ru_inblock", "occ", "blocks of 512 bytes read from devices", 1,
     [](const rusage& u) { return Whole(u.ru_inblock); }},
    {"ru_oublock", "occ", "blocks of 512 bytes to be written to devices", 1,
     [](const rusage& u) { return Whole(u.ru_oublock); }},
    {"ru_nvcsw", "occ", "context switches because the thread waited", 1,
     [](const rusage& u) { return Whole(u.ru_nvcsw); }},
    {"ru_nivcsw", "occ", "context switches although it could have run", 1,
     [](const rusage& u) { return Whole(u.ru_nivcsw); }},
    {"ru_maxrss", "bytes", "largest resident size of the process so far", 1024,
     [](const rusage& u) { return Whole(u.ru_maxrss); }},
};
constexpr size_t kPeakField = std::size(kFields) - 1;

class Rusage final : public Source {
 public:
  std::vector<Counter> Offers() override {
    std::vector<Counter> offers;
    for (const Field& field : kFields) {
      offers.push_back({std::string("rusage::") + field.name, field.unit, field.text, Kind::kSum, field.scale, ""});
    }
    offers[kPeakField].kind = Kind::kPeak;
    return offers;
  }

  void Choose(std::vector<Counter>* wanted) override {
    const std::vector<Counter> offers = Offers();
    for (Counter& counter : *wanted) {
      counter = FindOffer("rusage", offers, counter.name);
      if (!counter.missing.empty()) continue;
      for (size_t i = 0; i < offers.size(); ++i) {
        if (offers[i].name == counter.name) chosen_.push_back(&kFields[i]);
      }
    }
  }

  const char* OpenThread(void*) override { return nullptr; }

  void Read(void*, uint64_t* values) override {
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    for (const Field* field : chosen_) *values++ = field->of(usage);
  }

 private:
  std::vector<const Field*> chosen_;
};

}  // namespace

Source* MakeRusage() { return new Rusage; }

}  // namespace epik::metrics
