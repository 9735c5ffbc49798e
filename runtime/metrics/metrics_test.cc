// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/metrics/energy.h"
#include "runtime/metrics/perf_events.h"
#include "runtime/metrics/perf_page.h"
#include "runtime/metrics/source.h"

namespace epik::metrics {
namespace {

// ThreadSanitizer touches pages of its own with each of the program's.
#ifdef __SANITIZE_THREAD__
constexpr bool kFaultsOfItsOwn = true;
#else
constexpr bool kFaultsOfItsOwn = false;
#endif

// Sources live as long as the process, and so do these.
Source* Kept(Source* source) {
  static auto* kept = new std::vector<Source*>;
  kept->push_back(source);
  return source;
}

Source* SourceOf(const std::string& name) {
  for (const Registered* each = kSources; each->name != nullptr; ++each) {
    if (name == each->name) return Kept(each->make());
  }
  return nullptr;
}

std::vector<Counter> Names(const std::vector<std::string>& names) {
  std::vector<Counter> counters(names.size());
  for (size_t i = 0; i < names.size(); ++i) counters[i].name = names[i];
  return counters;
}

// How much `work` adds to the chosen counters of the source on the calling thread.
template <class Work>
std::vector<uint64_t> Steps(Source* source, size_t counters, Work work) {
  std::vector<char> state(source->StateBytes() + 64);
  std::vector<uint64_t> before(counters), after(counters);
  void* at = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(state.data()) + 63) / 64 * 64);
  EXPECT_EQ(source->OpenThread(at), nullptr);
  source->Read(at, before.data());
  work();
  source->Read(at, after.data());
  source->CloseThread(at);
  for (size_t i = 0; i < counters; ++i) after[i] -= before[i];
  return after;
}

void Touch(long pages) {
  const auto bytes = static_cast<size_t>(pages) * 4096;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * 4096] = 1;
  munmap(memory, bytes);
}

void Nap(int times) {
  const timespec moment = {0, 100'000};
  for (int i = 0; i < times; ++i) nanosleep(&moment, nullptr);
}

TEST(Rusage, CountsTheThreadsOwn) {
  std::vector<Counter> wanted = Names({"ru_minflt", "ru_nvcsw", "ru_inflt"});
  Source* source = SourceOf("rusage");
  source->Choose(&wanted);
  EXPECT_EQ(wanted[0].missing, "");
  EXPECT_NE(wanted[2].missing.find("did you mean rusage::ru_minflt?"), std::string::npos) << wanted[2].missing;
  std::thread([&] {
    Steps(source, 2, [] { Touch(1); });  // the first time brings faults of its own
    const auto steps = Steps(source, 2, [] {
      std::thread([] { Touch(500); }).join();
      Touch(100);
    });
    // Making the other thread takes a few.
    EXPECT_GE(steps[0], 100u);
    if (!kFaultsOfItsOwn) {
      EXPECT_LT(steps[0], 150u);
    }
    EXPECT_GE(Steps(source, 2, [] { Nap(5); })[1], 5u);
  }).join();
}

TEST(Perf, CountsTheThreadsOwn) {
  std::vector<Counter> wanted = Names({"page-faults", "CONTEXT_SWITCHES", "task-clock", "nothing"});
  Source* source = SourceOf("perf");
  source->Choose(&wanted);
  EXPECT_NE(wanted[3].missing, "");
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i].missing.empty()) GTEST_SKIP() << wanted[i].missing;
  }
  EXPECT_EQ(wanted[0].name, "perf::PAGE-FAULTS");
  Steps(source, 3, [] { Touch(1); });
  const auto steps = Steps(source, 3, [] { Touch(100); });
  EXPECT_GE(steps[0], 100u);
  if (!kFaultsOfItsOwn) {
    EXPECT_LT(steps[0], 110u);
  }
  EXPECT_GT(steps[2], 0u);
  EXPECT_GE(Steps(source, 3, [] { Nap(5); })[1], 5u);
}

TEST(Perf, ALostDescriptorIsNoOtherFile) {
  std::vector<Counter> wanted = Names({"page-faults"});
  Source* source = SourceOf("perf");
  source->Choose(&wanted);
  if (!wanted[0].missing.empty()) GTEST_SKIP() << wanted[0].missing;
  alignas(64) static char state[1 << 16];
  ASSERT_LE(source->StateBytes(), sizeof state);
  ASSERT_EQ(source->OpenThread(state), nullptr);
  uint64_t before = 0, after = 0;
  Touch(3);
  source->Read(state, &before);
  for (int fd = 3; fd < 2000; ++fd) close(fd);
  Touch(3);
  source->Read(state, &after);
  EXPECT_EQ(before, after) << "it stops, and neither fails nor steps back";
  std::vector<std::string> notes;
  source->Finish(nullptr, &notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("closed their descriptors"), std::string::npos);
}

TEST(Perf, SaysWhyNot) {
  const PerfEvent hardware = {"CYCLES", "", 0, 0, false, 1, "occ"};
  const PerfEvent software = {"PAGE-FAULTS", "", 1, 2, false, 1, "occ"};
  EXPECT_EQ(WhyNoPerf(software, EACCES, {2, true, false}), "perf_event_paranoid=2: set it to 1 or grant CAP_PERFMON");
  EXPECT_EQ(WhyNoPerf(hardware, ENOENT, {2, false, true}), "no PMU in this virtual machine");
  EXPECT_EQ(WhyNoPerf(hardware, ENOENT, {2, true, false}), "this processor has no such counter");
  EXPECT_NE(WhyNoPerf(software, EPERM, {1, true, false}).find("seccomp"), std::string::npos);
}

