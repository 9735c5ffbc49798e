// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/room.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

namespace epik::episode {
namespace {

constexpr size_t kRoomBytes = static_cast<size_t>(Room::kEnd);
constexpr uint32_t kRoomsOfBlock = 64;
constexpr uint32_t kMostBlocks = 1024;

std::atomic<char*> blocks[kMostBlocks];  // by number of location

char* BlockOf(uint32_t number) {
  const uint32_t place = number / kRoomsOfBlock;
  if (place >= kMostBlocks) return nullptr;
  char* block = blocks[place].load(std::memory_order_acquire);
  if (block != nullptr) return block;
  constexpr size_t kBytes = kRoomBytes * kRoomsOfBlock;
  void* made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  if (blocks[place].compare_exchange_strong(block, static_cast<char*>(made))) return static_cast<char*>(made);
  munmap(made, kBytes);  // another thread was quicker
  return block;
}

}  // namespace

void* TakeRoom(const event::Location* location, Room room, uint32_t bytes) {
  char* block = location == nullptr ? nullptr : BlockOf(location->number);
  if (block == nullptr) return nullptr;
  char* mine = block + location->number % kRoomsOfBlock * kRoomBytes + static_cast<size_t>(room);
  std::memset(mine, 0, bytes);
  return mine;
}

void ForgetRooms() {
  for (std::atomic<char*>& block : blocks) {
    if (block.load(std::memory_order_relaxed) != nullptr) block.store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace epik::episode
