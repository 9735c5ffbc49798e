// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/communicators.h"

#include <map>
#include <numeric>

#include "runtime/archive/bytes.h"

namespace epik::archive {

using epitome::CommunicatorImage;
using epitome::MpiImage;
using epitome::WindowImage;

namespace {

constexpr uint32_t kPredefined = 2;  // MPI_COMM_WORLD and MPI_COMM_SELF have the same numbers everywhere

// Identity -> number in the definitions.
using Numbers = std::map<uint64_t, uint32_t>;

void Put(const MpiImage& image, BytesOut* out) {
  out->Put(static_cast<uint64_t>(image.communicators.size()));
  for (const auto& [number, communicator] : image.communicators) {
    out->Put(number);
    out->Put(communicator.id);
    out->PutAll(communicator.own);
    out->PutAll(communicator.remote);
    out->Put(communicator.name);
  }
  out->Put(static_cast<uint64_t>(image.windows.size()));
  for (const auto& [number, window] : image.windows) {
    out->Put(window.id);
    out->Put(window.communicator);
    out->Put(window.name);
  }
}

// Of both groups. Those of other jobs have no rank here.
std::vector<uint32_t> RanksOf(const CommunicatorImage& communicator) {
  std::vector<uint32_t> ranks;
  for (const std::vector<int32_t>* members : {&communicator.own, &communicator.remote}) {
    for (const int32_t rank : *members) {
      if (rank >= 0) ranks.push_back(static_cast<uint32_t>(rank));
    }
  }
  return ranks;
}

class Union {
 public:
  explicit Union(uint32_t ranks) {
    if (ranks == 0) return;
    definitions_.communicators.resize(kPredefined);
    definitions_.communicators[0].name = "MPI_COMM_WORLD";
    definitions_.communicators[0].ranks.resize(ranks);
    std::iota(definitions_.communicators[0].ranks.begin(), definitions_.communicators[0].ranks.end(), 0u);
    definitions_.communicators[1].name = "MPI_COMM_SELF";
  }

  // One process after the other, so that the order is the same in every run.
  void Add(BytesIn* in) {
    std::map<uint32_t, uint32_t> number_of;  // of this process
    for (uint64_t n = in->GetCount(1); n > 0 && in->good(); --n) {
      const auto number = in->Get<uint32_t>();
      CommunicatorImage communicator;
      communicator.id = in->Get<uint64_t>();
      communicator.own = in->GetAll<int32_t>();
      communicator.remote = in->GetAll<int32_t>();
      communicator.name = in->GetText();
      number_of[number] = number < kPredefined ? number : AddCommunicator(communicator);
      NameIt(&definitions_.communicators, number_of[number], communicator.name);
    }
    for (uint64_t n = in->GetCount(1); n > 0 && in->good(); --n) {
      const auto id = in->Get<uint64_t>();
      const auto communicator = in->Get<uint32_t>();
      const std::string name = in->GetText();
      const auto known = number_of.find(communicator);
      const uint32_t of = known != number_of.end()     ? known->second
                          : communicator < kPredefined ? communicator
                                                       : epitome::kNone;
      const auto [place, is_new] = windows_.emplace(id, static_cast<uint32_t>(definitions_.windows.size()));
      if (is_new) definitions_.windows.push_back({"", of});
      NameIt(&definitions_.windows, place->second, name);
    }
  }

  MpiDefinitions Take() {
    NameTheRest(&definitions_.communicators, "communicator ");
    NameTheRest(&definitions_.windows, "window ");
    return std::move(definitions_);
  }
  const Numbers& communicators() const { return communicators_; }
  const Numbers& windows() const { return windows_; }

 private:
  MpiDefinitions definitions_;
  Numbers communicators_, windows_;

  uint32_t AddCommunicator(const CommunicatorImage& communicator) {
    const auto next = static_cast<uint32_t>(definitions_.communicators.size());
    const auto [place, is_new] = communicators_.emplace(communicator.id, next);
    if (is_new) definitions_.communicators.push_back({"", RanksOf(communicator)});
    return place->second;
  }

  // What the program has given no name.
  template <class Named>
  static void NameTheRest(std::vector<Named>* list, const char* what) {
    for (size_t i = 0; i < list->size(); ++i) {
      if ((*list)[i].name.empty()) (*list)[i].name = what + std::to_string(i);
    }
  }

  // The name that the first process gave it, which has no say in it if it gave none.
  template <class Named>
  static void NameIt(std::vector<Named>* list, uint32_t number, const std::string& name) {
    if (number < list->size() && (*list)[number].name.empty()) (*list)[number].name = name;
  }
};

void PutNumbers(const Numbers& numbers, BytesOut* out) {
  out->Put(static_cast<uint64_t>(numbers.size()));
  for (const auto& [id, number] : numbers) {
    out->Put(id);
    out->Put(number);
  }
}

Numbers GetNumbers(BytesIn* in) {
  Numbers numbers;
  for (uint64_t n = in->GetCount(sizeof(uint64_t) + sizeof(uint32_t)); n > 0 && in->good(); --n) {
    const auto id = in->Get<uint64_t>();
    numbers[id] = in->Get<uint32_t>();
  }
  return numbers;
}

template <class Definitions>
NumberMap Translate(const Definitions& own, const Numbers& numbers) {
  NumberMap map;
  for (const auto& [number, definition] : own) {
    const auto place = numbers.find(definition.id);
    if (place != numbers.end()) map.emplace_back(number, place->second);
  }
  return map;
}

}  // namespace

MpiDefinitions UniteCommunicators(Group* group, uint32_t ranks, const std::vector<MpiImage>& images,
                                  std::vector<ProcessMap>* maps) {
  BytesOut mine;
  for (const MpiImage& image : images) Put(image, &mine);
  const std::string all = group->Gather(mine.Take());
  Union united(ranks);
  BytesOut answer;
  if (group->IsRoot()) {
    for (BytesIn in(all); !in.AtEnd() && in.good();) united.Add(&in);
    PutNumbers(united.communicators(), &answer);
    PutNumbers(united.windows(), &answer);
  }
  const std::string numbers = group->Broadcast(answer.Take());
  BytesIn in(numbers);
  const Numbers communicators = GetNumbers(&in);
  const Numbers windows = GetNumbers(&in);
  for (size_t i = 0; i < images.size() && i < maps->size(); ++i) {
    ProcessMap& map = (*maps)[i];
    for (const auto& numbered : Translate(images[i].communicators, communicators)) {
      if (numbered.first >= kPredefined) map.communicators.push_back(numbered);
    }
    map.windows = Translate(images[i].windows, windows);
  }
  return united.Take();
}

}  // namespace epik::archive