TEST(Perf, ScalesWhatTookTurns) {
  EXPECT_EQ(ForWholeTime(100, 1000, 1000), 100u);
  EXPECT_EQ(ForWholeTime(100, 1000, 250), 400u);
  EXPECT_EQ(ForWholeTime(0, 1000, 0), 0u) << "never counted";
}

TEST(Perf, ReadsRegistersAsTheKernelSays) {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = 3;
  page.pmc_width = 48;
  page.offset = 1000;
  uint64_t value = 0;
  const auto five = [](uint32_t number) { return number == 2 ? uint64_t{5} : uint64_t{0}; };
  EXPECT_TRUE(ReadPage(&page, five, &value));
  EXPECT_EQ(value, 1005u);
  EXPECT_TRUE(ReadPage(
      &page, [](uint32_t) { return (uint64_t{1} << 48) - 2; }, &value));
  EXPECT_EQ(value, 998u) << "a register of 48 bits has a sign";
  int calls = 0;
  const auto moved = [&](uint32_t) {
    if (++calls == 1) {  // the thread was scheduled in between
      page.lock += 2;
      page.offset = 2000;
    }
    return uint64_t{7};
  };
  EXPECT_TRUE(ReadPage(&page, moved, &value));
  EXPECT_EQ(value, 2007u);
  EXPECT_EQ(calls, 2);
  page.time_enabled = 10;  // and counted for a part of that
  EXPECT_FALSE(ReadPage(&page, five, &value));
  page.time_running = 10;
  page.index = 0;
  EXPECT_FALSE(ReadPage(&page, five, &value));
  page.index = 3;
  page.cap_user_rdpmc = 0;
  EXPECT_FALSE(ReadPage(&page, five, &value));
}

class PowerCap : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/powercap";
    std::filesystem::remove_all(root_);
    mkdir(root_.c_str(), 0700);
  }
  void Zone(const std::string& zone, const std::string& name, uint64_t energy, uint64_t range = 1'000'000) {
    const std::string folder = root_ + "/" + zone;
    mkdir(folder.c_str(), 0700);
    std::ofstream(folder + "/name") << name << "\n";
    std::ofstream(folder + "/max_energy_range_uj") << range << "\n";
    std::ofstream(folder + "/energy_uj") << energy << "\n";
  }
  std::string root_;
};

TEST_F(PowerCap, AddsUpSocketsAndGoesAround) {
  Zone("intel-rapl:0", "package-0", 999'000);
  Zone("intel-rapl:1", "package-1", 500);
  Zone("intel-rapl:1:0", "dram", 70);
  Zone("intel-rapl-mmio:0", "package-0", 1);  // the same by another way
  Source* source = Kept(MakeEnergyOf(root_.c_str()));
  std::vector<Counter> wanted = Names({"package", "dram", "psys"});
  source->Choose(&wanted);
  EXPECT_EQ(wanted[0].unit, "J");
  EXPECT_EQ(wanted[2].missing, "this machine measures no such part");
  const auto more = [&] {
    Zone("intel-rapl:0", "package-0", 2'000);  // it went over its range
    Zone("intel-rapl:1", "package-1", 1'500);
    Zone("intel-rapl:1:0", "dram", 100);
  };
  EXPECT_EQ(Steps(source, 2, more), (std::vector<uint64_t>{3'000 + 1'000, 30}));
  std::thread([&] {
    Zone("intel-rapl:0", "package-0", 0);
    EXPECT_EQ(Steps(source, 2, more), (std::vector<uint64_t>{0, 0})) << "the first thread has it all";
  }).join();
}

TEST_F(PowerCap, AllOfThemCount) {
  constexpr uint64_t kMany = 100;
  const auto set = [&](uint64_t energy) {
    for (uint64_t zone = 0; zone < kMany; ++zone)
      Zone("intel-rapl:" + std::to_string(zone), "package-" + std::to_string(zone), zone * energy);
  };
  set(1);
  Source* source = Kept(MakeEnergyOf(root_.c_str()));
  std::vector<Counter> wanted = Names({"package"});
  source->Choose(&wanted);
  EXPECT_EQ(Steps(source, 1, [&] { set(3); }), std::vector<uint64_t>{2 * (kMany - 1) * kMany / 2});
}

TEST(Energy, SaysWhyNot) {
  Source* source = Kept(MakeEnergyOf("/no/such/folder"));
  std::vector<Counter> wanted = Names({"package"});
  source->Choose(&wanted);
  EXPECT_EQ(wanted[0].missing.find("no RAPL"), 0u) << wanted[0].missing;
}

TEST(Names, AreTheSame) {
  EXPECT_TRUE(SameName("perf::PAGE-FAULTS", "perf::page_faults"));
  EXPECT_FALSE(SameName("perf::PAGE-FAULTS", "perf::page_fault"));
}

}  // namespace
}  // namespace epik::metrics
