// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/modules.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "config/own_executable.h"
#include "runtime/base/arena.h"
#include "runtime/base/own_stack.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/each_node.h"
#include "runtime/episode/objects.h"
#include "runtime/episode/seams_hot.h"
#include "runtime/epitome/call_tree_hot.h"

namespace epik::episode {

using base::LineAt;
using event::Key;
using event::Node;

namespace {

struct Extent {
  uint64_t begin = 0, end = 0, bias = 0;
};

enum class State : uint8_t {
  kGone,
  kMapped,
  kLeft,      // the last of its code has run; the loader may list it still, or again
  kReplaced,  // another module is at its addresses, and runtime/choice does not know yet
};

// A module is written once, before it is counted. Only `state` changes while other threads read it.
struct Module {
  Extent extent;
  uint64_t name = 0;  // a hash of its path: another module may come to the same addresses before the next scan
  std::atomic<State> state{State::kGone};

  bool IsListed() const { return state == State::kMapped || state == State::kLeft; }
};

constexpr uint32_t kMostModules = event::kMostRetiredModules;  // as many as keys can name
constexpr uint64_t kPairEveryTicks = 20'000'000;               // some ten milliseconds
constexpr uint64_t kPairInTheMaking = ~uint64_t{0};

constinit Module modules[kMostModules];  // untouched pages cost nothing, and no constructor may touch them
struct Modules {
  std::atomic<uint32_t> module_count{0};
  std::atomic<uint64_t> next_pair{0};
  std::atomic<bool> scanning{false};
  base::SpinLock lock;
};
constinit Modules known;

struct BuildId {
  char hex[2 * 64 + 1] = "";
};

// The GNU build-id among an object's notes, as they are mapped.
BuildId FindBuildId(const dl_phdr_info& object) {
  BuildId id;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const uint64_t name_bytes = (uint64_t{note.n_namesz} + 3) & ~uint64_t{3};
      const uint64_t value_bytes = (uint64_t{note.n_descsz} + 3) & ~uint64_t{3};
      if (name_bytes + value_bytes > static_cast<uint64_t>(end - name)) break;
      const auto* value = reinterpret_cast<const unsigned char*>(name + name_bytes);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 &&
          note.n_descsz <= 64) {
        for (uint32_t b = 0; b < note.n_descsz; ++b) {
          id.hex[size_t{2} * b] = "0123456789abcdef"[value[b] >> 4];
          id.hex[size_t{2} * b + 1] = "0123456789abcdef"[value[b] & 15];
        }
        return id;
      }
      at = name + name_bytes + value_bytes;
    }
  }
  return id;
}

Extent ExtentOf(const dl_phdr_info& object) {
  Extent module{~uint64_t{0}, 0, object.dlpi_addr};
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint64_t begin = object.dlpi_addr + segment.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
  }
  return module;
}

struct NameTable {
  const char* begin = nullptr;
  const char* end = nullptr;
};

NameTable NamesOf(const dl_phdr_info& object) {
  const char* table = nullptr;
  uint64_t bytes = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) table = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRSZ) bytes = entry->d_un.d_val;
    }
  }
  // The kernel's own object has not been relocated.
  const auto at = reinterpret_cast<uint64_t>(table);
  if (table != nullptr && object.dlpi_addr != 0 && at < object.dlpi_addr) table += object.dlpi_addr;
  return table == nullptr ? NameTable{} : NameTable{table, table + bytes};
}

using PathRoom = char[4096];

const char* PathOf(const dl_phdr_info& object, PathRoom& room) {
  if (object.dlpi_name != nullptr && object.dlpi_name[0] != '\0') return object.dlpi_name;
  config::OwnExecutable(room, sizeof room);
  return room;
}

void RecordAs(const char* path, const dl_phdr_info& object, const Extent& module) {
  const BuildId id = FindBuildId(object);
  const event::ModuleRecord record{module.bias, module.begin, module.end};
  const Piece pieces[] = {{&record, sizeof record}, {id.hex, std::strlen(id.hex) + 1}, {path, std::strlen(path) + 1}};
  Define(event::RecordType::kModule, pieces, 3);
}

// Out of line: a thread with a small stack has no room for a path.
__attribute__((noinline)) void RecordProgram(const dl_phdr_info& object, const Extent& module) {
  PathRoom room;
  RecordAs(PathOf(object, room), object, module);
}

void Record(const dl_phdr_info& object, const Extent& module) {
  const bool is_named = object.dlpi_name != nullptr && object.dlpi_name[0] != '\0';
  is_named ? RecordAs(object.dlpi_name, object, module) : RecordProgram(object, module);
}

