// SPDX-License-Identifier: BSD-3-Clause
#include "archive/directory/archive.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"

namespace epik::archive {
namespace {

namespace fs = std::filesystem;

class ArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = TestPath(testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }

  std::string Make(const std::string& name) {
    const std::string path = folder_ + "/" + name;
    fs::create_directories(path);
    return path;
  }

  std::string OpenError(const std::string& path) {
    Archive archive;
    EXPECT_FALSE(Open(path, &archive, &error_));
    return error_;
  }

  std::string folder_;
  std::string error_;
};

TEST_F(ArchiveTest, OpensADirectory) {
  const std::string path = Make("epik_a");
  Manifest manifest;
  manifest.program = "a";
  ASSERT_TRUE(WriteFileAtomically(path + "/manifest.json", manifest.ToJson(), &error_, true)) << error_;
  Archive archive;
  ASSERT_TRUE(Open(path + "//", &archive, &error_)) << error_;
  EXPECT_EQ(archive.path, path);
  EXPECT_TRUE(archive.is_directory && archive.has_manifest);
  EXPECT_EQ(archive.manifest.program, "a");
  Profile profile;
  EXPECT_FALSE(archive.ReadProfile(&profile, &error_));
  EXPECT_EQ(error_, path + ": this archive has no profile (summary.cubex)");
  ASSERT_TRUE(WriteCubex(path + "/summary.cubex", ExampleProfile(), {}, &error_)) << error_;
  ASSERT_TRUE(Open(path, &archive, &error_)) << error_;
  ASSERT_TRUE(archive.ReadProfile(&profile, &error_)) << error_;
  ExpectSameProfile(ExampleProfile(), profile);
}

TEST_F(ArchiveTest, OpensACubexFile) {
  const std::string path = folder_ + "/x.cubex";
  ASSERT_TRUE(WriteCubex(path, ExampleProfile(), {}, &error_)) << error_;
  Archive archive;
  ASSERT_TRUE(Open(path, &archive, &error_)) << error_;
  EXPECT_FALSE(archive.is_directory || archive.has_manifest);
  Profile profile;
  EXPECT_TRUE(archive.ReadProfile(&profile, &error_)) << error_;
  ASSERT_TRUE(WriteFileAtomically(path, "short", &error_));
  EXPECT_FALSE(archive.ReadProfile(&profile, &error_));
  EXPECT_EQ(error_, path + ": offset 0: not a .cubex file: no members");
}

TEST_F(ArchiveTest, SaysWhatElseAPathIs) {
  EXPECT_EQ(OpenError(folder_ + "/none"), folder_ + "/none: No such file or directory");
  EXPECT_EQ(OpenError(folder_), folder_ + " is no archive: it holds neither manifest.json nor summary.cubex");
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/x.txt", "", &error_));
  EXPECT_EQ(OpenError(folder_ + "/x.txt"),
            folder_ + "/x.txt is no archive: expected a directory epik_… or a .cubex file");
  const std::string damaged = Make("epik_d");
  ASSERT_TRUE(WriteFileAtomically(damaged + "/manifest.json", "{", &error_));
  EXPECT_EQ(OpenError(damaged), damaged + "/manifest.json: not JSON: error at byte 2");
}

TEST_F(ArchiveTest, RecognisesWhatDidNotFinish) {
  const std::string by_name = Make("epik_a.unfinished");
  EXPECT_EQ(OpenError(by_name + "/"), NotFinished(by_name));
  EXPECT_EQ(
      NotFinished("epik_it's a.unfinished"),
      "epik_it's a.unfinished is not finished: while the program runs, type epk top 'epik_it'\\''s a.unfinished'; "
      "when it has ended, epk recover 'epik_it'\\''s a.unfinished'");
  const std::string by_arenas = Make("epik_b");
  Make("epik_b/arenas");
  EXPECT_EQ(OpenError(by_arenas), NotFinished(by_arenas));
  ASSERT_TRUE(WriteFileAtomically(by_arenas + "/manifest.json", Manifest().ToJson(), &error_));
  Archive archive;
  EXPECT_TRUE(Open(by_arenas, &archive, &error_)) << error_;
}

TEST_F(ArchiveTest, NamesAreSafe) {
  EXPECT_EQ(ArchiveName("solver_4x2_sum"), "epik_solver_4x2_sum");
  EXPECT_EQ(ArchiveName("../../etc\n"), "epik_.._.._etc_");
  EXPECT_EQ(ArchiveName(""), "epik_run");
  EXPECT_EQ(ArchiveName(".unfinished.unfinished"), "epik_run");
  EXPECT_EQ(ArchiveName(std::string(500, 'x')), "epik_" + std::string(200, 'x'));
  EXPECT_EQ(ArchiveName(std::string(199, 'x') + "é"), "epik_" + std::string(199, 'x'));
  EXPECT_EQ(FinalPath("", "t"), "./epik_t");
}

TEST_F(ArchiveTest, AnExistingArchiveIsNeverReplaced) {
  EXPECT_EQ(FinalPath(folder_, "t"), folder_ + "/epik_t");
  for (const char* expected : {"/epik_t", "/epik_t.1", "/epik_t.2"}) {
    std::string path;
    ASSERT_TRUE(PublishDirectory(Make("epik_t.unfinished"), folder_, "t", &path, &error_)) << error_;
    EXPECT_EQ(path, folder_ + expected);
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(folder_ + "/epik_t.unfinished"));
  EXPECT_EQ(FinalPath(folder_, "t"), folder_ + "/epik_t.3");
  std::string path;
  EXPECT_FALSE(PublishDirectory(folder_ + "/gone", folder_, "t", &path, &error_));
  EXPECT_EQ(error_.rfind(folder_ + "/gone: cannot be renamed to ", 0), 0u) << error_;
  EXPECT_NE(error_.find("No such file or directory"), std::string::npos) << error_;
  EXPECT_FALSE(fs::exists(folder_ + "/epik_t.3"));
}

TEST_F(ArchiveTest, WithoutTheKernelsHelpNothingIsReplacedEither) {
  using internal::Renamed;
  const std::string to = folder_ + "/to";
  EXPECT_EQ(internal::RenameNew(Make("a"), to, false), Renamed::kYes);
  EXPECT_EQ(internal::RenameNew(Make("b"), to, false), Renamed::kExists);
  EXPECT_TRUE(fs::exists(folder_ + "/b"));
  EXPECT_EQ(internal::RenameNew(folder_ + "/none", folder_ + "/other", false), Renamed::kFailed);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(fs::exists(folder_ + "/other"));
}

// Many processes publish archives of one title at once, with and without the kernel's help. Each gets a name of its
// own.
TEST_F(ArchiveTest, RacesHaveNoLosers) {
  constexpr int kThreads = 4, kEach = 25;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kEach; ++i) {
      const std::string name = std::to_string(t) + "-" + std::to_string(i);
      ASSERT_TRUE(WriteFileAtomically(Make(name + ".unfinished") + "/who", name, &error_)) << error_;
    }
  }
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t, &failures] {
      for (int i = 0; i < kEach; ++i) {
        const std::string from = folder_ + "/" + std::to_string(t) + "-" + std::to_string(i) + ".unfinished";
        if (t % 2 == 0) {
          std::string path, error;
          if (!PublishDirectory(from, folder_, "race", &path, &error)) ++failures;
        } else {
          int number = 0;
          auto result = internal::Renamed::kExists;
          for (; result == internal::Renamed::kExists; ++number) {
            const std::string suffix = number == 0 ? "" : "." + std::to_string(number);
            result = internal::RenameNew(from, folder_ + "/epik_race" + suffix, false);
          }
          if (result != internal::Renamed::kYes) ++failures;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  std::set<std::string> seen;
  for (int i = 0; i < kThreads * kEach; ++i) {
    seen.insert(ReadWhole(folder_ + "/epik_race" + (i == 0 ? "" : "." + std::to_string(i)) + "/who"));
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(kThreads * kEach));
  EXPECT_EQ(seen.count(""), 0u);
}

TEST_F(ArchiveTest, FilesAppearWholeOrNotAtAll) {
  const std::string path = folder_ + "/f";
  ASSERT_TRUE(WriteFileAtomically(path, "old", &error_));
  {
    AtomicFile file;
    ASSERT_TRUE(file.Open(path, &error_));
    ASSERT_TRUE(file.Write("new", 3, &error_));
    EXPECT_EQ(ReadWhole(path), "old");
  }
  EXPECT_EQ(ReadWhole(path), "old");
  const std::string large(1000003, 'x');
  ASSERT_TRUE(WriteFileAtomically(path, large, &error_));
  EXPECT_EQ(ReadWhole(path), large);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_FALSE(WriteFileAtomically(Make("d"), "x", &error_));  // a directory is in the way
  EXPECT_NE(error_.find("/d: cannot be put in place: "), std::string::npos) << error_;
  EXPECT_FALSE(WriteFileAtomically("/dev/full/x", "x", &error_));
}

}  // namespace
}  // namespace epik::archive
