// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/remote.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/abi/bytes.h"

namespace epik::scopes {

using archive::BytesIn;
using archive::BytesOut;

namespace {

constexpr double kConnectSeconds = 1;
constexpr double kLongestPatience = 60;  // between attempts to reach a lost host
constexpr size_t kMostOffsets = 16;
constexpr double kDrift = 50e-6;  // seconds a second, for clocks that are not synchronized
// The share of its time that a station leaves to the stations behind it.
constexpr double kShareBehind = 0.75;

}  // namespace

std::string PackOpening(const Opening& opening) {
  BytesOut out;
  out.Put(static_cast<uint8_t>(opening.from_now));
  out.Put(opening.plan);
  out.Put(static_cast<uint64_t>(opening.behind.size()));
  for (const Place& place : opening.behind) {
    out.Put(place.name);
    out.Put(place.address.host);
    out.Put(place.address.port);
  }
  return out.Take();
}

bool UnpackOpening(std::string_view bytes, Opening* opening) {
  *opening = {};
  BytesIn in(bytes);
  opening->from_now = in.Get<uint8_t>() != 0;
  opening->plan = in.GetText();
  opening->behind.resize(in.GetCount(18));
  for (Place& place : opening->behind) {
    place.name = in.GetText();
    place.address.host = in.GetText();
    place.address.port = in.Get<uint16_t>();
  }
  return in.good() && in.AtEnd();
}

std::vector<std::unique_ptr<Child>> MakeChildren(const Plan& plan, const std::string& secret,
                                                 const std::vector<Place>& places, bool from_now) {
  std::vector<std::unique_ptr<Child>> children;
  const size_t most = plan.fan_out == 0 ? places.size() : std::min<size_t>(plan.fan_out, places.size());
  for (size_t i = 0; i < most; ++i) {
    // Neighbours in the list stay together: i * size / most, so that shares differ by one at most.
    const size_t begin = i * places.size() / most, end = (i + 1) * places.size() / most;
    const std::vector<Place> behind(places.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                                    places.begin() + static_cast<std::ptrdiff_t>(end));
    children.push_back(std::make_unique<Remote>(plan, secret, places[begin], behind, from_now));
  }
  return children;
}

void Remote::Lose(const std::string& why) {
  channel_.reset();
  why_ = why;
  retry_ = NowSeconds() + patience_;
  patience_ = std::min(2 * patience_, kLongestPatience);
}

bool Remote::Open(Deadline until) {
  std::string error;
  channel_ = Channel::Connect(place_.address, secret_, std::min(until, In(kConnectSeconds)), &error);
  if (channel_ == nullptr) {
    Lose(error);
    return false;
  }
  const Opening opening = {from_now_, WriteDescription(plan_), behind_};
  Frame answer;
  if (!channel_->Send(Kind::kOpen, PackOpening(opening), until) || !channel_->Receive(&answer, until)) {
    Lose(channel_->error());
    return false;
  }
  if (answer.kind != Kind::kOpened) {
    Lose(answer.kind == Kind::kRefused ? "refuses: " + answer.payload : "answers something else");
    return false;
  }
  from_now_ = true;
  offsets_.clear();
  return true;
}

// The quickest of the latest exchanges is the most exact. An old exchange is less exact, because clocks drift apart.
bool Remote::AskTime(Deadline until) {
  const double asked = NowSeconds();
  Frame answer;
  if (!channel_->Send(Kind::kTime, "", until) || !channel_->Receive(&answer, until)) return false;
  const double heard = NowSeconds();
  BytesIn in(answer.payload);
  const auto theirs = in.Get<double>();
  if (answer.kind != Kind::kNow || !in.good()) return false;
  offsets_.push_back({(asked + heard) / 2 - theirs, (heard - asked) / 2, heard});
  if (offsets_.size() > kMostOffsets) offsets_.pop_front();
  return true;
}

bool Remote::Ask(double seconds) {
  until_ = In(seconds);
  if (leaves_) return true;  // Answer then reports the host as lost
  if (channel_ == nullptr && (NowSeconds() < retry_ || !Open(until_))) return false;
  BytesOut out;
  out.Put(seconds * kShareBehind);
  if (AskTime(until_) && channel_->Send(Kind::kPull, out.Take(), until_)) return true;
  // Answer says that it is lost.
  why_ = channel_->error();
  return true;
}

bool Remote::Answer(Batch* batch, double* behind) {
  if (std::exchange(leaves_, false)) {
    Lose("is asked anew, because a host behind it has another address");
    retry_ = 0;
    patience_ = 1;
    return false;
  }
  Frame answer;
  const bool good = channel_->error().empty() && channel_->Receive(&answer, until_) && answer.kind == Kind::kBatch &&
                    UnpackBatch(answer.payload, plan_.scopes.size(), batch);
  if (!good) {
    Lose(channel_->error().empty() ? "sends what makes no sense" : channel_->error());
    return false;
  }
  const double now = NowSeconds();
  const auto worth = [&](const Offset& offset) { return offset.error + (now - offset.when) * kDrift; };
  const auto best = std::min_element(offsets_.begin(), offsets_.end(),
                                     [&](const Offset& a, const Offset& b) { return worth(a) < worth(b); });
  *behind = best == offsets_.end() ? 0 : best->behind;
  // The same clock: processes of one machine, as in containers, keep their order.
  if (best != offsets_.end() && std::abs(best->behind) <= best->error) *behind = 0;
  patience_ = 1;
  why_.clear();
  return true;
}

// The station knows only the old address of a host behind it. So we leave it as if it were lost, and ask it anew
// without the hosts behind it.
void Remote::SetAddress(const std::string& host, const Address& address) {
  const auto behind = std::find_if(behind_.begin(), behind_.end(), [&](const Place& p) { return p.name == host; });
  const bool is_behind = behind != behind_.end();
  Place* place = is_behind ? &*behind : &place_;
  const bool is_news = (is_behind || host == place_.name) &&
                       (address.host != place->address.host || address.port != place->address.port);
  if (!is_news) return;
  place->address = address;
  retry_ = 0;
  leaves_ = is_behind;
}

std::vector<std::unique_ptr<Child>> Remote::Heirs() {
  if (behind_.empty()) return {};
  return MakeChildren(plan_, secret_, std::exchange(behind_, {}), from_now_);
}

}  // namespace epik::scopes
