// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/rows.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace epik::archive {

namespace {

// Rank 0 holds at most one batch of other processes' values. Each batch is a round of messages. A single process sends
// none and uses small batches, so that its values are not in memory twice.
constexpr size_t kBatchBytes = 8u << 20;
constexpr size_t kRowsAlone = 4096;

std::string PackBits(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << i % 8);
  }
  return bytes;
}

void OrBits(const std::string& bytes, std::vector<bool>* bits) {
  for (size_t i = 0; i < bits->size() && i / 8 < bytes.size(); ++i) {
    if ((bytes[i / 8] >> i % 8 & 1) != 0) (*bits)[i] = true;
  }
}

std::string PackPlan(const std::vector<OutMetric>& metrics, uint64_t batch_rows) {
  BytesOut bytes;
  bytes.Put(batch_rows);
  bytes.Put(static_cast<uint64_t>(metrics.size()));
  for (const OutMetric& metric : metrics) {
    bytes.Put(metric.type);
    bytes.PutAll(metric.sources);
    bytes.Put(static_cast<uint64_t>(metric.used.size()));
    bytes.Put(PackBits(metric.used));
  }
  return bytes.Take();
}

std::vector<OutMetric> UnpackPlan(const std::string& text, uint64_t* batch_rows) {
  BytesIn bytes(text);
  *batch_rows = bytes.Get<uint64_t>();
  std::vector<OutMetric> metrics(bytes.GetCount(sizeof(uint64_t)));
  for (OutMetric& metric : metrics) {
    metric.type = bytes.Get<Type>();
    metric.sources = bytes.GetAll<uint32_t>();
    const auto paths = bytes.Get<uint64_t>();
    const std::string bits = bytes.GetText();
    metric.used.resize(std::min<uint64_t>(paths, bits.size() * 8));
    OrBits(bits, &metric.used);
  }
  return metrics;
}

struct Row {
  uint32_t metric, path;
};

// Goes through the rows that have a value in some process.
class Rows {
 public:
  explicit Rows(const std::vector<OutMetric>& metrics) : metrics_(metrics) {}

  // Returns the next rows, at most `most` of them; none at the end.
  std::vector<Row> Next(size_t most) {
    std::vector<Row> rows;
    for (; metric_ < metrics_.size(); ++metric_, path_ = 0) {
      const std::vector<bool>& used = metrics_[metric_].used;
      for (; path_ < used.size(); ++path_) {
        if (rows.size() == most) return rows;
        if (used[path_]) rows.push_back({metric_, path_});
      }
    }
    return rows;
  }

 private:
  const std::vector<OutMetric>& metrics_;
  uint32_t metric_ = 0, path_ = 0;
};

void AddCell(Type type, uint64_t from, uint64_t* to) {
  const double a = std::bit_cast<double>(*to), b = std::bit_cast<double>(from);
  switch (type) {
    case Type::kUint64: *to += from; break;
    case Type::kDouble: *to = std::bit_cast<uint64_t>(a + b); break;
    case Type::kMin: *to = std::bit_cast<uint64_t>(std::min(a, b)); break;
    case Type::kMax: *to = std::bit_cast<uint64_t>(std::max(a, b)); break;
  }
}

// When a call path is folded into its parent, its times and sums are added, its visits are not: they are part of a
// visit of the parent.
bool Counts(const ProcessPart& part, const Mapping& mapping, const Value& value) {
  if (value.metric == kTime || value.metric >= kFirstOtherMetric) return true;
  const std::vector<CallPath>& paths = part.definitions.paths;
  if (value.path >= paths.size() || paths[value.path].parent == kNone) return true;
  return mapping.paths[value.path] != mapping.paths[paths[value.path].parent];
}

// The values of this process's locations, with the numbers of the job. The values of a metric are sorted by call path
// when its rows begin, so that nearly all values are in memory only once.
class OwnRows {
 public:
  OwnRows(const Contribution& mine, const std::vector<OutMetric>& metrics) : mine_(mine), metrics_(metrics) {
    for (const ProcessPart& part : *mine.parts) columns_ += part.locations.size();
    for (const Mapping& mapping : *mine.mappings) {
      for (const uint32_t path : mapping.paths) {
        if (path != kNone) paths_ = std::max(paths_, size_t{path} + 1);
      }
    }
  }

