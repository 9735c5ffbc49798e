// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace is the same, whichever and however many threads and processes read its events.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/drivers/helpers.h"
#include "analysis/drivers/test_throws.h"
#include "analysis/graph/builder.h"
#include "analysis/graph/test_graph.h"
#include "analysis/patterns/patterns.h"
#include "analysis/replay/condenser.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_program.h"

namespace epik::drivers {
namespace {

namespace fs = std::filesystem;
using replay::EventSource;
using replay::World;
using Sources = std::vector<std::unique_ptr<EventSource>>;

// Puts calls without waits in between the events of a program, and around some.
class Busy {
 public:
  Busy(replay::Script* script, unsigned seed) : script_(script), random_(seed) {}
  void Add(const std::string& line) {
    const size_t colon = line.find(':');
    std::istringstream parts(line.substr(colon + 1));
    std::string text = line.substr(0, colon + 1);
    int open = 0, own = 0;  // frames of the program, and those added in the outermost of them
    int64_t now = 0;
    const auto say = [&](const std::string& what) { text += " " + std::to_string(now++) + " " + what + " |"; };
    for (std::string part; std::getline(parts, part, '|');) {
      std::istringstream words(part);
      int64_t time = 0;
      std::string what;
      if (!(words >> time >> what)) continue;
      const bool last = open == 1 && what == "<";
      for (int i = 0; open == 1 && i < 6; ++i) {
        if (random_() % 2 == 0 && !last) {
          say(random_() % 2 == 0 ? "> f" : "> g"), ++own;
        } else if (own > 0) {
          say("<"), --own;
        }
      }
      for (; last && own > 0; --own) say("<");
      now = std::max(now, time * 16);
      std::string rest;
      std::getline(words, rest);
      say(what + rest);
      open += what == ">" ? 1 : what == "<" ? -1 : 0;
    }
    script_->Add(text);
  }

 private:
  replay::Script* script_;
  std::mt19937 random_;
};

// All results of an analysis, in words. `by_path`: does not depend on the order within a segment.
std::string Analyze(const World& world, Sources sources, bool by_path = false) {
  graph::Graph graph(world.locations.size());
  replay::MeasuredTime time(&world);
  graph::GraphBuilder builder(&world, &graph);
  patterns::Severities severities;
  const auto patterns = patterns::MakePatterns(&severities);
  std::vector<replay::Observer*> observers = {&builder};
  for (const auto& pattern : patterns) observers.push_back(pattern.get());
  replay::Replay replay(&world, std::move(sources), &time, observers);
  replay.Run();
  builder.Finish();
  std::ostringstream text;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const graph::Point& point = graph.At({l, p});
      const auto segment = graph.Segment(point);
      std::vector<graph::Cell> cells(segment.begin(), segment.end());
      if (by_path) std::sort(cells.begin(), cells.end(), [](auto& a, auto& b) { return a.path < b.path; });
      for (const graph::Cell& cell : cells) text << cell.path << " " << cell.visits << " " << cell.ns << ", ";
      text << l << "." << p << " " << static_cast<int>(point.kind) << " " << point.path << " " << point.begin << "-"
           << point.end;
      graph.ForEachEdge(point, [&](const graph::Edge& edge) {
        text << " <- " << edge.partner.location << "." << edge.partner.point << " " << edge.from << ".." << edge.to;
      });
      text << "\n";
    }
  }
  for (const auto& row : severities.rows()) {
    text << "wait " << row.pattern << " " << row.location << " " << row.path << " " << row.ns << " " << row.instances
         << " " << row.worst.from << ".." << row.worst.to << "\n";
  }
  for (const auto& [key, ns] : causes::FindDelays(graph).costs) {
    if (by_path) break;  // rounding depends on the order within a segment
    text << "cost " << key.location << " " << key.path << " " << static_cast<int>(key.kind) << " " << ns << "\n";
  }
  text << replay.totals().events << " events, " << replay.totals().messages << " messages, "
       << replay.totals().collectives << " collectives, " << replay.totals().violations << " violations, "
       << replay.unmatched().Total() << " unmatched";
  return text.str();
}

