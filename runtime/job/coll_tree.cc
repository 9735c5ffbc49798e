// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/coll_tree.h"

#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/base/log.h"
#include "runtime/episode/workplace.h"
#include "runtime/event/control.h"

namespace epik::job {

using config::CollTree;

namespace {

EpikCollTree agreed = {};

bool ReadFile(const std::string& path, std::string* text) {
  FILE* file = fopen(path.c_str(), "re");
  if (file == nullptr) return false;
  char piece[4096];
  for (size_t got = 0; (got = fread(piece, 1, sizeof piece, file)) > 0;) text->append(piece, got);
  const bool good = ferror(file) == 0;
  fclose(file);
  return good;
}

bool ReadMapping(const std::string& path, uint32_t ranks, std::vector<int32_t>* parents, std::string* error) {
  std::string text;
  if (ReadFile(path, &text)) return config::ReadParents(text, ranks, parents, error);
  *error = strerror(errno);
  return false;
}

bool ReadFirst(const std::string& path, uint32_t ranks, std::vector<int32_t>* parents) {
  std::string error;
  if (ReadMapping(path, ranks, parents, &error)) return true;
  base::Say("EPK_COLL_TREE: %s: %s; MPI's own collective operations are used", path.c_str(), error.c_str());
  return false;
}

// Never freed, because adapters keep the address.
template <class T>
const T* Keep(std::vector<T> values) {
  return (new std::vector<T>(std::move(values)))->data();
}

// The tree that came while the job ran; version 0: none has come.
struct Newest {
  EpikCollTree tree = {};
  uint32_t version = 0;
  struct timespec written = {};  // its file
};
Newest newest = {};

// A file that is no valid tree changes nothing; one message tells about it.
void LookForTree() {
  const std::string path = std::string(episode::UnfinishedArchive()) + "/" + kNewTree;
  struct stat info = {};
  if (agreed.ranks == 0 || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (info.st_mtim.tv_sec == newest.written.tv_sec && info.st_mtim.tv_nsec == newest.written.tv_nsec) return;
  newest.written = info.st_mtim;
  std::vector<int32_t> parents;
  std::string error;
  if (ReadMapping(path, agreed.ranks, &parents, &error)) return TakeTree(newest.version + 1, parents.data());
  base::Say("%s: %s; the tree stays as it is", path.c_str(), error.c_str());
}

}  // namespace

void PutTree(const CollTree& wanted, const std::vector<uint64_t>& hosts, archive::BytesOut* out) {
  std::vector<int32_t> parents;
  auto kind = static_cast<EpikTreeKind>(wanted.kind);
  if (kind == EpikTreeKind::kMapped && !ReadFirst(wanted.file, static_cast<uint32_t>(hosts.size()), &parents)) {
    kind = EpikTreeKind::kOff;
  }
  out->Put(kind);
  out->Put(wanted.arity);
  out->Put(static_cast<uint32_t>(hosts.size()));
  out->PutAll(parents);
  out->PutAll(kind == EpikTreeKind::kHost ? hosts : std::vector<uint64_t>());
}

void GetTree(archive::BytesIn* in) {
  agreed.kind = in->Get<EpikTreeKind>();
  agreed.arity = in->Get<uint32_t>();
  agreed.ranks = in->Get<uint32_t>();
  agreed.parents = Keep(in->GetAll<int32_t>());
  agreed.hosts = Keep(in->GetAll<uint64_t>());
  if (!in->good()) agreed = {};
}

const EpikCollTree& TreeOfJob() { return agreed; }

const EpikCollTree& NewestTree(uint32_t* version) {
  if (event::Process()->rank == 0) LookForTree();
  *version = newest.version;
  return newest.version == 0 ? agreed : newest.tree;
}

void TakeTree(uint32_t version, const int32_t* parents) {
  if (version <= newest.version) return;
  newest.tree = {};
  newest.tree.kind = EpikTreeKind::kMapped;
  newest.tree.ranks = agreed.ranks;
  newest.tree.parents = Keep(std::vector<int32_t>(parents, parents + agreed.ranks));
  newest.version = version;
}

}  // namespace epik::job
