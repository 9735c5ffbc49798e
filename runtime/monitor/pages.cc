// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/pages.h"

#include <algorithm>
#include <bit>

#include "runtime/monitor/shared_lock.h"

namespace epik::monitor {

namespace {

constexpr uint64_t kRoomy = 2;  // of the four pages of a bucket
constexpr uint32_t kMostMembers = UINT16_MAX;
constexpr uint32_t kWholePage = ~uint32_t{0};

// The place of the lowest bit. REQUIRES: there is one.
uint32_t Lowest(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

// Calls use(i) for each bit.
template <class Use>
inline void ForEachBit(uint32_t mask, Use use) {
  if (mask == kWholePage) {
    for (uint32_t i = 0; i < kOperationsOfPage; ++i) use(i);
    return;
  }
  for (; mask != 0; mask &= mask - 1) use(Lowest(mask));
}

}  // namespace

uint64_t Pages::BytesFor(uint64_t pages) {
  return std::bit_ceil(std::max<uint64_t>(1, pages / kRoomy)) * sizeof(Bucket);
}

void Pages::Open(void* memory, uint64_t pages) {
  buckets_ = static_cast<Bucket*>(memory);
  mask_ = BytesFor(pages) / sizeof(Bucket) - 1;
}

Pages::Page* Pages::Find(Bucket* bucket, uint64_t key) {
  for (uint32_t i = 0; i < kPages; ++i) {
    if (bucket->keys[i] == key) return &bucket->pages[i];
  }
  return nullptr;
}

// Drops the oldest page when no page is free. Processes that need it will not find it.
Pages::Page* Pages::Make(Bucket* bucket, uint64_t key) {
  Page* page = Find(bucket, 0);
  if (page == nullptr) {
    page = std::min_element(bucket->pages, bucket->pages + kPages,
                            [](const Page& one, const Page& other) { return one.latest < other.latest; });
    *page = {};
  }
  bucket->keys[page - bucket->pages] = key;
  return page;
}

void Pages::Tell(const PagePart& part, Page* page) {
  if (part.tells == 0) return;
  ForEachBit(part.tells, [&](uint32_t i) { ++page->parts[i]; });
  ForEachBit(part.gives & ~page->given, [&](uint32_t i) {
    page->last[i] = part.last[i];
    page->first[i] = part.first[i];
  });
  ForEachBit(part.gives & page->given, [&](uint32_t i) {
    page->last[i] = std::max(page->last[i], part.last[i]);
    page->first[i] = std::min(page->first[i], part.first[i]);
  });
  page->there |= part.tells;
  page->given |= part.gives;
  page->told += static_cast<uint32_t>(std::popcount(part.tells));
  page->open += static_cast<uint32_t>(std::popcount(part.tells & (part.all | part.given)));
  page->latest = std::max(page->latest, part.last[31 - std::countl_zero(part.tells)]);
}

void Pages::Take(const PagePart& part, uint32_t members, Page* page, PageNews* news) {
  const uint32_t needs = part.all | part.given;
  news->gone = needs & ~page->there;
  if (!part.takes) return;
  uint32_t found = part.given & page->given;
  const bool all_told = page->told >= members * kOperationsOfPage;
  const uint32_t asked = part.all & page->there;
  if (all_told) found |= asked;
  ForEachBit(all_told ? 0 : asked, [&](uint32_t i) { found |= uint32_t{page->parts[i] >= members} << i; });
  const uint32_t lacks = needs & ~news->gone & ~found;
  if (part.in_order && lacks != 0) found &= (lacks & (~lacks + 1)) - 1;
  ForEachBit(found, [&](uint32_t i) {
    news->last[i] = page->last[i];
    news->first[i] = page->first[i];
  });
  news->found = found;
  news->given = found & page->given;
  page->open -= std::min(page->open, static_cast<uint32_t>(std::popcount(found)));
}

bool Pages::Exchange(const Board::Place& place, uint32_t members, const PagePart& part, PageNews* news) {
  news->found = news->given = news->gone = 0;
  if (buckets_ == nullptr || members > kMostMembers) return false;
  if (__atomic_load_n(&buckets_->broken, __ATOMIC_RELAXED) != 0) return false;
  Bucket* bucket = &buckets_[place.home & mask_];
  if (!TakeSharedLock(&bucket->lock)) {
    __atomic_store_n(&buckets_->broken, 1, __ATOMIC_RELAXED);
    return false;
  }
  Page* page = Find(bucket, place.key);
  if (page == nullptr && part.tells != 0) page = Make(bucket, place.key);
  if (page == nullptr) {
    news->gone = part.all | part.given;
  } else {
    Tell(part, page);
    Take(part, members, page, news);
    const bool whole = page->told >= members * static_cast<uint32_t>(std::popcount(page->there));
    if (whole && page->open == 0) {
      bucket->keys[page - bucket->pages] = 0;
      *page = {};
    }
  }
  LeaveSharedLock(&bucket->lock);
  return true;
}

}  // namespace epik::monitor