Sources Condense(const World& world, Sources sources, replay::TimeModel* time) {
  for (uint32_t l = 0; l < sources.size(); ++l) {
    sources[l] = std::make_unique<replay::Condenser>(std::move(sources[l]), &world, l, time);
  }
  return sources;
}

std::string ByThreads(const World& world, Sources sources, unsigned threads) {
  replay::MeasuredTime time(&world);
  Lanes lanes(Condense(world, std::move(sources), &time), threads);
  return Analyze(world, lanes.Sources());
}

// Each helper calls `make`, and so does the thread that replays: it reads some locations itself, when it has time.
template <typename Make>
std::string ByHelpers(const World& world, size_t count, bool has_time, const Make& make) {
  replay::MeasuredTime time(&world);
  std::vector<Link> near, far;
  for (size_t h = 0; h < count; ++h) {
    auto [one, other] = Link::Pair();
    near.push_back(std::move(one));
    far.push_back(std::move(other));
  }
  std::vector<std::thread> processes;
  std::vector<int> status(count, -1);
  for (size_t h = 0; h < count; ++h) {
    processes.emplace_back([&, h] {
      Sources mine;
      Helper helper;
      helper.begin = [&](const std::vector<uint64_t>& words) {
        EXPECT_EQ(words, (std::vector<uint64_t>{7, 9}));
        mine = Condense(world, make(), &time);
      };
      helper.source = [&](uint32_t l) { return std::move(mine[l]); };
      helper.damage = [](uint32_t l) {
        return std::vector<std::string>{"location " + std::to_string(l) + " has a hole"};
      };
      helper.answer = [](uint32_t l, const std::vector<uint64_t>& question) {
        return std::vector<uint64_t>{l, question.at(0)};
      };
      helper.locations = world.locations.size();
      status[h] = Help(&far[h], helper);
    });
  }
  std::string first, second;
  {
    Helpers helpers(std::move(near));
    std::vector<uint64_t> bytes;
    for (size_t l = 0; l < world.locations.size(); ++l) bytes.push_back(100 * (l % 3));
    helpers.Share(bytes, has_time ? 0 : 1'000'000);
    std::vector<uint32_t> theirs;
    for (uint32_t l = 0; l < world.locations.size(); ++l) {
      if (helpers.Read(l)) theirs.push_back(l);
    }
    EXPECT_EQ(theirs.size() == world.locations.size(), !has_time || world.locations.size() <= count);
    for (std::string* result : {&first, &second}) {  // the second time from the beginning
      helpers.Begin({7, 9});
      Sources sources = Condense(world, make(), &time);
      for (const uint32_t l : theirs) sources[l] = nullptr;
      Lanes lanes(std::move(sources), 0, &helpers);
      helpers.Serve(&lanes);
      *result = Analyze(world, lanes.Sources());
      helpers.Serve(nullptr);
    }
    for (const uint32_t l : theirs) helpers.Ask(l, {5});
    for (const uint32_t l : theirs) {
      EXPECT_EQ(helpers.TakeDamage(l).at(1), "location " + std::to_string(l) + " has a hole");
      EXPECT_EQ(helpers.Answer(l), (std::vector<uint64_t>{l, 5}));
    }
    helpers.Dismiss(3);
    for (std::thread& process : processes) process.join();
  }
  EXPECT_EQ(status, std::vector<int>(count, 3));
  EXPECT_EQ(first, second);
  return first;
}