// A node's owner may be comparing its key right now. The key is one aligned word, so the owner reads the old or the new
// key. Both are right, because no thread calls a function of this module any more.
void RetireNode(Node* node, uint32_t module_index) {
  const Extent& module = modules[module_index].extent;
  std::atomic_ref<Key> key(node->key);
  const Key before = key.load(std::memory_order_relaxed);
  const uint64_t address = event::AddressOf(before);
  if (event::IsRegion(before) || address < module.begin || address >= module.end) return;
  // The next module at this address has the same keys, and tables still name the old nodes by them.
  __atomic_store_n(&epitome::marks_are_trusted, false, __ATOMIC_RELAXED);
  key.store(event::RetiredKey(module_index, address - module.bias, event::ConstructOf(before)),
            std::memory_order_relaxed);
}

void RetireNodes(uint32_t module_index) {
  ForEachNode(0, [module_index](uint32_t line) { RetireNode(LineAt<Node>(line), module_index); });
}

uint64_t HashOf(const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char* at = text; at != nullptr && *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  }
  return hash;
}

// The module's place in the list; a new module gets the place behind the last. Replaces a module that was at its
// addresses before.
uint32_t FindModule(const Extent& extent, uint64_t name) {
  const uint32_t count = known.module_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    Module& other = modules[i];
    if (!other.IsListed() || other.extent.begin >= extent.end || other.extent.end <= extent.begin) continue;
    const bool has_place = other.extent.begin == extent.begin && other.extent.end == extent.end;
    if (has_place && other.name == name) return i;
    if (other.state == State::kMapped) RetireNodes(i);
    other.state = State::kReplaced;
  }
  return count;
}

int ScanOne(dl_phdr_info* object, size_t, void* seen) {
  const Extent extent = ExtentOf(*object);
  if (extent.begin >= extent.end) return 0;
  const uint64_t name = HashOf(object->dlpi_name);
  const base::Locked lock(known.lock);
  const uint32_t count = known.module_count.load(std::memory_order_relaxed), at = FindModule(extent, name);
  if (at == kMostModules) {
    Note(
        "more libraries were loaded than can be told apart (65 534): functions of later ones may have the names of "
        "others that were at the same addresses");
    return 0;
  }
  if (at == count) {
    modules[at].extent = extent;
    modules[at].name = name;
    modules[at].state = State::kMapped;
    Record(*object, extent);
    known.module_count.store(count + 1, std::memory_order_release);
  }
  if (seen != nullptr) static_cast<bool*>(seen)[at] = true;
  return 0;
}

bool IsInMappedModule(uint64_t address) {
  for (uint32_t i = known.module_count.load(std::memory_order_acquire); i-- > 0;) {
    const Extent& code = modules[i].extent;
    if (modules[i].state == State::kMapped && address >= code.begin && address < code.end) return true;
  }
  return false;
}

// One thread has the stack for scans at a time. Another one that comes meanwhile may not wait: it may have a lock of
// the dynamic linker, in a callback of the program's. Without handlers: one that jumped away would take the dynamic
// linker's lock with it.
class Scan {
 public:
  Scan() : mine_(!known.scanning.exchange(true, std::memory_order_acquire)) {}
  ~Scan() {
    if (mine_) known.scanning.store(false, std::memory_order_release);
  }
  explicit operator bool() const { return mine_; }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

 private:
  base::SignalsBlocked blocked_;
  bool mine_;
};

// REQUIRES: no other thread writes a pair.
void WriteClockPair() {
  event::ProcessHeader* process = event::Process();
  std::atomic_ref<uint32_t> index(process->pair_index);
  const uint32_t other = 1 - index.load(std::memory_order_acquire);
  process->pair[other] = base::ReadClockPair();
  index.store(other, std::memory_order_release);
}

}  // namespace

void ForEachMappedModule(void (*look)(const char*, uint64_t, void*), void* context) {
  struct Looking {
    void (*look)(const char*, uint64_t, void*);
    void* context;
  } looking{look, context};
  ForEachObject(
      [](dl_phdr_info* object, size_t, void* data) {
        const auto* at = static_cast<const Looking*>(data);
        PathRoom room;
        at->look(PathOf(*object, room), object->dlpi_addr, at->context);
        return 0;
      },
      &looking);
}

void FindMappedModule(uint64_t address, void (*look)(const char*, uint64_t, void*), void* context) {
  struct Looking {
    uint64_t address;
    void (*look)(const char*, uint64_t, void*);
    void* context;
  } looking{address, look, context};
  ForEachObject(
      [](dl_phdr_info* object, size_t, void* data) {
        const auto* at = static_cast<const Looking*>(data);
        const Extent module = ExtentOf(*object);
        if (at->address < module.begin || at->address >= module.end) return 0;
        PathRoom room;
        at->look(PathOf(*object, room), module.bias, at->context);
        return 1;
      },
      &looking);
}

