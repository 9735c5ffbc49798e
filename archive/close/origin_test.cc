// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/origin.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace epik::archive {
namespace {

const std::string kCommit = "0123456789abcdef0123456789abcdef01234567";
const std::string kOther = "fedcba9876543210fedcba9876543210fedcba98";

class Origin : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("GITHUB_SHA");
    unsetenv("CI_COMMIT_SHA");
    root_ = testing::TempDir() + "/origin_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    Folder("");
  }
  void Folder(const std::string& name) { mkdir((root_ + "/" + name).c_str(), 0777); }
  void File(const std::string& name, const std::string& text) { std::ofstream(root_ + "/" + name) << text; }
  void Repository(const std::string& head) {
    Folder(".git");
    Folder("a");
    Folder("a/b");
    File(".git/HEAD", head);
  }
  std::string root_;
};

TEST_F(Origin, BranchAndDetachedHead) {
  Repository("ref: refs/heads\n");
  EXPECT_EQ(RevisionAround(root_), "");
  Folder(".git/refs");
  Folder(".git/refs/heads");
  File(".git/refs/heads/main", kCommit + "\n");
  File(".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(RevisionAround(root_ + "/a/b"), kCommit);
  File(".git/HEAD", kOther + "\n");
  EXPECT_EQ(RevisionAround(root_ + "/a"), kOther);
}

TEST_F(Origin, ACommitHasFortyOrSixtyFourDigits) {
  const std::string longer = kCommit + kOther.substr(0, 24);
  Repository(longer + "\n");
  EXPECT_EQ(RevisionAround(root_), longer);
  for (const size_t digits : {39, 41, 63}) {
    File(".git/HEAD", longer.substr(0, digits) + "\n");
    EXPECT_EQ(RevisionAround(root_), "") << digits;
  }
}

TEST_F(Origin, PackedReferences) {
  Repository("ref: refs/heads/main\n");
  File(".git/packed-refs",
       "# pack-refs with: peeled\n" + kOther + " refs/heads/maintenance\n" + kCommit + " refs/heads/main\n");
  EXPECT_EQ(RevisionAround(root_), kCommit);
  File(".git/packed-refs", kCommit + " refs/heads/main\n");
  EXPECT_EQ(RevisionAround(root_), kCommit);
}

TEST_F(Origin, WorkTree) {
  Repository(kOther + "\n");
  Folder(".git/worktrees");
  Folder(".git/worktrees/w");
  Folder("w");
  File("w/.git", "gitdir: " + root_ + "/.git/worktrees/w\n");
  File(".git/worktrees/w/HEAD", "ref: refs/heads/w\n");
  File(".git/worktrees/w/commondir", "../..\n");
  File(".git/packed-refs", kCommit + " refs/heads/w\n");
  EXPECT_EQ(RevisionAround(root_ + "/w"), kCommit);
}

TEST_F(Origin, NothingButACommitIsTaken) {
  Repository("ref: ../../../etc/passwd\n");
  EXPECT_EQ(RevisionAround(root_), "");
  File(".git/HEAD", "ref: refs/../../secret\n");
  Folder(".git/refs");  // without it, the kernel finds no way
  File("secret", kCommit + "\n");
  EXPECT_EQ(RevisionAround(root_), "");
  File(".git/HEAD", "0123\n");
  EXPECT_EQ(RevisionAround(root_), "");
  remove((root_ + "/.git/HEAD").c_str());
  mkfifo((root_ + "/.git/HEAD").c_str(), 0666);
  EXPECT_EQ(RevisionAround(root_), "");
  EXPECT_EQ(RevisionAround("/nowhere/at/all"), "");
}

TEST_F(Origin, OfTheJobWhereThereIsNoRepository) {
  setenv("GITHUB_SHA", kCommit.c_str(), 1);
  EXPECT_EQ(RevisionAround("/nowhere"), kCommit);
  setenv("GITHUB_SHA", "rm -rf", 1);
  EXPECT_EQ(RevisionAround("/nowhere"), "");
}

}  // namespace
}  // namespace epik::archive
