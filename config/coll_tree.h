// SPDX-License-Identifier: BSD-3-Clause
// EPK_COLL_TREE: the spanning tree of EPIK's own collective operations, and the file that maps one.
#ifndef EPIK_CONFIG_COLL_TREE_H_
#define EPIK_CONFIG_COLL_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

struct CollTree {
  enum class Kind : uint32_t { kOff, kFlat, kKary, kBinomial, kHost, kFile };
  Kind kind = Kind::kOff;
  uint32_t arity = 0;  // of kKary
  std::string file;    // of kFile
  bool operator==(const CollTree&) const = default;
};

// "off", "flat", "kary:4", "binomial", "host", "file:PATH".
bool ParseCollTree(std::string_view text, CollTree* tree);
std::string FormatCollTree(const CollTree& tree);

// A mapping file has a line "RANK PARENT" for each rank of MPI_COMM_WORLD; the root's parent is "-". A # begins a
// comment. False: *error says what is wrong, and where.
bool ReadParents(std::string_view text, uint32_t ranks, std::vector<int32_t>* parents, std::string* error);
std::string WriteParents(const std::vector<int32_t>& parents, const std::string& comment);

}  // namespace epik::config

#endif  // EPIK_CONFIG_COLL_TREE_H_
