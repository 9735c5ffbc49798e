// SPDX-License-Identifier: BSD-3-Clause
// The file that a descriptor stands for. The kernel tells it at the descriptor's first call. We forget it when the
// descriptor is closed or another file gets its number. Calls are added to the table of files in libepk.so.
#ifndef EPIK_ADAPTERS_IO_FILES_H_
#define EPIK_ADAPTERS_IO_FILES_H_

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "runtime/base/system_call.h"

extern "C" {
__attribute__((weak)) uint64_t epik_adapter_file(const char* path);
__attribute__((weak)) int epik_adapter_file_call(uint64_t file, uint32_t call, uint64_t bytes, uint64_t ns);
}

namespace epik::io {

inline constexpr int kMostDescriptors = 65536;
inline uint64_t file_of[kMostDescriptors];  // 0: not asked for; pages that nobody touches cost nothing

inline bool IsKnownPlace(int fd) { return epik_adapter_file != nullptr && fd >= 0 && fd < kMostDescriptors; }

inline void ForgetDescriptor(int fd) {
  if (IsKnownPlace(fd)) __atomic_store_n(&file_of[fd], 0, __ATOMIC_RELAXED);
}

// Forgets the files of the descriptors from `first` to `last`.
inline void ForgetDescriptors(unsigned first, unsigned last) {
  constexpr unsigned kMost = kMostDescriptors - 1;
  for (unsigned fd = first; fd <= last && fd <= kMost; ++fd) {
    if (__atomic_load_n(&file_of[fd], __ATOMIC_RELAXED) != 0) ForgetDescriptor(static_cast<int>(fd));
  }
}

inline int DescriptorOf(FILE* stream) {
  const int saved_errno = errno;
  const int fd = stream != nullptr ? fileno(stream) : -1;
  errno = saved_errno;
  return fd;
}

inline int DescriptorOf(DIR* folder) { return folder != nullptr ? dirfd(folder) : -1; }

// Pipes, sockets and the like have numbers instead of names. All of one kind count as one file.
inline void DropNumber(char* path) {
  if (char* number = strstr(path, ":["); path[0] != '/' && number != nullptr) *number = '\0';
}

// 0: the process has no such file, or nothing is measured.
inline uint64_t NumberOf(int fd) {
  constexpr char kFolder[] = "/proc/self/fd/";
  char link[sizeof kFolder + 8], path[1024];
  memcpy(link, kFolder, sizeof kFolder);
  char digits[8];
  size_t count = 0;
  for (int rest = fd; count == 0 || rest != 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  for (size_t i = 0; i < count; ++i) link[sizeof kFolder - 1 + i] = digits[count - 1 - i];
  link[sizeof kFolder - 1 + count] = '\0';
  const long bytes = base::SystemCall(SYS_readlink, link, path, sizeof path - 1);
  if (bytes <= 0) return 0;
  path[bytes] = '\0';
  DropNumber(path);
  return epik_adapter_file(path);
}

// The file of a descriptor that is about to be closed.
inline uint64_t TakeFile(int fd) {
  if (!IsKnownPlace(fd)) return 0;
  const int saved_errno = errno;
  const uint64_t known = __atomic_exchange_n(&file_of[fd], 0, __ATOMIC_RELAXED);
  const uint64_t file = known != 0 ? known : NumberOf(fd);
  errno = saved_errno;
  return file;
}

inline void AddCall(uint64_t file, uint32_t call, uint64_t bytes, uint64_t ns) {
  if (file != 0) epik_adapter_file_call(file, call, bytes, ns);
}

inline void AddToFile(int fd, uint32_t call, uint64_t bytes, uint64_t ns) {
  if (!IsKnownPlace(fd)) return;
  uint64_t file = __atomic_load_n(&file_of[fd], __ATOMIC_RELAXED);
  if (file != 0 && epik_adapter_file_call(file, call, bytes, ns) != 0) return;
  const int saved_errno = errno;
  file = NumberOf(fd);
  errno = saved_errno;
  __atomic_store_n(&file_of[fd], file, __ATOMIC_RELAXED);
  AddCall(file, call, bytes, ns);
}

}  // namespace epik::io

#endif  // EPIK_ADAPTERS_IO_FILES_H_
