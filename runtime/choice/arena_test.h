// SPDX-License-Identifier: BSD-3-Clause
// A measurement for tests that send events through the doors of hooks.
#ifndef EPIK_RUNTIME_CHOICE_ARENA_TEST_H_
#define EPIK_RUNTIME_CHOICE_ARENA_TEST_H_

#include <gtest/gtest.h>

#include <string>

#include "archive/image/process_image.h"
#include "runtime/base/arena.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"
#include "runtime/epitome/call_tree_hot.h"

namespace epik::choice {

class ArenaTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kArenaBytes = 64u << 20;
  static constexpr uint64_t kStack = 1u << 20;
  static constexpr event::Key kOuter = 0x400000, kInner = 0x400100, kLeaf = 0x400200;

  void SetUp() override {
    episode::ForgetAll();
    episode::ForgetModules();
    epitome::path_limit = 0;
    episode::frame_limit = 0;
    episode::first_frames = 16;
    episode::thread_limit = 0;
    ASSERT_EQ(base::Arena::Create(nullptr, kArenaBytes), 0);
    ASSERT_TRUE(epitome::OpenTables(kArenaBytes));
  }
  // Called after the tested part has forgotten its state.
  void TearDown() override {
    episode::ForgetAll();
    episode::ForgetDefinitions();
    base::Arena::Destroy();
    epitome::CloseTables();
  }

  // Reads the arena as it is now.
  static archive::ProcessImage Image() {
    archive::ProcessImage image;
    std::string error;
    EXPECT_TRUE(archive::ReadProcessImage(base::arena_base, kArenaBytes, &image, &error)) << error;
    return image;
  }
};

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_ARENA_TEST_H_
