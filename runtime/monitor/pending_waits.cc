// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/pending_waits.h"

#include <algorithm>
#include <bit>

#include "runtime/base/compiler.h"

namespace epik::monitor {

using event::CollectiveEvent;
using event::CollectiveRole;
using event::Has;
using event::Step;

namespace {

constexpr uint64_t kNoEnd = ~uint64_t{0};

// The stream of a communicator's operations; those of messages have channels.
uint64_t StreamOf(const Membership& members) { return members.id ^ 0x636f6d6d; }

// In a scan each process tells all processes behind it when its call began.
Board::Place PlaceInScan(uint64_t stream, uint32_t sequence, int32_t rank) {
  return Board::PlaceOf(stream + static_cast<uint64_t>(rank) + 1, sequence);
}

}  // namespace

PendingWaits::Role PendingWaits::RoleOf(CollectiveRole role, const CollectiveEvent& note, const Membership& members,
                                        bool is_root) {
  switch (role) {
    case CollectiveRole::kBarrier:
    case CollectiveRole::kFinalize: return {role, true, true};
    case CollectiveRole::kAllToAll: return {role, event::Gives(note), event::Gets(note) && !event::GetsOfSome(note)};
    case CollectiveRole::kOneToAll: return {role, is_root, !is_root && event::Gets(note)};
    case CollectiveRole::kAllToOne: return {role, !is_root && event::Gives(note), is_root};
    case CollectiveRole::kScan: return {role, event::Gives(note), event::Gets(note) && members.rank > 0};
    default: return {CollectiveRole::kNone, false, false};
  }
}

bool PendingWaits::PostPart(const Role& role, const CollectiveEvent& note, const Membership& members) {
  const uint64_t stream = StreamOf(members);
  if (role.role == CollectiveRole::kScan) {
    if (!role.gives) return true;
    const uint32_t behind = members.size - 1 - static_cast<uint32_t>(members.rank);
    return board_->Tell(PlaceInScan(stream, note.sequence, members.rank), note.entered, behind);
  }
  BoardCell cell;
  return board_->Post(Board::PlaceOf(stream, note.sequence),
                      {note.entered, note.entered, role.gives, role.wants, members.size}, &cell);
}

// Null: the waiting time can never be known.
OwnPage* PendingWaits::NewPage(const CollectiveEvent& note) {
  const Membership members = world_->MembersOf(note.communicator);
  if (members.size == 0 || members.is_inter) return nullptr;
  if (pages_.IsFull()) TryOperations();
  const uint32_t oldest = std::max(1u, most_ / kOperationsOfPage / 4);
  if (pages_.IsFull()) pages_.GiveUp(oldest, [this](const OwnPage& old) { SettlePage(old); });
  return pages_.Begin(note.communicator, note.sequence, members);
}

void PendingWaits::TakeOperation(const CollectiveEvent& note) {
  const CollectiveRole role = world_->RoleOfNode(note.node);
  if (role == CollectiveRole::kNone) return;
  if (role == CollectiveRole::kScan) return TakeScan(note);
  OwnPage* page = pages_.Find(note.communicator, note.sequence);
  if (EPIK_UNLIKELY(page == nullptr) && (page = NewPage(note)) == nullptr) return world_->Unknown(note.node);
  OwnPages::Call call = {.entered = note.entered,
                         .left = event::IsBack(note) ? note.left : kNoEnd,
                         .node = note.node,
                         .role = static_cast<uint8_t>(role),
                         .gives = event::Gives(note),
                         .needs_all = event::Gets(note)};
  // The board tells when the last process came, not when each of them did.
  if (event::GetsOfSome(note)) {
    call.needs_all = false;
    world_->Unknown(note.node);
  }
  if (role == CollectiveRole::kBarrier || role == CollectiveRole::kFinalize) {
    call.gives = call.needs_all = true;
  } else if (role != CollectiveRole::kAllToAll) {
    const int32_t root = event::RootOf(note);
    const bool is_root = root == rank_, to_all = role == CollectiveRole::kOneToAll;
    if (root < 0) return world_->Unknown(note.node);
    call.gives = to_all ? is_root : !is_root && call.gives;
    call.needs_given = to_all && !is_root && call.needs_all;
    call.needs_all = !to_all && is_root;
  }
  pages_.Add(page, note.sequence, call);
}

void PendingWaits::TakeScan(const CollectiveEvent& note) {
  const Membership members = world_->MembersOf(note.communicator);
  if (members.size == 0 || members.is_inter) return world_->Unknown(note.node);
  const Role role = RoleOf(CollectiveRole::kScan, note, members, false);
  const bool posted = PostPart(role, note, members);
  if (!role.wants) return;
  if (!posted) return world_->Unknown(note.node);
  const uint64_t stream = StreamOf(members);
  Add({.place = Board::PlaceOf(stream, note.sequence),
       .stream = stream,
       .entered = note.entered,
       .left = note.left,
       .ready = 0,
       .node = note.node,
       .sequence = note.sequence,
       .members = members.size,
       .rank = members.rank,
       .role = CollectiveRole::kScan,
       .kind = Kind::kOperation,
       .is_known = false,
       .any = false,
       .after_probe = false,
       .answers = false,
       .is_shared = false,
       .is_standard = false,
       .was_there = false,
       .away = 0});
}

void PendingWaits::Exchange(OwnPages::Which which) {
  pages_.Exchange(which, [this](const OwnPage& page) { SettlePage(page); });
}

void PendingWaits::SettlePage(const OwnPage& page) {
  for (uint32_t rest = page.news.found & page.news.given; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(rest));
    const auto role = static_cast<CollectiveRole>(page.roles[i]);
    // A root that gathers waits until the first process has come.
    const uint64_t ready = role == CollectiveRole::kAllToOne ? page.news.first[i] : page.news.last[i];
    const uint64_t until = std::min(ready, page.left[i]);
    if (until > page.entered[i]) world_->Waited(page.nodes[i], role, until - page.entered[i]);
  }
  for (uint32_t rest = page.news.gone; rest != 0; rest &= rest - 1) {
    world_->Unknown(page.nodes[std::countr_zero(rest)]);
  }
}

