// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/libraries.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace epik::launch {
namespace {

constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";

struct CacheHeader {
  char magic[20];
  uint32_t count;
  uint32_t string_bytes;
  uint32_t flags;
  uint32_t extensions;
  uint32_t unused[3];
};

struct CacheEntry {
  int32_t flags;
  uint32_t key;
  uint32_t value;
  uint32_t os_version;
  uint64_t hwcap;
};

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find_first_of(":;", at), path.size());
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void ReplaceAll(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// RPATH and RUNPATH may name the folder of their own file.
std::vector<std::string> OwnPath(const std::string& path, const std::string& owner) {
  std::string text = path;
  const size_t slash = owner.rfind('/');
  const std::string origin = slash == std::string::npos ? "." : owner.substr(0, slash);
  ReplaceAll(text, "${ORIGIN}", origin);
  ReplaceAll(text, "$ORIGIN", origin);
  ReplaceAll(text, "$LIB", "lib64");
  return SplitPath(text);
}

class Finder {
 public:
  Finder(const Elf& program, const SearchPath& search) : program_(program), search_(search) {}

  Library Find(const std::string& name, const std::string& owner, const Elf& owner_elf, const std::string& main) const {
    Library library;
    library.name = name;
    if (name.find('/') != std::string::npos) {
      Try(name, library);
      return library;
    }
    std::vector<std::string> dirs;
    const auto add = [&](const std::vector<std::string>& more) { dirs.insert(dirs.end(), more.begin(), more.end()); };
    // RPATH counts only where there is no RUNPATH, and is inherited from the program.
    if (owner_elf.runpath.empty()) {
      add(OwnPath(owner_elf.rpath, owner));
      if (program_.runpath.empty()) add(OwnPath(program_.rpath, main));
    }
    add(search_.environment);
    add(OwnPath(owner_elf.runpath, owner));
    for (const std::string& dir : dirs) {
      if (Try(dir + "/" + name, library)) return library;
    }
    const auto cached = search_.cache.find(name);
    if (cached != search_.cache.end() && Try(cached->second, library)) return library;
    for (const std::string& dir : search_.defaults) {
      if (Try(dir + "/" + name, library)) return library;
    }
    return library;
  }

 private:
  bool Try(const std::string& path, Library& library) const {
    if (access(path.c_str(), R_OK) != 0) return false;
    const Elf elf = ReadElf(path);
    // The dynamic linker passes over libraries for another machine, too.
    if (!elf.valid || elf.bits != program_.bits || elf.machine != program_.machine) return false;
    library.path = path;
    library.elf = elf;
    return true;
  }

  const Elf& program_;
  const SearchPath& search_;
};

}  // namespace

std::map<std::string, std::string> ParseLoaderCache(std::string_view bytes) {
  std::map<std::string, std::string> cache;
  // An old-format table may stand before the one used today.
  const size_t start = bytes.find(kCacheMagic);
  if (start == std::string_view::npos) return cache;
  bytes.remove_prefix(start);
  CacheHeader header;
  if (bytes.size() < sizeof header) return cache;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.count > (bytes.size() - sizeof header) / sizeof(CacheEntry)) return cache;
  const auto text = [&](uint32_t offset) -> std::string {
    if (offset >= bytes.size()) return "";
    const std::string_view rest = bytes.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  };
  for (uint32_t i = 0; i < header.count; ++i) {
    CacheEntry entry;
    std::memcpy(&entry, bytes.data() + sizeof header + i * sizeof entry, sizeof entry);
    // Variants for newer processors come later and are the same library for our purpose.
    cache.emplace(text(entry.key), text(entry.value));
  }
  return cache;
}

SearchPath SystemSearchPath() {
  SearchPath search;
  const char* path = std::getenv("LD_LIBRARY_PATH");
  if (path != nullptr) search.environment = SplitPath(path);
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  search.cache = ParseLoaderCache(bytes.str());
  search.defaults = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
  return search;
}

std::vector<Library> FindLibraries(const std::string& program, const Elf& elf, const SearchPath& search) {
  std::vector<Library> found;
  std::set<std::string> seen;
  const Finder finder(elf, search);
  const auto visit = [&](const std::string& owner, const Elf& owner_elf) {
    for (const std::string& name : owner_elf.needed) {
      if (seen.insert(name).second) found.push_back(finder.Find(name, owner, owner_elf, program));
    }
  };
  visit(program, elf);
  for (size_t i = 0; i < found.size(); ++i) {
    const Library library = found[i];  // a copy: the list grows
    visit(library.path, library.elf);
  }
  return found;
}

}  // namespace epik::launch
