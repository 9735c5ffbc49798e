// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job as a binary tree. Rank 0 is the root, and each subtree holds consecutive ranks, so that bytes
// gathered in order of the children are in order of the ranks.
#ifndef EPIK_RUNTIME_ABI_GROUP_H_
#define EPIK_RUNTIME_ABI_GROUP_H_

#include <string>
#include <vector>

#include "runtime/abi/process_group.h"

namespace epik::archive {

class Group {
 public:
  // Null means one process alone.
  explicit Group(const EpikProcessGroup* processes) : processes_(processes) {}

  int rank() const { return processes_ == nullptr ? 0 : processes_->rank; }
  int size() const { return processes_ == nullptr ? 1 : processes_->size; }
  const EpikProcessGroup* processes() const { return processes_; }
  bool IsRoot() const { return rank() == 0; }
  // After a message has failed, nothing more is sent, and Receive returns empty bytes.
  bool failed() const { return failed_; }

  int Parent() const { return rank() - (rank() & -rank()); }
  std::vector<int> Children() const {
    std::vector<int> children;
    for (int step = 1; (rank() & step) == 0 && step < size() - rank(); step *= 2) children.push_back(rank() + step);
    return children;
  }

  void Send(int to, const std::string& bytes) {
    if (!failed_) failed_ = processes_->send(processes_->context, to, bytes.data(), bytes.size()) != 0;
  }

  std::string Receive(int from) {
    uint64_t size = 0;
    if (!failed_) failed_ = processes_->next_size(processes_->context, from, &size) != 0;
    if (failed_) return "";
    std::string bytes(size, '\0');
    failed_ = processes_->receive(processes_->context, from, bytes.data(), size) != 0;
    return bytes;
  }

  // Collective. Returns the bytes of this subtree in order of the ranks; rank 0 gets those of all.
  std::string Gather(std::string mine) {
    for (const int child : Children()) mine += Receive(child);
    if (!IsRoot()) Send(Parent(), mine);
    return mine;
  }

  // Collective. Returns the bytes of rank 0.
  std::string Broadcast(const std::string& from_root) {
    const std::string bytes = IsRoot() ? from_root : Receive(Parent());
    const std::vector<int> children = Children();
    // The largest subtree first: it takes longest.
    for (size_t i = children.size(); i-- > 0;) Send(children[i], bytes);
    return bytes;
  }

  // Collective. True at all ranks when all passed true.
  bool Agree(bool mine) {
    const bool all = Gather(mine ? "" : "n").empty();
    return Broadcast(all ? "y" : "n") == "y" && !failed_;
  }

 private:
  const EpikProcessGroup* processes_;
  bool failed_ = false;
};

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ABI_GROUP_H_
