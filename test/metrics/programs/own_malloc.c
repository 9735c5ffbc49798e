// SPDX-License-Identifier: BSD-3-Clause
// A program with a malloc of its own, which never gives memory back.
#include <stddef.h>

static char memory[1 << 20];
static size_t used;

void* malloc(size_t bytes) {
  void* block = memory + used;
  used += (bytes + 15) / 16 * 16;
  return used <= sizeof memory ? block : NULL;
}
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* block, size_t bytes) {
  char* made = malloc(bytes);
  for (size_t i = 0; block != NULL && made != NULL && i < bytes; ++i) made[i] = ((char*)block)[i];
  return made;
}
void free(void* block) { (void)block; }

__attribute__((noinline)) void make(void) {
  void* volatile block = malloc(10);
  free(block);
}

int main(void) {
  make();
  return 0;
}
