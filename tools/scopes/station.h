// SPDX-License-Identifier: BSD-3-Clause
// One place of the tree along which scopes are gathered: it has the arenas of its own host, other stations below it, or
// both. The station above it pulls; no station sends by itself.
#ifndef EPIK_TOOLS_SCOPES_STATION_H_
#define EPIK_TOOLS_SCOPES_STATION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/scopes/batch.h"
#include "tools/scopes/channel.h"
#include "tools/scopes/description.h"
#include "tools/scopes/scope.h"

namespace epik::scopes {

// Numbers of call paths at one station.
class Paths {
 public:
  uint32_t NumberOf(const std::string& name);
  const std::string& NameOf(uint32_t number) const { return names_[number]; }
  size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<std::string> names_;
};

// The processes of a station's own host.
class Own {
 public:
  virtual ~Own() = default;
  // Reads new notes into the scopes, and describes the host in the batch.
  virtual void Read(Paths* paths, std::vector<Scope>* scopes, Batch* batch) = 0;
  // Whether notes will be overwritten soon unless they are read.
  virtual bool IsFilling() const { return false; }
};

// A station below, on this host or another.
class Child {
 public:
  virtual ~Child() = default;
  virtual const std::string& name() const = 0;
  // Asks for new data. A caller that asks all children first and hears their answers afterwards lets them work at the
  // same time. False: the child cannot be asked now.
  virtual bool Ask(double seconds) = 0;
  // Gives its rows, and how far its clock is behind ours. False: it is lost, and why() says why.
  virtual bool Answer(Batch* batch, double* behind) = 0;
  virtual const std::string& why() const = 0;
  // Tells the present address of a host, if it is this one or one behind it: a host that was started anew has another
  // port.
  virtual void SetAddress(const std::string& host, const Address& address) { (void)host, (void)address; }
  // Stations that were reached through this one. Each becomes a child itself.
  virtual std::vector<std::unique_ptr<Child>> Heirs() { return {}; }
};

class Station {
 public:
  Station(const Plan& plan, std::unique_ptr<Own> own, bool at_root);

  void Add(std::unique_ptr<Child> child);
  // The child of that name, or null.
  Child* Find(const std::string& name) const;
  void SetAddress(const std::string& host, const Address& address);

  // Reads the arenas of this host before the next pull if notes would be overwritten until then. False: there was no
  // need.
  bool ReadIfFilling();

  // Takes the new rows of this station and of all below it. A station that does not answer within so many seconds is
  // lost.
  Batch Pull(double seconds);

  const Paths& paths() const { return paths_; }

 private:
  struct Below {
    std::unique_ptr<Child> child;
    std::vector<uint32_t> paths;   // our numbers, by its
    std::vector<HostState> hosts;  // its latest states
    bool asked = false;
  };

  void ReadOwn(Batch* batch);
  bool Take(Below* below, Batch* batch);
  bool Translate(Below* below, Batch* theirs);
  void Lose(Below* below);
  void Define(const std::vector<CommunicatorName>& communicators, Batch* batch);
  void TakeScopes(Batch* batch);

  const Plan plan_;
  const bool at_root_;
  std::unique_ptr<Own> own_;
  std::vector<Below> below_;
  std::vector<std::unique_ptr<Child>> heirs_;
  std::vector<Scope> scopes_;
  std::vector<double> taken_;  // when, by scope
  Batch next_;                 // read before the next pull
  double may_read_ = 0;        // not before, so that reading takes no more than a fifth of the time
  std::map<uint64_t, CommunicatorName> communicators_;
  std::string program_;
  uint32_t ranks_ = 0;
  double began_ = 0;  // Times::began of all batches
  Paths paths_;
  size_t told_ = 0;  // of the paths
};

// Seconds of this host's clock, to which times in batches refer.
double NowSeconds();

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_STATION_H_
