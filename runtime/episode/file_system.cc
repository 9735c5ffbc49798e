// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/file_system.h"

#include <sys/vfs.h>

#include <cstdlib>

namespace epik::episode {
namespace {

struct Known {
  uint32_t type;
  const char* name;
};

// From <linux/magic.h>, and for the others from their vendors' documentation.
constexpr Known kRemote[] = {
    {0x6969, "NFS"},          {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},        {0x517b, "SMB"},
    {0x65735546, "FUSE"},     {0x01021997, "9p"},     {0x0bd00bd0, "Lustre"},     {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},      {0x6b414653, "AFS"},    {0x73757245, "Coda"},       {0x00c36400, "Ceph"},
    {0x20030528, "OrangeFS"}, {0x19830326, "BeeGFS"}, {0xaad7aaea, "PanFS"},      {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"},    {0x564c, "NCP"},        {0x786f4256, "VirtualBox"},
};

}  // namespace

const char* RemoteFileSystem(uint32_t type) {
  for (const Known& known : kRemote) {
    if (known.type == type) return known.name;
  }
  return nullptr;
}

const char* RemoteFileSystemOf(const char* folder) {
  // For tests: few machines have one of these.
  if (const char* pretended = getenv("EPK_INTERNAL_FILE_SYSTEM"); pretended != nullptr) {
    return RemoteFileSystem(static_cast<uint32_t>(std::strtoul(pretended, nullptr, 0)));
  }
  struct statfs about;
  if (statfs(folder, &about) != 0) return nullptr;
  return RemoteFileSystem(static_cast<uint32_t>(about.f_type));
}

}  // namespace epik::episode
