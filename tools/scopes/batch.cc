// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/batch.h"

#include "runtime/abi/bytes.h"

namespace epik::scopes {

using archive::BytesIn;
using archive::BytesOut;

namespace {

template <class Row>
void GetList(BytesIn* in, std::vector<Row>* rows) {
  *rows = in->GetAll<Row>();
}

Rows GetRows(BytesIn* in) {
  Rows rows;
  Rows::ForEachList(rows, [&](auto& list) { GetList(in, &list); });
  rows.work = in->Get<Work>();
  rows.waited = in->Get<double>();
  rows.gathered = in->Get<uint64_t>();
  rows.incomplete = in->Get<uint64_t>();
  rows.unknown = in->Get<uint64_t>();
  return rows;
}

HostState GetHost(BytesIn* in) {
  HostState host;
  host.name = in->GetText();
  host.processes = in->Get<uint64_t>();
  host.paused = in->Get<uint64_t>();
  host.discarded = in->Get<uint64_t>();
  host.has_notes = in->Get<uint8_t>() != 0;
  host.has_ended = in->Get<uint8_t>() != 0;
  host.lost = in->GetText();
  return host;
}

}  // namespace

std::string PackBatch(const Batch& batch) {
  BytesOut out;
  out.Put(static_cast<uint64_t>(batch.paths.size()));
  for (const PathName& path : batch.paths) {
    out.Put(path.number);
    out.Put(path.name);
  }
  out.Put(static_cast<uint64_t>(batch.communicators.size()));
  for (const CommunicatorName& communicator : batch.communicators) {
    out.Put(communicator.id);
    out.Put(communicator.size);
    out.Put(communicator.name);
  }
  out.Put(static_cast<uint64_t>(batch.hosts.size()));
  for (const HostState& host : batch.hosts) {
    out.Put(host.name);
    out.Put(host.processes);
    out.Put(host.paused);
    out.Put(host.discarded);
    out.Put(static_cast<uint8_t>(host.has_notes));
    out.Put(static_cast<uint8_t>(host.has_ended));
    out.Put(host.lost);
  }
  out.Put(batch.program);
  out.Put(batch.ranks);
  out.Put(batch.times);
  // Both sides have the same plan, so the number of scopes is not sent. The lists have the order of Rows::ForEachList.
  for (const Rows& rows : batch.scopes) {
    Rows::ForEachList(rows, [&](const auto& list) { out.PutAll(list); });
    out.Put(rows.work);
    out.Put(rows.waited);
    out.Put(rows.gathered);
    out.Put(rows.incomplete);
    out.Put(rows.unknown);
  }
  return out.Take();
}

bool UnpackBatch(std::string_view bytes, size_t scopes, Batch* batch) {
  *batch = {};
  BytesIn in(bytes);
  // GetCount gets the least size of an entry, so that a damaged count cannot make us allocate.
  batch->paths.resize(in.GetCount(12));
  for (PathName& path : batch->paths) {
    path.number = in.Get<uint32_t>();
    path.name = in.GetText();
  }
  batch->communicators.resize(in.GetCount(20));
  for (CommunicatorName& communicator : batch->communicators) {
    communicator.id = in.Get<uint64_t>();
    communicator.size = in.Get<uint32_t>();
    communicator.name = in.GetText();
  }
  batch->hosts.resize(in.GetCount(42));
  for (HostState& host : batch->hosts) host = GetHost(&in);
  batch->program = in.GetText();
  batch->ranks = in.Get<uint32_t>();
  batch->times = in.Get<Times>();
  for (size_t i = 0; i < scopes && in.good(); ++i) batch->scopes.push_back(GetRows(&in));
  // Bytes that are left over mean damage, or a sender with another plan.
  return in.good() && in.AtEnd();
}

void MoveTimes(Rows* rows, double seconds) {
  // Other rows hold durations, which are the same for all clocks.
  for (Part& part : rows->parts) {
    part.entered += seconds;
    part.left += seconds;
  }
  for (Meeting& meeting : rows->meetings) meeting.entered += seconds;
}

}  // namespace epik::scopes
