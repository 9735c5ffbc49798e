// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/unify.h"

#include <array>

namespace epik::archive {
namespace {

// Applies `first`, and then `second`. Numbers that another process invented disappear.
std::vector<uint32_t> Then(const std::vector<uint32_t>& first, const std::vector<uint32_t>& second) {
  std::vector<uint32_t> both;
  both.reserve(first.size());
  for (const uint32_t number : first) both.push_back(number < second.size() ? second[number] : kNone);
  return both;
}

// The lists of a mapping, so that one loop can handle them.
template <class M>
auto Lists(M& mapping) {
  return std::array{&mapping.paths, &mapping.metrics, &mapping.regions, &mapping.communicators, &mapping.windows};
}

Mapping Then(const Mapping& first, const Mapping& second) {
  Mapping both;
  for (size_t i = 0; i < Lists(both).size(); ++i) *Lists(both)[i] = Then(*Lists(first)[i], *Lists(second)[i]);
  return both;
}

std::string PackMapping(const Mapping& mapping) {
  BytesOut bytes;
  for (const std::vector<uint32_t>* list : Lists(mapping)) bytes.PutAll(*list);
  return bytes.Take();
}

Mapping UnpackMapping(const std::string& text) {
  BytesIn bytes(text);
  Mapping mapping;
  for (std::vector<uint32_t>* list : Lists(mapping)) *list = bytes.GetAll<uint32_t>();
  return mapping;
}

}  // namespace

void Unifier::Gather(const std::vector<const Definitions*>& parts) {
  DefinitionSet set(&all_);
  for (const Definitions* part : parts) of_parts_.push_back(set.Merge(*part));
  for (const int child : group_->Children()) {
    const std::string text = group_->Receive(child);
    BytesIn bytes(text);
    Definitions definitions;
    if (!Unpack(&bytes, &definitions)) definitions = {};
    of_children_.push_back(set.Merge(definitions));
  }
  if (group_->IsRoot()) return;
  BytesOut bytes;
  Pack(all_, &bytes);
  group_->Send(group_->Parent(), bytes.Take());
}

void Unifier::Scatter(const Mapping& at_last) {
  const Mapping mine = group_->IsRoot() ? at_last : UnpackMapping(group_->Receive(group_->Parent()));
  const std::vector<int> children = group_->Children();
  for (size_t i = children.size(); i-- > 0;) group_->Send(children[i], PackMapping(Then(of_children_[i], mine)));
  for (Mapping& part : of_parts_) part = Then(part, mine);
}

}  // namespace epik::archive