void PendingWaits::TakeBegun(const CollectiveEvent& note) {
  const Membership members = world_->MembersOf(note.communicator);
  if (members.size == 0 || members.is_inter) return;
  const auto named = world_->RoleOfBegun(static_cast<uint32_t>(note.left));
  const Role role = RoleOf(named, note, members, Has(note, event::kRootStep));
  if (role.role != CollectiveRole::kNone) PostPart(role, note, members);
}

void PendingWaits::TakeEnded(const CollectiveEvent& note) {
  const Membership members = world_->MembersOf(note.communicator);
  const auto named = world_->RoleOfBegun(static_cast<uint32_t>(note.left));
  const Role role = RoleOf(named, note, members, Has(note, event::kRootStep));
  // Waiting of neighbours for each other is no wait state, but may be a part of the time that a call waits.
  const bool is_known = members.size != 0 && !members.is_inter && role.role != CollectiveRole::kNone;
  const bool of_some = event::Gets(note) && event::GetsOfSome(note);
  if (is_known && !role.wants && !of_some) return;
  const uint64_t stream = StreamOf(members);
  Entry part = {};
  part.place = Board::PlaceOf(stream, note.sequence);
  part.stream = stream;
  part.sequence = note.sequence;
  part.members = members.size;
  part.rank = members.rank;
  part.role = named;
  part.kind = is_known && !of_some ? Kind::kPartOperation : Kind::kPartUnknown;
  Add(part);
}

void PendingWaits::TakeStep(const CollectiveEvent& step) {
  const Board::Place place = Board::PlaceOf(step.left, step.sequence);
  const bool uncertain = Has(step, event::kUncertainStep);
  Entry entry = {};
  entry.place = place;
  entry.entered = step.entered;
  entry.left = kNoEnd;
  entry.node = step.node;
  entry.role = CollectiveRole::kLateSender;
  entry.members = 1;
  entry.after_probe = Has(step, event::kAfterProbeStep);
  entry.is_shared = Has(step, event::kMatchedStep);
  entry.answers = !Has(step, event::kUntimedStep | event::kProbedStep);
  const bool receives = event::StepOf(step) == Step::kReceived || event::StepOf(step) == Step::kArrived;
  if (receives && !Has(step, event::kProbedStep) && step.communicator != 0) {
    entry.away = step.entered - event::TicksOfAbsence(step.communicator);
    entry.was_there = (step.communicator & event::kProbedAbsence) != 0;
  }
  switch (event::StepOf(step)) {
    case Step::kSent: {
      const bool waits = Has(step, event::kSynchronousStep | event::kStandardStep);
      if (!uncertain) board_->Tell(place, step.entered, waits ? 2 : 1);
      if (!waits || !event::Gets(step)) return;
      if (uncertain) return world_->Unknown(step.node);
      entry.role = CollectiveRole::kLateReceiver;
      entry.kind = Kind::kAnswer;
      return Add(entry);
    }
    case Step::kReceived:
      if (uncertain) return world_->Unknown(step.node);
      entry.kind = Has(step, event::kProbedStep) && !entry.is_shared ? Kind::kProbe : Kind::kMessage;
      if (entry.kind == Kind::kProbe && step.communicator != 0) {
        entry.left = step.entered + step.communicator * event::kTicksOfLength;
      }
      return Add(entry);
    case Step::kArrived:
    case Step::kLeft: {
      const bool arrived = event::StepOf(step) == Step::kArrived;
      entry.kind = uncertain ? Kind::kPartUnknown : arrived ? Kind::kPartMessage : Kind::kPartAnswer;
      if (!arrived) entry.role = CollectiveRole::kLateReceiver;
      entry.is_standard = !arrived && Has(step, event::kStandardStep);
      if (entry.is_standard) {
        entry.stream = step.entered;
        entry.rank = static_cast<int32_t>(step.communicator);
      }
      return Add(entry);
    }
    case Step::kBegun: return TakeBegun(step);
    case Step::kEnded: return TakeEnded(step);
    case Step::kCall:
    case Step::kTest: return TakeCall(step);
    default: return;
  }
}

