// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/file_system.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include <string>

namespace epik::episode {
namespace {

std::string NameOf(uint32_t type) {
  const char* name = RemoteFileSystem(type);
  return name != nullptr ? name : "";
}

TEST(FileSystem, ThoseOfOtherMachinesAndProcessesAreKnown) {
  EXPECT_EQ(NameOf(NFS_SUPER_MAGIC), "NFS");
  EXPECT_EQ(NameOf(SMB_SUPER_MAGIC), "SMB");
  EXPECT_EQ(NameOf(CIFS_SUPER_MAGIC), "CIFS");
  EXPECT_EQ(NameOf(SMB2_SUPER_MAGIC), "SMB");
  EXPECT_EQ(NameOf(FUSE_SUPER_MAGIC), "FUSE");
  EXPECT_EQ(NameOf(V9FS_MAGIC), "9p");
  EXPECT_EQ(NameOf(AFS_SUPER_MAGIC), "AFS");
  EXPECT_EQ(NameOf(AFS_FS_MAGIC), "AFS");
  EXPECT_EQ(NameOf(CODA_SUPER_MAGIC), "Coda");
  EXPECT_EQ(NameOf(CEPH_SUPER_MAGIC), "Ceph");
  EXPECT_EQ(NameOf(OCFS2_SUPER_MAGIC), "OCFS2");
}

TEST(FileSystem, LocalOnesAreNot) {
  constexpr int64_t kLocal[] = {EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
                                OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, RAMFS_MAGIC};
  for (const int64_t type : kLocal) {
    EXPECT_EQ(NameOf(static_cast<uint32_t>(type)), "") << std::hex << type;
  }
}

TEST(FileSystem, WhatCannotBeAskedIsNotRefused) { EXPECT_EQ(RemoteFileSystemOf("/no/such/folder"), nullptr); }

}  // namespace
}  // namespace epik::episode
