// SPDX-License-Identifier: BSD-3-Clause
// Processes that help one that replays: each reads some of the locations and sends what it found there, a batch when
// one is wanted.
#ifndef EPIK_ANALYSIS_DRIVERS_HELPERS_H_
#define EPIK_ANALYSIS_DRIVERS_HELPERS_H_

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

// The side of the one that replays.
class Helpers : public Filler {
 public:
  explicit Helpers(std::vector<Link> links);
  ~Helpers() override;

  bool IsEmpty() const { return links_.empty(); }
  // Gives each location to a process, so that all have about the same to do. The process that replays reads some
  // locations itself. `own` says how much other work it has, as if that were the size of a location.
  void Share(const std::vector<uint64_t>& sizes, uint64_t own);
  bool Read(uint32_t location) const { return owner_[location] < links_.size(); }
  // All that read begin again at the beginning, with times that `words` say (Helper).
  void Begin(const std::vector<uint64_t>& words);
  // Batches go to `lanes` from now on; null: nowhere.
  void Serve(Lanes* lanes);
  void Want(uint32_t location) override;
  // Sentences about what was wrong with a location, after its end.
  std::vector<std::string> TakeDamage(uint32_t location);
  // A question about a location that a helper reads …
  void Ask(uint32_t location, const std::vector<uint64_t>& question);
  // … and the answer, once it is there. Throws when a helper has ended too early.
  std::vector<uint64_t> Answer(uint32_t location);
  // They end, with that status.
  void Dismiss(int status);

 private:
  void Listen();
  void Take(Note* note);
  void Fail(const std::exception_ptr& why);

  std::vector<Link> links_;
  std::vector<uint32_t> owner_;  // of links_, by location
  std::vector<std::vector<std::string>> damage_;
  std::vector<std::optional<std::vector<uint64_t>>> answers_;
  std::mutex lock_;
  std::condition_variable answered_;
  Lanes* lanes_ = nullptr;
  std::exception_ptr failed_;
  int stop_[2] = {-1, -1};
  std::thread listener_;
};

// The side of a helper.
struct Helper {
  // The times that the words say.
  std::function<void(const std::vector<uint64_t>& words)> begin;
  std::function<std::unique_ptr<replay::EventSource>(uint32_t location)> source;
  std::function<std::vector<std::string>(uint32_t location)> damage;
  std::function<std::vector<uint64_t>(uint32_t location, const std::vector<uint64_t>& question)> answer;
  size_t locations = 0;
};

// Until it is dismissed: the status. When the other end is gone: 1.
int Help(Link* link, const Helper& helper);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_HELPERS_H_
