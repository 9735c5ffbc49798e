// SPDX-License-Identifier: BSD-3-Clause
// Processes that help the one that replays. Each reads some of the locations, and sends a batch of its results when one
// is wanted.
#ifndef EPIK_ANALYSIS_DRIVERS_HELPERS_H_
#define EPIK_ANALYSIS_DRIVERS_HELPERS_H_

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/drivers/lanes.h"
#include "analysis/drivers/link.h"

namespace epik::drivers {

// The side of the process that replays.
class Helpers : public Filler {
 public:
  // A helper that is silent for `patience` is given up.
  explicit Helpers(std::vector<Link> links, std::chrono::milliseconds patience = kPatience);
  ~Helpers() override;

  bool IsEmpty() const { return links_.empty(); }
  // Gives each location to a process, so that all have about the same work. The process that replays reads some
  // locations itself, and those of processes that have ended. `own` says how much other work it has, as if that were
  // the size of a location.
  void Share(const std::vector<uint64_t>& sizes, uint64_t own);
  bool Read(uint32_t location) const { return owner_[location] < links_.size(); }
  // All helpers begin to read again from the beginning, with the times that the words give (Helper).
  void Begin(const std::vector<uint64_t>& words);
  // Batches go to `lanes` from now on; null: nowhere.
  void Serve(Lanes* lanes);
  void Want(uint32_t location) override;
  // Sentences about the damage of a location; call it after the location's end.
  std::vector<std::string> TakeDamage(uint32_t location);
  // Asks a question about a location that a helper reads …
  void Ask(uint32_t location, const std::vector<uint64_t>& question);
  // … and waits for its answer. Throws when that helper has ended too early, or when the time is over.
  std::vector<uint64_t> Answer(uint32_t location, const archive::TimeLimit& limit = {});
  // Ends all helpers, with that status.
  void Dismiss(int status);

 private:
  void Listen();
  void Hear(size_t link);
  void CountSilence();
  void Take(Note* note);
  void Fail(size_t link, std::exception_ptr why);

  const std::chrono::milliseconds patience_;
  std::vector<Link> links_;
  std::vector<uint32_t> owner_;             // index in links_, by location
  std::vector<std::exception_ptr> failed_;  // by link: why it is gone; null: it is not
  std::vector<std::vector<std::string>> damage_;
  std::vector<std::optional<std::vector<uint64_t>>> answers_;
  std::mutex lock_;
  std::condition_variable answered_;
  Lanes* lanes_ = nullptr;
  int stop_[2] = {-1, -1};
  std::optional<Pulse> pulse_;
  struct Heard {
    uint32_t missed = 0;  // beats since the last note
    bool gone = false;
  };
  std::vector<Heard> heard_;  // by link; the listener alone uses it
  std::thread listener_;
};

// The side of a helper.
struct Helper {
  // Begins to read, with the times that the words give.
  std::function<void(const std::vector<uint64_t>& words)> begin;
  std::function<std::unique_ptr<replay::EventSource>(uint32_t location)> source;
  std::function<std::vector<std::string>(uint32_t location)> damage;
  std::function<std::vector<uint64_t>(uint32_t location, const std::vector<uint64_t>& question)> answer;
  size_t locations = 0;
};

// Helps until it is dismissed, and returns the status. Returns 1 when the other end is gone, and throws when it is
// silent. The caller keeps a Pulse of the link, because rank 0 gives up a helper that is silent.
int Help(Link* link, const Helper& helper);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_HELPERS_H_
