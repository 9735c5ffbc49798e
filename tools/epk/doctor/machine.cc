// SPDX-License-Identifier: BSD-3-Clause
// Checks of the processor, the kernel, and the folders of measurements.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "tools/epk/doctor/check.h"
#include "view/number.h"

namespace epik::epk::doctor {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

struct FileSystem {
  uint32_t magic;
  const char* name;
  bool network;
};

constexpr FileSystem kFileSystems[] = {
    {0xEF53, "ext4", false},      {0x58465342, "xfs", false},   {0x9123683E, "btrfs", false},
    {0x01021994, "tmpfs", false}, {0x858458F6, "ramfs", false}, {0x794C7630, "overlay", false},
    {0x2FC12FC1, "zfs", false},   {0xF2F52010, "f2fs", false},  {0x65735546, "fuse", true},
    {0x6969, "nfs", true},        {0x0BD00BD0, "lustre", true}, {0x47504653, "gpfs", true},
    {0x19830326, "beegfs", true}, {0x00C36400, "ceph", true},   {0x01021997, "9p", true},
    {0xFF534D42, "cifs", true},   {0xFE534D42, "smb2", true},   {0x6A656A63, "virtiofs", true},
};

// Other processes must see the contents of a file that is mapped shared: `epk recover` and `epk top` depend on it.
bool MapsShared(int fd) {
  constexpr size_t kSize = 65536;
  constexpr char kText[] = "epik";
  if (ftruncate(fd, kSize) != 0) return false;
  void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return false;
  std::memcpy(static_cast<char*>(memory) + kSize / 2, kText, sizeof kText);
  char back[sizeof kText] = {};
  const bool same = pread(fd, back, sizeof back, kSize / 2) == static_cast<ssize_t>(sizeof back) &&
                    std::memcmp(back, kText, sizeof kText) == 0;
  munmap(memory, kSize);
  return same;
}

// The value in force: an empty variable counts as not set.
std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::string Model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "";
}

}  // namespace

Folder InspectFolder(const std::string& path) {
  Folder folder;
  folder.path = path;
  struct statfs status {};
  if (statfs(path.c_str(), &status) != 0) {
    folder.exists = false;
    return folder;
  }
  char magic[32];
  std::snprintf(magic, sizeof magic, "file system 0x%lx", static_cast<unsigned long>(status.f_type));
  folder.file_system = magic;
  for (const FileSystem& each : kFileSystems) {
    if (each.magic != static_cast<uint32_t>(status.f_type)) continue;
    folder.file_system = each.name;
    folder.network = each.network;
  }
  folder.free_bytes = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_bsize);
  std::string name = path + "/.epk-doctor-XXXXXX";
  const int fd = mkstemp(name.data());
  folder.writable = fd >= 0;
  folder.maps_shared = fd >= 0 && MapsShared(fd);
  if (fd >= 0) {
    unlink(name.c_str());
    close(fd);
  }
  return folder;
}

Finding JudgeFolder(const Folder& folder, bool mapped) {
  if (!folder.exists) return {Verdict::kBad, folder.path + " is not there", "mkdir -p " + folder.path};
  const std::string place = folder.path + "  " + folder.file_system + ", " + view::Bytes(folder.free_bytes) + " free";
  Finding finding{Verdict::kOk, place, "", {{"free_bytes", folder.free_bytes}}};
  const auto say = [&finding](Verdict verdict, const std::string& value, const std::string& remedy) {
    finding.verdict = verdict;
    finding.value += value;
    finding.remedy = remedy;
    return finding;
  };
  if (!folder.writable) return say(Verdict::kBad, ", not writable", "set EPK_GDIR or EPK_LDIR to a folder that is");
  if (folder.free_bytes < kMebibyte) return say(Verdict::kBad, "", "no room left");
  if (mapped && !folder.maps_shared)
    return say(Verdict::kBad, ", no shared mappings", "EPK_LDIR=/dev/shm or a disk of this node");
  if (mapped && folder.network) {
    return say(Verdict::kWarn, "",
               "arenas are written all the time: EPK_LDIR=/dev/shm or a disk of this node is faster");
  }
  if (folder.free_bytes < 100 * kMebibyte)
    return say(Verdict::kWarn, "", "little room: enough for a profile, not for a trace");
  if (mapped) finding.value += ", shared mappings work";
  return finding;
}

Finding LookAtArchiveFolder(const char*) { return JudgeFolder(InspectFolder(Variable("EPK_GDIR", ".")), false); }

Finding LookAtLocalFolder(const char*) {
  const std::string archive = Variable("EPK_GDIR", ".");
  return JudgeFolder(InspectFolder(Variable("EPK_LDIR", archive)), true);
}

Finding LookAtSharedMemory(const char* path) {
  Finding finding = JudgeFolder(InspectFolder(path), true);
  if (finding.verdict != Verdict::kBad) return finding;
  // MPI needs it, too. EPIK needs it only in place of another folder, so this is no more than a warning.
  finding.verdict = Verdict::kWarn;
  finding.remedy = "many MPIs need it; in a container: --shm-size";
  return finding;
}

Finding LookAtCpu(const char*) {
  const unsigned count = std::thread::hardware_concurrency();
  const std::string model = Model();
  return {Verdict::kOk,
          std::to_string(count) + (model.empty() ? " processors" : " x " + model),
          "",
          {{"processors", static_cast<double>(count)}}};
}

Finding LookAtKernel(const char*) {
  utsname name{};
  uname(&name);
  return {Verdict::kOk, std::string(name.sysname) + " " + name.release + " " + name.machine, ""};
}

}  // namespace epik::epk::doctor