void PendingWaits::TakeCall(const CollectiveEvent& step) {
  const bool is_test = event::StepOf(step) == Step::kTest;
  Entry call = {};
  call.entered = step.entered;
  call.left = step.left;
  call.node = step.node;
  call.kind = is_test ? Kind::kTest : Kind::kCall;
  Entry* end = entries_.Add();
  if (end == nullptr) parts_lost_ = true;
  if (end != nullptr) *end = call;
  if (parts_lost_) {
    if (end != nullptr) entries_.Shrink(entries_.size() - 1);
    DropOpen();
    if (!is_test) world_->Unknown(step.node);
  }
  open_from_ = kNone;
  parts_lost_ = false;
}

void PendingWaits::Add(const Entry& entry) {
  Entry now = entry;
  const bool is_part = IsPart(now);
  if (is_part && parts_lost_) return;
  if (!is_part && now.kind != Kind::kProbe && !now.after_probe && Find(&now)) return Settle(now);
  if (entries_.size() >= most_) MakeRoom();
  Entry* place = entries_.size() < most_ ? entries_.Add() : nullptr;
  if (place == nullptr) {
    is_part ? Lose() : world_->Unknown(entry.node);
    return;
  }
  *place = now;
  if (is_part && open_from_ == kNone) open_from_ = entries_.size() - 1;
}

// Makes room for a quarter of the entries, so that each entry costs only a few steps.
void PendingWaits::MakeRoom() {
  TryMessages();
  const uint32_t room = std::max(1u, most_ / 4);
  if (entries_.size() > most_ - room) GiveUpOldest(entries_.size() - (most_ - room));
}

// Gives up entries that have had no answer for a long time: the other processes run on another machine, or pause. All
// parts of a call are given up together.
void PendingWaits::GiveUpOldest(uint32_t wanted) {
  const uint32_t closed = std::min(open_from_, entries_.size());
  uint32_t end = 0;
  bool within = false;
  for (uint32_t i = 0; i < closed && end < wanted; ++i) {
    within = IsPart(entries_[i]) || (within && entries_[i].kind < Kind::kPartOperation);
    if (!within) end = i + 1;
  }
  GiveUp(0, end);
  steps_ += entries_.size();
  std::copy(entries_.begin() + end, entries_.end(), entries_.begin());
  entries_.Shrink(entries_.size() - end);
  if (open_from_ != kNone) open_from_ -= end;
}

// Calls that only waited for their turn are settled.
void PendingWaits::GiveUp(uint32_t begin, uint32_t end) {
  uint32_t parts_from = begin;
  for (uint32_t i = begin; i < end; ++i) {
    Entry& entry = entries_[i];
    if (IsPart(entry)) {
      if (!entry.is_known) entry.kind = Kind::kPartUnknown;
    } else if (entry.kind == Kind::kCall || entry.kind == Kind::kTest) {
      SettleParts(parts_from, i, entry);
      parts_from = i + 1;
    } else {
      world_->Unknown(entry.node);
    }
  }
}

void PendingWaits::DropOpen() {
  if (open_from_ == kNone) return;
  GiveUp(open_from_, entries_.size());
  entries_.Shrink(open_from_);
  open_from_ = kNone;
}

void PendingWaits::Lose() {
  DropOpen();
  parts_lost_ = true;
  rendezvous_.DoubtAll();
}

