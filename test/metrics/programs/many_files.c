// SPDX-License-Identifier: BSD-3-Clause
// Writes 10 bytes to each of FILES files, then 7 bytes to one more, to which its child writes 5.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void fill(const char* name) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, "0123456789", 10) != 10) abort();
  close(fd);
}

__attribute__((noinline, noclone)) void share(int fd, int bytes) {
  if (write(fd, "0123456789", (size_t)bytes) != bytes || fsync(fd) != 0) abort();
}

int main(int argc, char** argv) {
  const int files = argc > 1 ? atoi(argv[1]) : 3;
  const int fd = open("shared \"file\"", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < files; ++i) {
    char name[32];
    snprintf(name, sizeof name, "one%d", i);
    fill(name);
  }
  share(fd, 7);
  const pid_t child = fork();
  if (child == 0) {
    share(fd, 5);
    exit(0);
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child) abort();
  close(fd);
  return status;
}
