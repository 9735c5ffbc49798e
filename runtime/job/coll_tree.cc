// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/coll_tree.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/base/log.h"

namespace epik::episode {

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

bool ReadMapping(const std::string& path, uint32_t ranks, std::vector<int32_t>* parents) {
  std::string text, error;
  if (!ReadFile(path, &text)) {
    error = strerror(errno);
  } else if (config::ReadParents(text, ranks, parents, &error)) {
    return true;
  }
  base::Say("EPK_COLL_TREE: %s: %s; MPI's own collective operations are used", path.c_str(), error.c_str());
  return false;
}

// For the life of the process: adapters keep the address.
template <class T>
const T* Keep(std::vector<T> values) {
  return (new std::vector<T>(std::move(values)))->data();
}

}  // namespace

void PutTree(const CollTree& wanted, const std::vector<uint64_t>& hosts, archive::BytesOut* out) {
  std::vector<int32_t> parents;
  auto kind = static_cast<EpikTreeKind>(wanted.kind);
  if (kind == EpikTreeKind::kMapped && !ReadMapping(wanted.file, static_cast<uint32_t>(hosts.size()), &parents)) {
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

}  // namespace epik::episode