  // Makes a block: the rows of a batch that have a value in this process, each with its place in the batch.
  std::string Block(const std::vector<Row>& rows) {
    BytesOut entries;
    uint64_t used = 0;
    std::vector<uint64_t> cells(columns_);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!Fill(rows[i], &cells)) continue;
      entries.Put(static_cast<uint32_t>(i));
      for (const uint64_t cell : cells) entries.Put(cell);
      ++used;
    }
    BytesOut block;
    block.Put(static_cast<uint64_t>(columns_));
    block.Put(used);
    return block.Take() + entries.Take();
  }

 private:
  struct Cell {
    uint64_t bits;
    uint32_t column;
  };

  // Calls `take(path, cell)` for each value of a metric, in the order of locations, so that sums of floating-point
  // numbers are the same each time.
  template <typename Take>
  void ForEach(uint32_t metric, const Take& take) const {
    uint32_t column = 0;
    for (size_t p = 0; p < mine_.parts->size(); ++p) {
      const ProcessPart& part = (*mine_.parts)[p];
      const Mapping& mapping = (*mine_.mappings)[p];
      for (const std::vector<Value>& location : part.locations) {
        for (uint32_t local = 0; local < mapping.metrics.size(); ++local) {
          if (mapping.metrics[local] != metric) continue;
          const auto first = std::partition_point(location.begin(), location.end(),
                                                  [&](const Value& value) { return value.metric < local; });
          for (auto value = first; value != location.end() && value->metric == local; ++value) {
            const uint32_t path = mapping.paths[value->path];
            if (path != kNone && Counts(part, mapping, *value)) take(path, Cell{value->cell, column});
          }
        }
        ++column;
      }
    }
  }

  // Sorts the values of one metric for its rows, by counting the values of each call path.
  void Open(uint32_t metric) {
    open_ = metric;
    begins_.assign(paths_ + 1, 0);
    for (const uint32_t source : metrics_[metric].sources) {
      ForEach(source, [this](uint32_t path, const Cell&) { ++begins_[path + 1]; });
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    cells_.resize(begins_.back());
    for (const uint32_t source : metrics_[metric].sources) {
      ForEach(source, [this](uint32_t path, const Cell& cell) { cells_[begins_[path]++] = cell; });
    }
    // Each begin has moved to the place of the next one.
    std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
    begins_[0] = 0;
  }

  bool Fill(Row row, std::vector<uint64_t>* cells) {
    if (row.metric != open_) Open(row.metric);
    if (row.path >= paths_ || begins_[row.path] == begins_[row.path + 1]) return false;
    const Type type = metrics_[row.metric].type;
    std::fill(cells->begin(), cells->end(), Values::EmptyBits(type));
    for (size_t i = begins_[row.path]; i < begins_[row.path + 1]; ++i) {
      AddCell(type, cells_[i].bits, &(*cells)[cells_[i].column]);
    }
    return true;
  }

  const Contribution mine_;
  const std::vector<OutMetric>& metrics_;
  size_t columns_ = 0;          // number of locations of this process
  size_t paths_ = 0;            // one more than the largest number of a call path
  uint32_t open_ = kNone;       // the metric that is in cells_
  std::vector<Cell> cells_;     // by call path
  std::vector<size_t> begins_;  // of each call path in cells_
};

// One batch of full rows, put together from the blocks of all processes.
class Batch {
 public:
  Batch(const std::vector<OutMetric>& metrics, size_t locations) : metrics_(metrics), locations_(locations) {}

  void Fill(const std::vector<Row>& rows, const std::string& text) {
    cells_.resize(rows.size() * locations_);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::fill_n(&cells_[i * locations_], locations_, Values::EmptyBits(metrics_[rows[i].metric].type));
    }
    BytesIn bytes(text);
    for (size_t first = 0; !bytes.AtEnd() && bytes.good();) {
      const auto columns = bytes.Get<uint64_t>();
      for (auto used = bytes.Get<uint64_t>(); used > 0 && bytes.good(); --used) {
        const auto row = bytes.Get<uint32_t>();
        for (size_t c = 0; c < columns && bytes.good(); ++c) {
          const auto cell = bytes.Get<uint64_t>();
          if (row < rows.size() && first + c < locations_) cells_[row * locations_ + first + c] = cell;
        }
      }
      first += columns;
    }
  }

  const uint64_t* row(size_t i) const { return &cells_[i * locations_]; }

 private:
  const std::vector<OutMetric>& metrics_;
  size_t locations_;
  std::vector<uint64_t> cells_;
};

