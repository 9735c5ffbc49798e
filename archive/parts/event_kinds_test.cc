// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/event_kinds.h"

#include <gtest/gtest.h>

namespace epik::archive {

namespace {

EventKind Of(const ProcessImage& image, event::Key key) {
  event::Node node = {};
  node.key = key;
  return EventKinds(image).Of(node);
}

void Expect(const EventKind& kind, Doing doing, double pairs) {
  EXPECT_EQ(kind.doing, doing);
  EXPECT_DOUBLE_EQ(kind.pairs, pairs);
}

TEST(EventKinds, TellFunctionsConstructsAndRegions) {
  ProcessImage image;
  image.regions[20] = {"MPI_Recv", "", -1, event::Role::kFunction, event::Paradigm::kMpi};
  image.regions[21] = {"omp_set_lock", "", -1, event::Role::kFunction, event::Paradigm::kOpenMp};
  image.regions[22] = {"solve", "", -1, event::Role::kUser, event::Paradigm::kUser};
  image.regions[23] = {"MPI_Wtime", "", -1, event::Role::kFunction, event::Paradigm::kMpi};
  Expect(Of(image, 0x401000), Doing::kCall, 1);
  EXPECT_EQ(Of(image, event::RegionKey(23)).doing, Doing::kWorkMpi);
  Expect(Of(image, event::RegionKey(20)), Doing::kWaitMpi, 1.05);
  Expect(Of(image, event::RegionKey(21)), Doing::kWaitOpenMp, 0.8);
  Expect(Of(image, event::RegionKey(22)), Doing::kCall, 1);
  Expect(Of(image, event::RegionKey(99)), Doing::kCall, 1);  // not defined
  Expect(Of(image, event::RegionKey(event::kMeasurementRegion)), Doing::kOwn, 0);
  Expect(Of(image, event::RegionKey(event::kIdleRegion)), Doing::kWaitOpenMp, 0.8);
  Expect(Of(image, event::RegionKey(event::kDisplacedMetric)), Doing::kNothing, 0);
}

TEST(EventKinds, KnowTheRuntimeOfConstructs) {
  ProcessImage image;
  const event::Key barrier = event::ConstructKey(event::Construct::kBarrier, 0x401000);
  const event::Key loop = event::ConstructKey(event::Construct::kLoopDynamic, 0x401000);
  Expect(Of(image, barrier), Doing::kWaitOpenMp, 0.85);
  Expect(Of(image, loop), Doing::kWorkOpenMp, 0.8);
  image.modules.push_back({{}, "", "/usr/lib/libomp.so.5"});
  Expect(Of(image, barrier), Doing::kWaitOpenMp, 1.95);
  Expect(Of(image, loop), Doing::kWorkOpenMp, 2.4);
  // No compiler makes such a construct.
  Expect(Of(image, event::ConstructKey(static_cast<event::Construct>(127), 0x401000)), Doing::kWorkOpenMp, 1);
}

TEST(EventKinds, KnowTheProcessor) {
  ProcessImage image;
  image.header.hides_little = 1;
  image.regions[20] = {"MPI_Recv", "", -1, event::Role::kFunction, event::Paradigm::kMpi};
  Expect(Of(image, event::RegionKey(20)), Doing::kWaitMpi, 1.25);
  Expect(Of(image, event::ConstructKey(event::Construct::kBarrier, 0x401000)), Doing::kWaitOpenMp, 0.8);
}

}  // namespace
}  // namespace epik::archive
