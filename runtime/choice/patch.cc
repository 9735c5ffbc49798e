// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/patch.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/base/log.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/episode/definitions.h"

extern "C" {
void __cyg_profile_func_enter(void* function, void* call_site);
void __cyg_profile_func_exit(void* function, void* call_site);
}

namespace epik::choice {
namespace {

uint64_t patched = 0;

#ifdef __x86_64__

constexpr uint64_t kCallBytes = 6;  // at most: ff 15 and four bytes

// Calls that cannot be patched come again and again (such as an exit hook that is reached by a jump). We remember them.
// Patching ends when no other calls come for long, or when too many calls have to be examined.
constexpr unsigned kRefusedBits = 12;
constexpr uint32_t kMostInVain = 10'000'000;
constexpr uint32_t kMostLooks = 50'000;
uint64_t refused[1u << kRefusedBits];  // return addresses
uint32_t in_vain = 0, looks = 0;

struct Site {
  uint64_t after;  // return address
  uint64_t hook;
  bool refused;  // by the kernel
};

// Whether the object has these bytes mapped, with all of these rights.
const ElfW(Phdr) * Segment(const dl_phdr_info& object, uint64_t at, uint64_t bytes, uint32_t rights) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uint64_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & rights) != rights) continue;
    if (at >= begin && at + bytes <= begin + segment.p_memsz) return &segment;
  }
  return nullptr;
}

uint8_t ByteAt(uint64_t at) { return *reinterpret_cast<const uint8_t*>(at); }

int32_t OffsetAt(uint64_t at) {
  int32_t offset;
  std::memcpy(&offset, reinterpret_cast<const void*>(at), sizeof offset);
  return offset;
}

// Whether the word at `slot` of the object is the hook's address.
bool SlotHolds(const dl_phdr_info& object, uint64_t slot, uint64_t hook) {
  if (Segment(object, slot, sizeof hook, PF_R) == nullptr) return false;
  uint64_t value;
  std::memcpy(&value, reinterpret_cast<const void*>(slot), sizeof value);
  return value == hook;
}

// jmp *slot(%rip), perhaps behind endbr64 and with a bnd prefix.
bool IsStubOf(const dl_phdr_info& object, uint64_t at, uint64_t hook) {
  constexpr uint64_t kStubBytes = 11;
  if (Segment(object, at, kStubBytes, PF_R | PF_X) == nullptr) return false;
  constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (std::memcmp(reinterpret_cast<const void*>(at), kEndbr64, sizeof kEndbr64) == 0) at += sizeof kEndbr64;
  if (ByteAt(at) == 0xf2) ++at;
  if (ByteAt(at) != 0xff || ByteAt(at + 1) != 0x25) return false;
  return SlotHolds(object, at + 6 + static_cast<uint64_t>(int64_t{OffsetAt(at + 2)}), hook);
}

// A byte of a segment that is executable and not writable; it stays executable all the time.
bool Write(uint64_t at, uint8_t byte, uint32_t rights) {
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(at & ~(page_bytes - 1));
  if ((rights & PF_W) != 0) return false;
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  __atomic_store_n(reinterpret_cast<uint8_t*>(at), byte, __ATOMIC_SEQ_CST);
  mprotect(page, page_bytes, PROT_READ | PROT_EXEC);
  return true;
}

int PatchIn(dl_phdr_info* object, size_t, void* data) {
  auto* site = static_cast<Site*>(data);
  const ElfW(Phdr)* segment = Segment(*object, site->after - kCallBytes, kCallBytes, PF_R | PF_X);
  if (segment == nullptr) return 0;
  const auto offset = static_cast<uint64_t>(int64_t{OffsetAt(site->after - 4)});
  uint64_t at = 0;
  uint8_t byte = 0;
  if (ByteAt(site->after - 5) == 0xe8) {
    const uint64_t target = site->after + offset;
    at = site->after - 5;
    byte = 0xa9;  // test $offset, %eax: changes only flags, which no caller expects to survive a call
    if (target != site->hook && !IsStubOf(*object, target, site->hook)) return 1;
  } else if (ByteAt(site->after - 6) == 0xff && ByteAt(site->after - 5) == 0x15) {
    at = site->after - 6;
    byte = 0x3b;  // cmp slot(%rip), %edx
    if (!SlotHolds(*object, site->after + offset, site->hook)) return 1;
  } else {
    return 1;
  }
  site->refused = !Write(at, byte, segment->p_flags);
  if (!site->refused) ++patched;
  return 1;
}

bool Patch(Site* site) {
  const base::SignalsBlocked blocked;
  const uint64_t before = patched;
  dl_iterate_phdr(PatchIn, site);
  if (site->refused) {
    base::Say(
        "EPK_PATCH: this system does not allow EPIK to change code; the hooks look up filtered functions instead");
    return false;
  }
  if (patched != before) in_vain = 0;
  return ++looks < kMostLooks;
}

#endif

}  // namespace

namespace {

void Finish() {
  if (patched == 0) return;
  char text[96];
  std::snprintf(text, sizeof text, "%llu calls of hooks in filtered functions were patched out (EPK_PATCH)",
                static_cast<unsigned long long>(patched));
  episode::Note(text);
}

}  // namespace

const episode::Part patch_part = {.name = "patch", .finish = Finish};

#ifdef __x86_64__
bool PatchCall(uint64_t stack, bool is_enter) {
  if (__libc_single_threaded == 0) return false;
  Site site{0, reinterpret_cast<uint64_t>(is_enter ? __cyg_profile_func_enter : __cyg_profile_func_exit), false};
  // Above the frame that the hook had.
  std::memcpy(&site.after, reinterpret_cast<const void*>(stack + sizeof(uint64_t)), sizeof site.after);
  uint64_t* known = &refused[(site.after * 0x9e3779b97f4a7c15u) >> (64 - kRefusedBits)];
  if (*known == site.after) return ++in_vain < kMostInVain;
  const int saved_errno = errno;
  const uint64_t before = patched;
  const bool goes_on = Patch(&site);
  if (patched == before) *known = site.after;
  errno = saved_errno;
  return goes_on;
}
#else
bool PatchCall(uint64_t, bool) { return false; }
#endif

}  // namespace epik::choice
