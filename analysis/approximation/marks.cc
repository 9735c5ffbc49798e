// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/marks.h"

#include <deque>

namespace epik::approximation {

namespace {

using event::RecordKind;

// This many events of a call that tests requests are read before replay gets them.
constexpr size_t kMostAhead = 256;

bool Completes(RecordKind kind) {
  return kind == RecordKind::kReceiveEnd || kind == RecordKind::kSendEnd || kind == RecordKind::kCollectiveEnd ||
         kind == RecordKind::kWindowSync;
}

// When replay takes the next event, it has done everything that follows from the one before.
class Watched : public replay::EventSource {
 public:
  Watched(uint32_t location, const replay::World* world, const graph::Graph* graph, graph::GraphBuilder* builder,
          std::unique_ptr<replay::EventSource> source, std::vector<Mark>* marks)
      : location_(location),
        world_(world),
        graph_(graph),
        builder_(builder),
        source_(std::move(source)),
        marks_(marks) {}

  bool Next(archive::Event* event) override {
    if (given_ > 0) Note(given_ - 1);
    ++given_;
    if (ahead_.empty()) {
      if (!source_->Next(event)) return false;
      if (!IsTest(*event)) return true;
      if (LookAhead()) builder_->TestCompletes(location_);
      return true;
    }
    *event = ahead_.front();
    ahead_.pop_front();
    return true;
  }

 private:
  bool IsTest(const archive::Event& event) const {
    const replay::Process& process = world_->processes[world_->locations[location_].process];
    return event.kind == RecordKind::kEnter && process.nodes.At(event.node).operation.role == replay::Role::kTest;
  }

  // Reads on to the end of the call that was just entered, and tells whether the call completed something.
  bool LookAhead() {
    int depth = 1;
    archive::Event event;
    bool completes = false;
    while (depth > 0 && ahead_.size() < kMostAhead && source_->Next(&event)) {
      depth += event.kind == RecordKind::kEnter ? 1 : event.kind == RecordKind::kExit ? -1 : 0;
      completes |= Completes(event.kind);
      ahead_.push_back(event);
    }
    return completes;
  }

  bool IsClosed(size_t point) const { return graph_->At({location_, static_cast<uint32_t>(point)}).end != INT64_MAX; }

  // Only the last point of a location may be open.
  void Note(uint64_t number) {
    const size_t known = marks_->size();
    if (known > 0 && marks_->back().closed == Mark::kNever && IsClosed(known - 1)) marks_->back().closed = number;
    for (size_t point = known; point < graph_->size(location_); ++point) {
      marks_->push_back({number, IsClosed(point) ? number : Mark::kNever});
    }
  }

  const uint32_t location_;
  const replay::World* world_;
  const graph::Graph* graph_;
  graph::GraphBuilder* builder_;
  std::unique_ptr<replay::EventSource> source_;
  std::vector<Mark>* marks_;
  std::deque<archive::Event> ahead_;
  uint64_t given_ = 0;
};

}  // namespace

std::unique_ptr<replay::EventSource> Marks::Watch(uint32_t location, const replay::World* world,
                                                  const graph::Graph* graph, graph::GraphBuilder* builder,
                                                  std::unique_ptr<replay::EventSource> source) {
  return std::make_unique<Watched>(location, world, graph, builder, std::move(source), &marks_[location]);
}

}  // namespace epik::approximation