TEST(Drivers, AgreeOnRandomPrograms) {
  for (unsigned seed = 0; seed < 21; ++seed) {
    const replay::Program program(2 + static_cast<int>(seed % 6), 100, seed, /*interrupts=*/seed % 2 == 1);
    replay::Script script(program.ranks());
    Busy busy(&script, seed);
    program.Write(seed % 4 == 3 ? 1 : -1, &busy);
    const World& world = script.world();
    replay::MeasuredTime time(&world);
    EXPECT_EQ(Analyze(world, script.Sources(), true), Analyze(world, Condense(world, script.Sources(), &time), true));
    const std::string alone = Analyze(world, Condense(world, script.Sources(), &time));
    EXPECT_GT(alone.size(), 1000u);
    for (const unsigned threads : {0u, 1u, 3u}) EXPECT_EQ(alone, ByThreads(world, script.Sources(), threads));
    EXPECT_EQ(alone, ByHelpers(world, 1 + seed % 7, seed % 2 == 1, [&] { return script.Sources(); }));
  }
}

TEST(Drivers, AgreeOnNoise) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const World world = replay::AnyWorld(2 + static_cast<int>(seed % 4), seed);
    replay::MeasuredTime time(&world);
    const std::string alone = Analyze(world, Condense(world, replay::AnySources(world, seed), &time));
    EXPECT_NE(alone.find(std::to_string(400 * world.locations.size()) + " events"), alone.npos);
    EXPECT_EQ(alone, ByThreads(world, replay::AnySources(world, seed), 2));
    EXPECT_EQ(alone, ByHelpers(world, 1 + seed % 7, seed % 2 == 1, [&] { return replay::AnySources(world, seed); }));
  }
}

TEST(Condenser, LeavesOutCallsThatNobodyWaitsIn) {
  class Calls : public EventSource {
   public:
    bool Next(archive::Event* event) override {
      if (++step_ > 3'000'000) return false;
      *event = archive::Event();
      event->time = step_;
      event->kind = step_ % 2 == 0 || step_ == 1 ? event::RecordKind::kEnter : event::RecordKind::kExit;
      event->node = step_ == 1 ? 1 : 2;
      return true;
    }

   private:
    uint64_t step_ = 0;
  };
  World world;
  world.processes.resize(1);
  world.processes[0].locations = {0};
  world.processes[0].nodes.Assign({{1, {0, {}}}, {2, {1, {}}}});
  world.locations.push_back({0, 0, 0});
  world.Index();
  replay::MeasuredTime time(&world);
  replay::Condenser condenser(std::make_unique<Calls>(), &world, 0, &time);
  archive::Event event;
  uint64_t told = 0, events = 0, visits = 0;
  int64_t ns = 0;
  for (; condenser.Next(&event); ++told) {
    events += condenser.skipped().events;
    for (const replay::PathTime& cell : condenser.skipped().times) {
      visits += cell.visits;
      ns += cell.ns;
    }
  }
  EXPECT_LE(told, 4u);
  EXPECT_EQ(events, 3'000'000u);
  EXPECT_NEAR(static_cast<double>(visits), 1'500'000, 2);
  EXPECT_NEAR(static_cast<double>(ns), 3'000'000, 2);
}

TEST(Batch, GivesBackWhatWasPut) {
  Batch batch;
  archive::Event event;
  event.kind = event::RecordKind::kSend;
  event.time = ~uint64_t{0};
  event.node = 0xffffffff;
  event.made_up = true;
  event.fields = 4;
  event.field[3] = 77;
  const std::vector<replay::PathTime> times = {{5, 6, -7}, {replay::kNone, 0, INT64_MAX}};
  batch.Add(event, {times, -5, 0});
  batch.Add(archive::Event(), {});
  const std::vector<uint64_t> words = batch.words();
  replay::Skipped skipped;
  std::vector<replay::PathTime> scratch;
  archive::Event got;
  ASSERT_TRUE(batch.Take(&got, &skipped, &scratch));
  EXPECT_EQ(got.kind, event.kind);
  EXPECT_EQ(got.time, event.time);
  EXPECT_EQ(got.node, event.node);
  EXPECT_TRUE(got.made_up);
  EXPECT_EQ(got.field[3], 77u);
  EXPECT_EQ(skipped.events, 0u);
  EXPECT_EQ(skipped.until, -5);
  ASSERT_EQ(skipped.times.size(), 2u);
  EXPECT_EQ(skipped.times[0].ns, -7);
  EXPECT_EQ(skipped.times[1].path, replay::kNone);
  ASSERT_TRUE(batch.Take(&got, &skipped, &scratch));
  EXPECT_EQ(skipped.events, 1u);
  EXPECT_FALSE(batch.Take(&got, &skipped, &scratch));
  for (size_t cut = 0; cut < words.size(); ++cut) {  // events that are cut off end the lane
    Batch part(std::vector<uint64_t>(words.begin(), words.begin() + static_cast<ptrdiff_t>(cut)));
    while (part.Take(&got, &skipped, &scratch)) continue;
  }
}

