// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/own_pages.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace epik::monitor {

namespace {

uint32_t Count(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

}  // namespace

// Without room for the index, each call of the communicator makes a page of its own.
void OwnPages::Index(uint32_t communicator, uint32_t place) {
  uint32_t* slot = communicator < kMostIndexed ? newest_.Slot(communicator) : nullptr;
  if (slot != nullptr) *slot = place;
}

void OwnPages::CloseIdle() {
  for (OwnPage& page : own_) {
    if (!page.closed && page.there == page.seen) page.closed = has_new_ = true;
    page.seen = page.there;
  }
}

OwnPage* OwnPages::Begin(uint32_t communicator, uint32_t sequence, const Membership& members) {
  OwnPage* before = NewestOf(communicator);
  if (before != nullptr && !before->closed) before->closed = has_new_ = true;
  OwnPage* page = own_.Add();  // all zeros
  if (page == nullptr) return nullptr;
  Index(communicator, own_.size());
  page->id = members.id;
  page->communicator = communicator;
  page->number = sequence / kOperationsOfPage;
  page->members = members.size;
  return page;
}

void OwnPages::FetchOne(OwnPage* page, bool takes) {
  PagePart part;
  part.last = page->entered;
  part.first = rules_.by_exits ? page->left : page->entered;
  part.tells = page->there & ~page->told;
  part.gives = page->gives & part.tells;
  part.all = page->all;
  part.given = page->given;
  part.takes = takes;
  part.in_order = rules_.in_order;
  PageNews* news = &page->news;
  const Board::Place place = Board::PlaceOf(page->id ^ rules_.salt, page->number);
  if (!pages_->Exchange(place, page->members, part, news)) news->gone = page->all | page->given;
  page->told = page->there;
  const uint32_t known = news->found | news->gone;
  open_ -= Count(known);
  page->all &= ~known;
  page->given &= ~known;
}

void OwnPages::Fetch(Which which) {
  has_new_ = false;
  uint32_t tries = 0;              // exchanges without success: others are behind, or gone
  uint64_t lacking[kMostLacking];  // communicators; if there are more, the others wait for the next exchange
  uint32_t lacks = 0;
  const auto waits = [&](uint64_t id) {
    return rules_.in_order && (lacks == kMostLacking || std::find(lacking, lacking + lacks, id) != lacking + lacks);
  };
  for (OwnPage& page : own_) {
    page.news.found = page.news.gone = 0;
    const bool behind = waits(page.id), is_new = page.told != page.there;
    const bool fetches = which == Which::kAll || (page.closed && (is_new || tries < kMostTries));
    if (fetches && (is_new || !behind)) FetchOne(&page, !behind);
    if (fetches && !is_new && (page.all | page.given) != 0) ++tries;
    if (!behind && (page.all | page.given) != 0 && lacks < kMostLacking) lacking[lacks++] = page.id;
  }
}

void OwnPages::Drop(OwnPage* page) {
  page->news.found = 0;
  page->news.gone = page->all | page->given;
  open_ -= Count(page->news.gone);
  page->all = page->given = 0;
  page->told = page->there;
}

// Drops pages that this thread needs no longer. A later call on such a page makes a new page of that number.
void OwnPages::Clean() {
  uint32_t kept = 0;
  for (const OwnPage& page : own_) {
    const bool done = page.told == page.there && (page.all | page.given) == 0;
    const bool is_newest = NewestOf(page.communicator) == &page;
    if (is_newest) Index(page.communicator, done ? 0 : kept + 1);
    if (done) continue;
    if (&own_[kept] != &page) std::memcpy(&own_[kept], &page, sizeof page);
    ++kept;
  }
  own_.Shrink(kept);
}

}  // namespace epik::monitor