// Hands rows on, and opens and closes their metrics. Metrics without rows are opened, too.
class Feeder {
 public:
  Feeder(const std::vector<OutMetric>& metrics, RowSink* sink) : metrics_(metrics), sink_(sink) {}
  void Put(Row row, const uint64_t* cells) {
    Advance(row.metric + 1);
    good_ = good_ && sink_->Row(row.path, cells);
  }
  bool End() {
    Advance(static_cast<uint32_t>(metrics_.size()));
    return good_ && (open_ == 0 || sink_->EndMetric());
  }

 private:
  void Advance(uint32_t open) {
    for (; good_ && open_ < open; ++open_) {
      good_ = (open_ == 0 || sink_->EndMetric()) && sink_->BeginMetric(open_, metrics_[open_].used);
    }
  }
  const std::vector<OutMetric>& metrics_;
  RowSink* sink_;
  uint32_t open_ = 0;  // metrics begun
  bool good_ = true;
};

}  // namespace

std::vector<std::vector<bool>> GatherUse(Group* group, const Contribution& mine, size_t metrics, size_t paths) {
  BytesOut counts;
  counts.Put(static_cast<uint64_t>(metrics));
  counts.Put(static_cast<uint64_t>(paths));
  const std::string known = group->Broadcast(counts.Take());
  BytesIn bytes(known);
  metrics = bytes.Get<uint64_t>();
  paths = bytes.Get<uint64_t>();
  std::vector<bool> used(metrics * paths);
  for (size_t part = 0; part < mine.parts->size(); ++part) {
    const Mapping& mapping = (*mine.mappings)[part];
    for (const std::vector<Value>& location : (*mine.parts)[part].locations) {
      for (const Value& value : location) {
        if (!Counts((*mine.parts)[part], mapping, value)) continue;
        const uint32_t m = mapping.metrics[value.metric], p = mapping.paths[value.path];
        if (m < metrics && p < paths) used[m * paths + p] = true;
      }
    }
  }
  for (const int child : group->Children()) OrBits(group->Receive(child), &used);
  if (!group->IsRoot()) group->Send(group->Parent(), PackBits(used));
  std::vector<std::vector<bool>> by_metric(metrics);
  for (size_t m = 0; m < metrics; ++m) {
    const auto first = used.begin() + static_cast<std::ptrdiff_t>(m * paths);
    by_metric[m].assign(first, first + static_cast<std::ptrdiff_t>(paths));
  }
  return by_metric;
}

bool StreamRows(Group* group, const Contribution& mine, std::vector<OutMetric> metrics, size_t locations,
                RowSink* sink) {
  uint64_t batch_rows = std::max<size_t>(1, kBatchBytes / sizeof(uint64_t) / std::max<size_t>(1, locations));
  if (group->size() == 1) batch_rows = std::min<uint64_t>(batch_rows, kRowsAlone);
  const std::string plan = group->Broadcast(group->IsRoot() ? PackPlan(metrics, batch_rows) : "");
  if (!group->IsRoot()) metrics = UnpackPlan(plan, &batch_rows);
  OwnRows own(mine, metrics);
  Batch batch(metrics, locations);
  Feeder feeder(metrics, sink);
  Rows walk(metrics);
  for (auto rows = walk.Next(batch_rows); !rows.empty() && !group->failed(); rows = walk.Next(batch_rows)) {
    const std::string blocks = group->Gather(own.Block(rows));
    if (!group->IsRoot()) continue;
    batch.Fill(rows, blocks);
    for (size_t i = 0; i < rows.size(); ++i) feeder.Put(rows[i], batch.row(i));
  }
  return (!group->IsRoot() || feeder.End()) && !group->failed();
}

}  // namespace epik::archive