TEST(Lanes, PassAnExceptionOn) {
  class Breaks : public EventSource {
    bool Next(archive::Event*) override { throw std::runtime_error("broken"); }
  };
  Sources sources;
  sources.push_back(std::make_unique<Breaks>());
  Lanes lanes(std::move(sources), 1);
  archive::Event event;
  EXPECT_THROW(lanes.Sources()[0]->Next(&event), std::runtime_error);
}

TEST(Lanes, StartNoMoreThreadsThanThereAreLocations) {
  const auto threads = [] {
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  const auto before = threads();
  const Lanes lanes(Sources(2), 500, nullptr);
  EXPECT_LE(threads(), before + 2);
}

TEST(Links, TakeNoMemoryForWhatDoesNotCome) {
  auto [near, far] = Link::Pair();
  const uint64_t head[2] = {1, uint64_t{1} << 28};
  ASSERT_EQ(write(far.descriptor(), head, sizeof head), ssize_t{sizeof head});
  { const Link gone = std::move(far); }
  Note note;
  EXPECT_FALSE(near.Receive(&note));
  EXPECT_LT(note.words.capacity(), size_t{1} << 20);
}

TEST(Links, CarryLongNotes) {
  auto [near, far] = Link::Pair();
  std::vector<uint64_t> words(300'000);
  std::iota(words.begin(), words.end(), 0u);
  std::thread other([&, link = &far] { EXPECT_TRUE(link->Send(1, 2, words)); });
  Note note;
  EXPECT_TRUE(near.Receive(&note));
  other.join();
  EXPECT_EQ(note.words, words);
}

TEST(Helpers, ThatDieAreNoticed) {
  auto [near, far] = Link::Pair();
  std::vector<Link> links;
  links.push_back(std::move(near));
  Helpers helpers(std::move(links));
  helpers.Share({1}, 1);
  Lanes lanes(Sources(1), 0, &helpers);
  helpers.Serve(&lanes);
  auto sources = lanes.Sources();
  { const Link gone = std::move(far); }
  archive::Event event;
  EXPECT_THROW(sources[0]->Next(&event), std::runtime_error);
  EXPECT_THROW(helpers.Answer(0), std::runtime_error);
  helpers.Serve(nullptr);
}

// Helpers in threads. Each reads its locations as `make` makes them, and dies when its link is shut down.
class Dying {
 public:
  Dying(size_t count, size_t locations, std::function<std::unique_ptr<EventSource>(uint32_t)> make) {
    for (size_t h = 0; h < count; ++h) {
      auto [one, other] = Link::Pair();
      near_.push_back(std::move(one));
      far_.push_back(std::move(other));
    }
    helper_.locations = locations;
    helper_.source = std::move(make);
    helper_.damage = [](uint32_t) { return std::vector<std::string>(); };
    helper_.answer = [](uint32_t l, const std::vector<uint64_t>&) { return std::vector<uint64_t>{l}; };
    for (Link& link : far_) threads_.emplace_back([this, link = &link] { Help(link, helper_); });
  }
  ~Dying() {
    for (size_t h = 0; h < far_.size(); ++h) Die(h);
  }
  std::vector<Link> TakeLinks() { return std::move(near_); }
  void Die(size_t h) {
    shutdown(far_[h].descriptor(), SHUT_RDWR);
    if (threads_[h].joinable()) threads_[h].join();
  }

 private:
  std::vector<Link> near_, far_;
  Helper helper_;
  std::vector<std::thread> threads_;
};

// A source with that number of events without meaning.
class Moments : public EventSource {
 public:
  explicit Moments(uint64_t count) : left_(count) {}
  bool Next(archive::Event* event) override {
    *event = archive::Event();
    return left_-- > 0;
  }

 private:
  uint64_t left_;
};

uint64_t CountEvents(EventSource* source) {
  uint64_t events = 0;
  for (archive::Event event; source->Next(&event);) ++events;
  return events;
}

TEST(Helpers, ThatDieAfterTheirWorkAreNotMissed) {
  Dying dying(2, 2, [](uint32_t) { return std::make_unique<Moments>(100'000); });
  Helpers helpers(dying.TakeLinks());
  for (int reading = 0; reading < 2; ++reading) {
    helpers.Share({1, 1}, 1000);
    helpers.Begin({});
    Lanes lanes(Sources(2), 0, &helpers);
    helpers.Serve(&lanes);
    auto sources = lanes.Sources();
    EXPECT_EQ(CountEvents(sources[0].get()), 100'000u);
    if (reading == 0) {
      dying.Die(0);
      EXPECT_THROW(helpers.Answer(0), std::runtime_error);  // it is noticed
    }
    EXPECT_EQ(CountEvents(sources[1].get()), 100'000u);
    helpers.Ask(1, {1});
    EXPECT_EQ(helpers.Answer(1), std::vector<uint64_t>{1});
    helpers.Serve(nullptr);
  }
  dying.Die(1);
  EXPECT_THROW(helpers.Answer(1), std::runtime_error);
  helpers.Share({1, 1}, 1000);
  EXPECT_FALSE(helpers.Read(0) || helpers.Read(1));
}

TEST(Helpers, ThatDieBeforeEndTheReading) {
  Dying dying(1, 1, [](uint32_t) { return std::make_unique<Moments>(100'000); });
  Helpers helpers(dying.TakeLinks());
  helpers.Share({1}, 1000);
  Lanes lanes(Sources(1), 0, &helpers);
  helpers.Serve(&lanes);
  auto sources = lanes.Sources();
  archive::Event event;
  ASSERT_TRUE(sources[0]->Next(&event));
  dying.Die(0);
  EXPECT_THROW(helpers.Answer(0), std::runtime_error);
  EXPECT_THROW(CountEvents(sources[0].get()), std::runtime_error);  // not all events had come
  Lanes again(Sources(1), 0, &helpers);
  helpers.Serve(&again);
  EXPECT_THROW(again.Sources()[0]->Next(&event), std::runtime_error);
  helpers.Serve(nullptr);
}

TEST(Meeting, BringsTheProcessesOfALaunchTogether) {
  using std::chrono::milliseconds;
  const std::string folder = testing::TempDir();
  Launch launch;
  launch.size = 3;
  launch.key = "/a launch of its own";
  Launch other = launch;
  other.key = "/another one";
  std::vector<std::thread> others;
  std::atomic<int> good = 0;
  for (int rank = 1; rank < 3; ++rank) {
    others.emplace_back([&, rank] {
      Link link = Join(launch, folder, milliseconds(20'000));
      Note note;
      if (!link.is_open() || !link.Receive(&note) || note.words != std::vector<uint64_t>{5}) return;
      good += link.Send(static_cast<uint32_t>(rank), 0) ? 1 : 0;
    });
  }
  std::vector<Link> links = Gather(launch, folder, milliseconds(20'000));
  EXPECT_EQ(links.size(), 2u);
  uint32_t ranks = 0;
  for (Link& link : links) {
    Note note;
    EXPECT_NE(link.whom().find(" (process " + std::to_string(getpid())), std::string::npos) << link.whom();
    EXPECT_TRUE(link.Send(1, 2, {5}));
    EXPECT_TRUE(link.Receive(&note));
    ranks += note.kind;
  }
  for (std::thread& one : others) one.join();
  EXPECT_EQ(good, 2);
  EXPECT_EQ(ranks, 3u);
  EXPECT_FALSE(Join(launch, folder, milliseconds(60)).is_open());  // the meeting is over
  EXPECT_TRUE(Gather(other, folder, milliseconds(60)).empty());    // no other process comes
  launch.key.clear();
  EXPECT_TRUE(Gather(launch, folder, milliseconds(20'000)).empty());
  EXPECT_FALSE(Join(launch, folder, milliseconds(20'000)).is_open());
  EXPECT_TRUE(Gather(other, folder + "/missing", milliseconds(20'000)).empty());
}

// A launch of two processes in a folder of their own, and the words in the file that rank 0 leaves there.
struct TwoProcesses {
  explicit TwoProcesses(const std::string& name) : folder(testing::TempDir() + "/" + name) {
    fs::create_directories(folder);
    launch.size = 2;
    launch.key = "/" + name;
  }
  std::string WaitForFile() const {
    while (true) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == "") return entry.path();  // it is put in place whole
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::string folder;
  Launch launch;
};

constexpr std::chrono::milliseconds kLong(20'000);

TEST(Meeting, OfTwoVersionsIsRefusedByBoth) {
  const TwoProcesses meeting("two versions");
  std::string joined;
  std::thread other([&] { joined = WhatItThrows([&] { Join(meeting.launch, meeting.folder, kLong, 8); }); });
  const std::string gathered = WhatItThrows([&] { Gather(meeting.launch, meeting.folder, kLong, 7); });
  other.join();
  EXPECT_EQ(gathered,
            "the processes are of different versions of epk: this one speaks protocol 7, another one of the launch "
            "speaks protocol 8");
  EXPECT_EQ(joined,
            "the processes are of different versions of epk: this one speaks protocol 8, rank 0 speaks protocol 7");
  EXPECT_TRUE(fs::is_empty(meeting.folder));
}

TEST(Meeting, RefusesAVersionWithoutANumber) {
  const TwoProcesses meeting("no number");
  std::string gathered, joined;
  std::thread zero([&] { gathered = WhatItThrows([&] { Gather(meeting.launch, meeting.folder, kLong, 7); }); });
  const std::string place = meeting.WaitForFile();
  std::string host, secret;
  uint16_t port = 0;
  std::ifstream(place) >> host >> port >> secret;
  std::ofstream(place) << host << " " << port << " " << secret << "\n";
  joined = WhatItThrows([&] { Join(meeting.launch, meeting.folder, kLong, 8); });
  EXPECT_EQ(joined,
            "the processes are of different versions of epk: this one speaks protocol 8, rank 0 speaks an earlier one "
            "without a number");
  Link old(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(old.descriptor(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(write(old.descriptor(), secret.data(), secret.size()), static_cast<ssize_t>(secret.size()));
  { const Link gone = std::move(old); }
  zero.join();
  EXPECT_EQ(gathered,
            "the processes are of different versions of epk: this one speaks protocol 7, another one of the launch "
            "speaks an earlier one without a number");
}

TEST(Launch, IsFoundInTheEnvironment) {
  std::map<std::string, std::string> set;
  const auto find = [&] {
    return FindLaunch([&](const char* name) { return set.count(name) != 0 ? set[name].c_str() : nullptr; });
  };
  EXPECT_EQ(find().size, 1);
  set = {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}};
  EXPECT_EQ(find().rank, 2);
  EXPECT_EQ(find().size, 3);
  EXPECT_TRUE(find().one_host);
  EXPECT_EQ(find().key, "");
  set["OMPI_MCA_orte_precondition_transports"] = "abc";
  EXPECT_EQ(find().key, "/abc");
  set = {{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}, {"PMI_FD", "-3"}};
  EXPECT_EQ(find().rank, 1);
  EXPECT_FALSE(find().one_host);
  set = {{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}};  // these variables contradict each other
  EXPECT_EQ(find().size, 1);
  set = {{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}};
  EXPECT_EQ(find().size, 1);
}

}  // namespace
}  // namespace epik::drivers
