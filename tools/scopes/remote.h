// SPDX-License-Identifier: BSD-3-Clause
// A station on another host, and the stations that are reached through it.
#ifndef EPIK_TOOLS_SCOPES_REMOTE_H_
#define EPIK_TOOLS_SCOPES_REMOTE_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/scopes/channel.h"
#include "tools/scopes/description.h"
#include "tools/scopes/station.h"

namespace epik::scopes {

struct Place {
  std::string name;  // of the host
  Address address;
};

// The request of a client that opens a station.
struct Opening {
  bool from_now = false;
  std::string plan;           // in the form of WriteDescription
  std::vector<Place> behind;  // hosts from which the station gathers
};
std::string PackOpening(const Opening& opening);
bool UnpackOpening(std::string_view bytes, Opening* opening);

// Distributes the hosts over as many children as the plan's fan-out says, each with its share of the other hosts behind
// it. `from_now`: their earlier calls are not wanted, as when they were gathered in another way before.
std::vector<std::unique_ptr<Child>> MakeChildren(const Plan& plan, const std::string& secret,
                                                 const std::vector<Place>& places, bool from_now = false);

class Remote : public Child {
 public:
  Remote(const Plan& plan, const std::string& secret, const Place& place, std::vector<Place> behind, bool from_now)
      : plan_(plan), secret_(secret), place_(place), behind_(std::move(behind)), from_now_(from_now) {}

  const std::string& name() const override { return place_.name; }
  bool Ask(double seconds) override;
  bool Answer(Batch* batch, double* behind) override;
  const std::string& why() const override { return why_; }
  void SetAddress(const std::string& host, const Address& address) override;
  std::vector<std::unique_ptr<Child>> Heirs() override;

 private:
  bool Open(Deadline until);
  bool AskTime(Deadline until);
  void Lose(const std::string& why);

  // How far the station's clock is behind ours, and how exactly we know it.
  struct Offset {
    double behind, error, when;
  };

  const Plan plan_;
  const std::string secret_;
  Place place_;
  std::vector<Place> behind_;
  std::unique_ptr<Channel> channel_;  // null: the station is lost, or was not reached yet
  std::string why_;
  Deadline until_;
  std::deque<Offset> offsets_;
  bool from_now_;        // at the next opening
  bool leaves_ = false;  // the stations behind it will be asked directly
  double retry_ = 0;     // when
  double patience_ = 1;
};

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_REMOTE_H_
