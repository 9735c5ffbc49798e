// SPDX-License-Identifier: BSD-3-Clause
// Load() with real files and directories.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "config/settings.h"

namespace epik::config {
namespace {

class Load : public testing::Test {
 protected:
  Load() : root_(testing::TempDir() + "/load_XXXXXX") {
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    Folder("inst");
    Folder("cwd");
  }

  void Folder(const std::string& path) { EXPECT_EQ(mkdir((root_ + "/" + path).c_str(), 0700), 0); }
  void Write(const std::string& path, const std::string& text) { std::ofstream(root_ + "/" + path) << text; }

  Loaded With(const std::vector<std::string>& environment) {
    std::vector<const char*> variables;
    for (const std::string& text : environment) variables.push_back(text.c_str());
    variables.push_back(nullptr);
    return config::Load({variables.data(), root_ + "/inst/EPIK.CONF", root_ + "/cwd"});
  }

  std::string root_;
};

TEST_F(Load, NothingThereIsNothingToSay) {
  errno = 77;
  const Loaded loaded = With({});
  EXPECT_EQ(errno, 77);
  EXPECT_TRUE(loaded.messages.empty());
  EXPECT_TRUE(loaded.settings.SameAs(Settings()));
}

TEST_F(Load, AllThreeSources) {
  Write("inst/EPIK.CONF", "EPK_TITLE=inst\nEPK_GDIR=/inst\nEPK_FILTER=/inst\nEPK_METRICS_SPEC=$DOCDIR/M\n");
  Write("cwd/EPIK.CONF", "EPK_TITLE=work\nEPK_GDIR=/work\n");
  const Settings settings = With({"EPK_TITLE=env"}).settings;
  EXPECT_EQ(settings.title, "env");
  EXPECT_EQ(settings.gdir, "/work");
  EXPECT_EQ(settings.filter, "/inst");
  EXPECT_EQ(settings.metrics_spec, root_ + "/inst/M");
  EXPECT_EQ(settings.OriginOf(Key::gdir).Text(), root_ + "/cwd/EPIK.CONF:2");
}

TEST_F(Load, EpkConfStandsInForTheOneHere) {
  Folder("other");
  Write("cwd/EPIK.CONF", "EPK_TITLE=work\n");
  Write("other/EPIK.CONF", "EPK_TITLE=folder\n");
  Write("other/mine.conf", "EPK_TITLE=file\n");
  EXPECT_EQ(With({"EPK_CONF=" + root_ + "/other"}).settings.title, "folder");
  EXPECT_EQ(With({"EPK_CONF=" + root_ + "/other/mine.conf"}).settings.title, "file");
  EXPECT_EQ(With({"EPK_CONF=../other/mine.conf"}).settings.title, "file");
  EXPECT_EQ(With({"EPK_CONF="}).settings.title, "work");
}

TEST_F(Load, AnEpkConfThatIsNotThereIsToldOf) {
  Write("cwd/EPIK.CONF", "EPK_TITLE=work\n");
  const Loaded loaded = With({"EPK_CONF=/nowhere/at/all"});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text, "/nowhere/at/all: no such file (EPK_CONF); ignored");
  EXPECT_EQ(loaded.settings.title, "");
}

TEST_F(Load, WhatIsNoFileIsNotWaitedFor) {
  ASSERT_EQ(mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  Loaded loaded = With({"EPK_CONF=" + root_ + "/pipe"});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text, root_ + "/pipe: is not a file; ignored");
  loaded = With({"EPK_CONF=/dev/zero"});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text, "/dev/zero: is not a file; ignored");
}

TEST_F(Load, Unreadable) {
  Folder("cwd/EPIK.CONF");
  Loaded loaded = With({});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text, root_ + "/cwd/EPIK.CONF: is a directory; ignored");
  Write("secret", "EPK_TITLE=x\n");
  ASSERT_EQ(chmod((root_ + "/secret").c_str(), 0), 0);
  if (geteuid() == 0) return;  // root reads everything
  loaded = With({"EPK_CONF=" + root_ + "/secret"});
  EXPECT_EQ(loaded.messages.back().text, root_ + "/secret: Permission denied; ignored");
}

TEST_F(Load, AFileThatAnybodyMayWriteCountsOnlyWhenItIsNamed) {
  Write("cwd/EPIK.CONF", "EPK_TITLE=anybody\n");
  ASSERT_EQ(chmod((root_ + "/cwd/EPIK.CONF").c_str(), 0666), 0);
  const Loaded loaded = With({});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text,
            root_ + "/cwd/EPIK.CONF: can be written by anybody; name it in EPK_CONF to use it; ignored");
  EXPECT_EQ(loaded.settings.title, "");
  EXPECT_EQ(With({"EPK_CONF=EPIK.CONF"}).settings.title, "anybody");
}

TEST_F(Load, AHugeFileIsNoConfiguration) {
  Write("huge", std::string((1 << 20) + 1, '\n'));
  const Loaded loaded = With({"EPK_CONF=" + root_ + "/huge"});
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_EQ(loaded.messages[0].text, root_ + "/huge: is larger than 1 MiB: not a configuration; ignored");
}

TEST_F(Load, FromThisProcess) {
  ASSERT_EQ(setenv("EPK_TITLE", "really", 1), 0);
  EXPECT_EQ(LoadFromProcess().settings.title, "really");
  unsetenv("EPK_TITLE");
}

TEST(InstallationConf, BesideTheFolderOfTheProgram) {
  const std::string path = InstallationConf();
  EXPECT_EQ(path[0], '/');
  EXPECT_EQ(path.substr(path.size() - 14), "/etc/EPIK.CONF");
}

}  // namespace
}  // namespace epik::config
