// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads a file, by every function that counts: TIMES.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static char data[4096];

__attribute__((noinline, noclone)) void put(int fd, long times) {  // 4 calls, 1111 bytes
  struct iovec parts[2] = {{data, 60}, {data, 40}};
  for (long i = 0; i < times; ++i) {
    if (write(fd, data, 1000) != 1000 || pwrite(fd, data, 10, 0) != 10) abort();
    if (writev(fd, parts, 2) != 100 || pwrite64(fd, data, 1, 5) != 1) abort();
  }
}

__attribute__((noinline, noclone)) void get(int fd, long times) {  // 4 calls, 1111 bytes
  struct iovec parts[2] = {{data, 60}, {data, 40}};
  lseek(fd, 0, SEEK_SET);
  for (long i = 0; i < times; ++i) {
    if (read(fd, data, 1000) != 1000 || pread(fd, data, 10, 0) != 10) abort();
    if (readv(fd, parts, 2) != 100 || pread64(fd, data, 1, 5) != 1) abort();
  }
}

// One call that fails, and one at the end of the file: two calls, no bytes.
__attribute__((noinline, noclone)) void nothing(int fd) {
  lseek(fd, 0, SEEK_END);
  if (read(fd, data, 100) != 0 || read(-1, data, 100) != -1) abort();
}

__attribute__((noinline, noclone)) void stream(const char* name) {  // one each: 400 bytes
  FILE* file = fopen(name, "w+");
  if (file == NULL || fwrite(data, 4, 100, file) != 100) abort();
  rewind(file);
  if (fread(data, 4, 100, file) != 100) abort();
  fclose(file);
}

// 7 calls that write 30 bytes to the file, and two that write 12 bytes to stdout.
__attribute__((noinline, noclone)) void put_text(FILE* file, int number) {
  if (fputs("hello\n", file) < 0 || fprintf(file, "%d %s\n", number, "ab") != 9) abort();
  if (fputc('x', file) != 'x' || putc('y', file) != 'y' || putc('\n', file) != '\n') abort();
  fflush(file);
  if (dprintf(fileno(file), "%d\n", number) != 6 || dprintf(fileno(file), "%d\n", number) != 6) abort();
  if (printf("%d\n", number) != 6 || puts("hello") < 0) abort();
}

// 5 calls that read 18 bytes, and one at the end of the file.
__attribute__((noinline, noclone)) void get_text(FILE* file) {
  char text[18 + 1];
  char* line = NULL;
  size_t room = 0;
  if (fgets(text, sizeof text, file) == NULL || getline(&line, &room, file) != 9) abort();
  free(line);
  if (fgetc(file) != 'x' || getc(file) != 'y' || fgetc(file) != '\n') abort();
  fseek(file, 0, SEEK_END);
  if (getc(file) != EOF) abort();
}

__attribute__((noinline, noclone)) void keep(int fd) {
  if (fsync(fd) != 0 || fdatasync(fd) != 0 || close(dup(fd)) != 0) abort();
}

static FILE* freopened(const char* name, FILE* before) {
  FILE* file = freopen(name, "w", before);
  if (file == NULL) abort();
  return file;
}

// Files that come one after the other into one descriptor's place: 1, 2, 4 … 64 bytes.
__attribute__((noinline, noclone)) void take_turns(void) {
  FILE* file = fopen("first", "w");
  if (file == NULL || fputs("1", file) < 0) abort();
  file = freopened("second", file);
  if (fputs("12", file) < 0) abort();
  fclose(file);
  const int fd = creat("third", 0600);
  if (fd < 0 || write(fd, data, 4) != 4 || close_range((unsigned)fd, (unsigned)fd, 0) != 0) abort();
  int ends[2];
  if (pipe(ends) != 0 || ends[0] != fd || write(ends[1], data, 8) != 8 || read(ends[0], data, 8) != 8) abort();
  closefrom(fd);
  char name[] = "fourth.XXXXXX";
  if (mkstemp(name) != fd || rename(name, "fourth") != 0 || write(fd, data, 16) != 16) abort();
  close(fd);
  volatile int flags = O_WRONLY | O_APPEND;
  if (open("first", flags) != fd || write(fd, data, 32) != 32 || close(fd) != 0) abort();
  const struct iovec part = {data, 64};
  if (open("second", flags) != fd || pwritev2(fd, &part, 1, -1, 0) != 64 || close(fd) != 0) abort();
}

int main(int argc, char** argv) {
  const long times = argc > 1 ? atol(argv[1]) : 0;
  const int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return 1;
  put(fd, times);
  get(fd, times);
  nothing(fd);
  keep(fd);
  stream("stream");
  FILE* file = fopen("text", "w+");
  if (file == NULL) return 1;
  put_text(file, 12345);
  rewind(file);
  get_text(file);
  fclose(file);
  take_turns();
  return 0;
}