bool PendingWaits::FindOperation(Entry* entry) {
  using Need = Board::Need;
  BoardCell cell;
  if (entry->role == CollectiveRole::kScan) {
    for (; entry->rank > 0; --entry->rank) {
      const Board::Place place = PlaceInScan(entry->stream, entry->sequence, entry->rank - 1);
      if (!board_->Take(place, Need::kGiven, 1, &cell)) return false;
      entry->ready = std::max(entry->ready, cell.last);
      entry->any = true;
    }
    return true;
  }
  const Need need = entry->role == CollectiveRole::kOneToAll ? Need::kGiven : Need::kAll;
  if (!board_->Take(entry->place, need, entry->members, &cell)) return false;
  entry->ready = cell.last;
  entry->any = cell.last != 0;
  return true;
}

bool PendingWaits::FindMessage(Entry* entry) {
  BoardCell cell;
  const bool answer = entry->role == CollectiveRole::kLateReceiver;
  const Board::Receipt receipt = {entry->entered, entry->answers, entry->is_shared, entry->away, entry->was_there};
  const bool found = answer                        ? board_->Take(entry->place, Board::Need::kAnswered, 1, &cell)
                     : entry->kind == Kind::kProbe ? board_->Look(entry->place, &cell)
                                                   : board_->TakeMessage(entry->place, receipt, &cell);
  if (!found) return false;
  entry->ready = answer ? cell.first : cell.last;
  entry->was_there = answer && cell.WasThere();
  entry->away = answer ? cell.Away() : 0;
  entry->any = true;
  return true;
}

bool PendingWaits::Find(Entry* entry) {
  if (entry->is_known || entry->kind == Kind::kPartUnknown) return true;
  const bool operation = entry->kind == Kind::kOperation || entry->kind == Kind::kPartOperation;
  entry->is_known = operation ? FindOperation(entry) : FindMessage(entry);
  return entry->is_known;
}

void PendingWaits::Settle(const Entry& entry) {
  const uint64_t until = std::min(entry.ready, entry.left);
  if (entry.any && until > entry.entered) world_->Waited(entry.node, entry.role, until - entry.entered);
}

// Whether no standard send before this call must be decided before those of this call. It need not be if their receives
// were posted before the call.
bool PendingWaits::IsInTurn(const Entry* parts, const Entry* end, const Entry& call) {
  return call.kind == Kind::kTest || std::none_of(parts, end, [&](const Entry& part) {
           return part.is_standard && part.ready > call.entered && rendezvous_.IsHeldBack(part.rank);
         });
}

void PendingWaits::HoldBack(const Entry* parts, const Entry* end, const Entry& call) {
  if (call.kind == Kind::kTest) return;
  for (const Entry* part = parts; part != end; ++part) {
    const bool is_early = part->is_known && part->ready <= call.entered;
    if (part->is_standard && !is_early) rendezvous_.HoldBack(part->rank);
  }
}

// Takes the waits away that standard sends did not have. False: this is not known of some.
bool PendingWaits::DecideStandard(Entry* parts, const Entry* end, const Entry& call) {
  bool is_known = true;
  for (Entry* part = parts; part != end; ++part) {
    if (!part->is_standard) {
      part->away = 0;  // it waits from the begin of the call
      continue;
    }
    if (part->kind == Kind::kPartUnknown) {
      rendezvous_.Doubt(part->rank, part->stream);
    } else if (call.kind == Kind::kTest || part->ready <= call.entered) {
      part->ready = 0;
    } else if (part->ready >= call.left) {
      part->was_there ? rendezvous_.LearnOfPresent(part->rank, part->stream)
                      : rendezvous_.Learn(part->rank, part->stream);
      part->ready = 0;
    } else {
      Rendezvous::Answer answer = rendezvous_.Needs(part->rank, part->stream);
      const bool needs_presence =
          answer != Rendezvous::Answer::kNo && rendezvous_.GoesToPresent(part->rank, part->stream);
      if (!needs_presence) part->away = 0;
      if (needs_presence && part->away >= part->ready) answer = Rendezvous::Answer::kNo;
      if (needs_presence && part->away == 0) answer = Rendezvous::Answer::kUnknown;
      if (answer == Rendezvous::Answer::kNo) part->ready = 0;
      is_known = is_known && answer != Rendezvous::Answer::kUnknown;
    }
  }
  return is_known;
}