// The names that a module imports are in its table of dynamic names, each behind a NUL.
bool IsMentionedByModules(const char* beginning) {
  const char* wanted = beginning;
  return ForEachObject(
             [](dl_phdr_info* object, size_t, void* data) {
               const Extent module = ExtentOf(*object);
               const auto us = reinterpret_cast<uint64_t>(&IsMentionedByModules);
               if (us >= module.begin && us < module.end) return 0;
               const NameTable names = NamesOf(*object);
               const char* text = static_cast<const char*>(data);
               const std::size_t length = std::strlen(text);
               for (const char* at = names.begin; at != nullptr && at + length <= names.end;) {
                 if (std::strncmp(at, text, length) == 0) return 1;
                 at += strnlen(at, static_cast<std::size_t>(names.end - at)) + 1;
               }
               return 0;
             },
             const_cast<char*>(wanted)) != 0;
}

namespace {

void ForgetCodeOf(const Module& module) {
  choice::ForgetCode(module.extent.begin, module.extent.end, module.extent.bias);
}

// The code runs, so it is mapped: the same module was loaded again.
void Revive(uint64_t address) {
  for (uint32_t i = known.module_count.load(std::memory_order_acquire); i-- > 0;) {
    const Extent& code = modules[i].extent;
    if (address < code.begin || address >= code.end) continue;
    State left = State::kLeft;
    modules[i].state.compare_exchange_strong(left, State::kMapped);
  }
}

// The library that brought the new code may be called on any stack, and paths are long. REQUIRES: a Scan.
void ScanOnOwnStack(bool* seen) {
  base::CallOnOwnStack(
      base::OwnStack::kSetUp, [](void* each) { ForEachObject(ScanOne, each); }, seen);
}

}  // namespace

void ScanModules() {
  Scan scan;
  scan ? ScanOnOwnStack(nullptr) : static_cast<void>(ForEachObject(ScanOne, nullptr));
  for (uint32_t i = 0; i < known.module_count; ++i) {
    State replaced = State::kReplaced;
    if (modules[i].state.compare_exchange_strong(replaced, State::kGone)) ForgetCodeOf(modules[i]);
  }
}

uint32_t ModuleCount() { return known.module_count.load(std::memory_order_acquire); }

void NoteNewPath(Key key) {
  const uint64_t now = base::Now();
  uint64_t due = known.next_pair.load(std::memory_order_relaxed);
  if (now >= due) {
    const base::SignalsBlocked blocked;  // if a handler jumped away now, the pair would stay in the making for ever
    if (known.next_pair.compare_exchange_strong(due, kPairInTheMaking)) {
      WriteClockPair();
      known.next_pair.store(now + kPairEveryTicks, std::memory_order_release);
    }
  }
  if (IsKnownCode(key)) return;
  ScanModules();
  Revive(event::AddressOf(key));
}

bool IsKnownCode(Key key) { return event::IsRegion(key) || IsInMappedModule(event::AddressOf(key)); }

void NoteLastClockPair() {
  // If another thread is writing a pair, it has just read the clocks, so its pair is as good as ours.
  if (known.next_pair.exchange(kPairInTheMaking) != kPairInTheMaking) WriteClockPair();
}

void RetireUnmappedModules() {
  Scan scan;
  if (!scan) return;
  static bool seen[kMostModules];
  std::memset(seen, 0, sizeof seen);
  const uint32_t before = known.module_count;  // another thread may note a new module after the scan has passed it
  ScanOnOwnStack(seen);
  for (uint32_t i = 0; i < before; ++i) {
    if (modules[i].state == State::kGone || seen[i]) continue;
    if (modules[i].state == State::kMapped) RetireNodes(i);
    ForgetCodeOf(modules[i]);
    modules[i].state = State::kGone;
  }
}

void RetireLeavingModule(uint64_t address) {
  const base::SignalsBlocked blocked;
  for (uint32_t i = known.module_count.load(std::memory_order_acquire); i-- > 0;) {
    const Extent& code = modules[i].extent;
    if (!modules[i].IsListed() || address < code.begin || address >= code.end) continue;
    RetireNodes(i);
    modules[i].state = State::kLeft;
  }
}

void ForgetModules() {
  known.module_count = 0;
  known.next_pair = 0;
  known.scanning = false;
  known.lock.Reset();
}

}  // namespace epik::episode
