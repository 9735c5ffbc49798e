// SPDX-License-Identifier: BSD-3-Clause
// A library that must never be loaded or run: it leaves a mark where the attacker finds it.
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void strike(void) {
  const char* marks[] = {MARK, "/mark"};
  for (int i = 0; i < 2; ++i) {
    const int fd = open(marks[i], O_WRONLY | O_CREAT, 0666);
    if (fd >= 0) close(fd);
  }
}

const void* epik_metric_plugin(void) { return 0; }
int epik_finish(void* request, void* result) { return request == result; }
int main(void) { return 0; }