// A call that completes several operations waits once, in stretches. Each stretch belongs to the operation that could
// be completed at its end.
void PendingWaits::SettleCall(Entry* parts, uint32_t count, const Entry& call) {
  Entry* const end = parts + count;
  const bool is_decided = DecideStandard(parts, end, call);
  if (call.kind == Kind::kTest) return;
  if (!is_decided) return world_->Unknown(call.node);
  if (std::any_of(parts, end, [](const Entry& part) { return part.kind == Kind::kPartUnknown; })) {
    const bool all = std::all_of(parts, end, [](const Entry& part) { return part.kind == Kind::kPartUnknown; });
    const bool messages = std::any_of(parts, end, [](const Entry& part) { return part.role != CollectiveRole::kNone; });
    if (!all || messages) world_->Unknown(call.node);
    return;
  }
  if (std::none_of(parts, end, [&](const Entry& part) { return part.ready > call.entered; })) return;
  const auto answers =
      std::partition(parts, end, [](const Entry& part) { return part.role != CollectiveRole::kLateReceiver; });
  std::sort(parts, answers, [](const Entry& one, const Entry& other) {
    return one.ready != other.ready ? one.ready < other.ready : one.role < other.role;
  });
  uint64_t ticks[std::size(event::kRolesThatWait) + 1] = {};
  uint64_t from = call.entered;
  for (const Entry* part = parts; part != answers; ++part) {
    const uint64_t until = std::min(part->ready, call.left);
    if (!part->any || until <= from) continue;
    ticks[static_cast<uint32_t>(part->role)] += until - from;
    from = until;
  }
  uint64_t answered = 0, since = kNoEnd;
  for (const Entry* part = answers; part != end; ++part) {
    answered = std::max(answered, part->ready);
    if (part->ready > call.entered) since = std::min(since, part->away);
  }
  if (since != kNoEnd) from = std::max(from, since);
  if (answered > from) ticks[static_cast<uint32_t>(CollectiveRole::kLateReceiver)] = answered - from;
  for (const CollectiveRole role : event::kRolesThatWait) {
    const uint64_t waited = ticks[static_cast<uint32_t>(role)];
    if (waited != 0) world_->Waited(call.node, role, waited);
  }
}

// Whether the message's probe still needs it: no other entry stands between the two.
bool PendingWaits::IsProbed(const Entry& message, uint32_t kept) const {
  if (!message.after_probe || kept == 0) return false;
  const Entry& before = entries_[kept - 1];
  return before.kind == Kind::kProbe && before.place.key == message.place.key;
}

// The entries from `begin` on are the call's parts and entries between them. Returns how many entries are left.
uint32_t PendingWaits::SettleParts(uint32_t begin, uint32_t end, const Entry& call) {
  Entry* const all = entries_.begin();
  Entry* parts = all + begin;
  // The partition takes memory from the heap.
  if (!std::all_of(parts, all + end, IsPart)) {
    parts = std::stable_partition(parts, all + end, [](const Entry& entry) { return !IsPart(entry); });
  }
  const auto left = static_cast<uint32_t>(parts - all);
  SettleCall(parts, end - left, call);
  return left;
}

void PendingWaits::TryMessages() {
  uint32_t kept = 0;
  uint32_t parts_from = kNone;  // first of the parts at the end whose call has not come yet
  bool all = true;              // the waiting times of all these parts are known
  steps_ += entries_.size();
  rendezvous_.NextLook();
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.kind == Kind::kCall || entry.kind == Kind::kTest) {
      const uint32_t begin = std::min(parts_from, kept);
      const Entry *const parts = entries_.begin() + begin, *const end = entries_.begin() + kept;
      if (all && IsInTurn(parts, end, entry)) {
        kept = SettleParts(begin, kept, entry);
      } else {
        HoldBack(parts, end, entry);
        entries_[kept++] = entry;
      }
      parts_from = kNone;
      all = true;
      continue;
    }
    const bool found = !IsProbed(entry, kept) && Find(&entry);
    if (IsPart(entry)) {
      if (parts_from == kNone) parts_from = kept;
      all = all && found;
    } else if (found) {
      Settle(entry);
      continue;
    }
    if (kept != i) entries_[kept] = entry;
    ++kept;
  }
  entries_.Shrink(kept);
  open_from_ = parts_from;
}

void PendingWaits::GiveUp() {
  GiveUp(0, entries_.size());
  entries_.Shrink(0);
  open_from_ = kNone;
  pages_.GiveUp(UINT32_MAX, [this](const OwnPage& page) { SettlePage(page); });
}

void PendingWaits::Take(const CollectiveEvent& note) {
  if (event::IsLink(note)) return;
  event::IsStep(note) ? TakeStep(note) : TakeOperation(note);
}

}  // namespace epik::monitor
