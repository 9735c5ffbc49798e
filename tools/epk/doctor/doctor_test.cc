// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tools/epk/doctor/check.h"
#include "tools/epk/doctor/probe.h"

namespace epik::epk::doctor {
namespace {

TEST(Doctor, RowsHaveTheirOwnNames) {
  std::set<std::string> ids;
  for (const Check& check : Checks()) {
    EXPECT_TRUE(ids.insert(check.id).second) << check.id;
    EXPECT_EQ(std::string(check.id).find(' '), std::string::npos);
  }
}

TEST(Doctor, EveryLookAnswersHere) {
  for (const Check& check : Checks()) {
    const Finding finding = check.look(check.argument);
    EXPECT_FALSE(finding.value.empty()) << check.id;
    // The two that matter say what to do about it.
    const bool matters = finding.verdict == Verdict::kBad || finding.verdict == Verdict::kWarn;
    EXPECT_TRUE(!matters || !finding.remedy.empty()) << check.id;
  }
}

TEST(Doctor, Tsc) {
  EXPECT_EQ(JudgeTsc(true, true, "tsc", 2.6e9).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeTsc(true, true, "tsc", 2.6e9).value, "2.60 GHz, invariant, kernel clock tsc");
  EXPECT_EQ(JudgeTsc(true, true, "kvm-clock", 2.6e9).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeTsc(true, true, "", 2.6e9).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeTsc(true, false, "tsc", 2.6e9).verdict, Verdict::kOk);  // a guest that hides the bit
  EXPECT_EQ(JudgeTsc(true, false, "kvm-clock", 2.6e9).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeTsc(true, true, "hpet", 2.6e9).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgeTsc(false, false, "arch_sys_counter", 0).verdict, Verdict::kNone);
}

TEST(Doctor, Paranoid) {
  EXPECT_EQ(JudgeParanoid("-1", false).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeParanoid("2", false).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeParanoid("3", true).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeParanoid("3", false).verdict, Verdict::kWarn);
  EXPECT_NE(JudgeParanoid("4", false).remedy.find("sysctl"), std::string::npos);
  EXPECT_EQ(JudgeParanoid("", false).verdict, Verdict::kNone);
}

TEST(Doctor, PerfEvents) {
  EXPECT_EQ(JudgePerfOpen(0, true).verdict, Verdict::kOk);
  EXPECT_EQ(JudgePerfOpen(ENOENT, true).verdict, Verdict::kNone);
  EXPECT_EQ(JudgePerfOpen(EACCES, true).verdict, Verdict::kWarn);
  EXPECT_EQ(JudgePerfOpen(ENOSYS, false).verdict, Verdict::kNone);
  EXPECT_FALSE(JudgePerfOpen(EMFILE, false).value.empty());
}

TEST(Doctor, Folders) {
  Folder folder{"/x", "ext4", false, true, true, true, 1e12};
  EXPECT_EQ(JudgeFolder(folder, true).verdict, Verdict::kOk);
  folder.network = true;
  EXPECT_EQ(JudgeFolder(folder, false).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeFolder(folder, true).verdict, Verdict::kWarn);
  folder.maps_shared = false;
  EXPECT_EQ(JudgeFolder(folder, false).verdict, Verdict::kOk);
  EXPECT_EQ(JudgeFolder(folder, true).verdict, Verdict::kBad);
  folder = {"/x", "ext4", false, true, true, true, 50e6};
  EXPECT_EQ(JudgeFolder(folder, false).verdict, Verdict::kWarn);
  folder.free_bytes = 0;
  EXPECT_EQ(JudgeFolder(folder, false).verdict, Verdict::kBad);
  folder = {"/x", "ext4", false, true, false, false, 1e12};
  EXPECT_EQ(JudgeFolder(folder, false).verdict, Verdict::kBad);
}

TEST(Doctor, InspectsFoldersAndLeavesNothing) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "inspected";
  std::filesystem::create_directories(path);
  const Folder folder = InspectFolder(path);
  EXPECT_TRUE(folder.exists && folder.writable && folder.maps_shared);
  EXPECT_GT(folder.free_bytes, 0);
  EXPECT_FALSE(folder.file_system.empty());
  EXPECT_TRUE(std::filesystem::is_empty(path));
  EXPECT_FALSE(InspectFolder(path / "nowhere").exists);
  EXPECT_EQ(JudgeFolder(InspectFolder(path / "nowhere"), true).verdict, Verdict::kBad);
}

TEST(Probe, OutputIsBounded) {
  EXPECT_EQ(Output({"/bin/sh", "-c", "echo out; echo err >&2"}), "out\nerr\n");
  EXPECT_EQ(Output({"/nowhere/at/all"}), "");
  EXPECT_EQ(Output({}), "");
  EXPECT_LT(Output({"/bin/sh", "-c", "yes"}).size(), size_t{5} << 20);
  EXPECT_GT(Output({"/bin/sh", "-c", "yes"}).size(), size_t{2} << 20) << "a list of 10 000 libraries is whole";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Output({"/bin/sh", "-c", "echo slow; exec sleep 60"}), "slow\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Probe, Finds) {
  EXPECT_FALSE(FindCommand("sh").empty());
  EXPECT_TRUE(FindCommand("no-such-command-anywhere").empty());
  EXPECT_FALSE(FindSharedLibrary("libc.so.6").empty());
  EXPECT_TRUE(FindSharedLibrary("libnosuch.so.1").empty());
}

TEST(Probe, Version) {
  EXPECT_EQ(VersionIn("gcc (Debian 12.2.0-14) 12.2.1"), "12.2.1");
  EXPECT_EQ(VersionIn("Debian clang version 14.0.6\nTarget: x86_64"), "14.0.6");
  EXPECT_EQ(VersionIn("mpirun (Open MPI) 4.1.4\n"), "4.1.4");
  EXPECT_EQ(VersionIn("Version:    4.0.2\n"), "4.0.2");
  EXPECT_EQ(VersionIn("gcc 13 (x) 13.2."), "13.2");
  EXPECT_EQ(VersionIn("none"), "");
  EXPECT_EQ(VersionIn(")) 1.2"), "1.2");
}

}  // namespace
}  // namespace epik::epk::doctor
