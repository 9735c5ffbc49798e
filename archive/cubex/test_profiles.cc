// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/test_profiles.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "archive/cubex/anchor.h"

namespace epik::archive {
namespace {

template <class T>
std::string Bytes(T value, bool big_endian) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string Compress(const std::string& plain, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Computes positions by the definition, recursively. The tested code does it without recursion.
std::vector<uint32_t> Order(const Profile& profile, bool inclusive) {
  std::vector<std::vector<uint32_t>> children(profile.call_paths.size());
  std::vector<uint32_t> roots, order;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const uint32_t parent = profile.call_paths[p].parent;
    (parent == kNone ? roots : children[parent]).push_back(p);
  }
  const std::function<void(uint32_t)> below = [&](uint32_t p) {
    for (const uint32_t c : children[p]) order.push_back(c);
    for (const uint32_t c : children[p]) below(c);
  };
  const std::function<void(uint32_t)> preorder = [&](uint32_t p) {
    order.push_back(p);
    for (const uint32_t c : children[p]) preorder(c);
  };
  for (const uint32_t root : roots) {
    if (!inclusive) {
      preorder(root);
    } else {
      order.push_back(root);
      below(root);
    }
  }
  return order;
}

std::string EncodeRow(const Values& values, uint32_t path, const Encoding& encoding) {
  std::string row;
  for (size_t l = 0; l < values.locations(); ++l) {
    uint64_t cell = values.Has(path) ? values.Row(path)[l] : Values::EmptyBits(values.type());
    const size_t width = values.type() == Type::kUint64 ? encoding.width : 8;
    std::string bytes = Bytes(cell, false).substr(0, width);
    if (encoding.big_endian) std::reverse(bytes.begin(), bytes.end());
    row += bytes;
  }
  return row;
}

std::string EncodeData(const std::vector<std::string>& rows, const Encoding& encoding) {
  std::string data = encoding.zip ? "ZCUBEX.DATA" : "CUBEX.DATA";
  if (!encoding.zip) {
    for (const std::string& row : rows) data += row;
    return data;
  }
  std::string streams, table;
  uint64_t at = 0;
  for (const std::string& row : rows) {
    const std::string packed = Compress(row, 15);
    table += Bytes(at, encoding.big_endian) + Bytes(uint64_t{streams.size()}, encoding.big_endian) +
             Bytes(uint64_t{packed.size()}, encoding.big_endian);
    streams += packed;
    at += row.size();
  }
  return data + Bytes(uint64_t{rows.size()}, encoding.big_endian) + table + streams;
}

void Put(Values* values, uint32_t path, std::vector<double> cells) {
  for (uint32_t l = 0; l < cells.size(); ++l) {
    if (values->type() == Type::kUint64) {
      values->Set(path, l, static_cast<uint64_t>(cells[l]));
    } else {
      values->Set(path, l, cells[l]);
    }
  }
}

}  // namespace

Profile ExampleProfile() {
  Profile p;
  p.hosts = {{"node0"}};
  p.processes = {{0, 0, "MPI Rank 0"}, {0, 1, "MPI Rank 1"}};
  p.locations = {{0, 0, "Thread 0"}, {0, 1, "Thread 1"}, {1, 0, "Thread 0"}, {1, 1, "Thread 1"}};
  p.regions = {{"main", "main", "prog.c", 1, 9, "compiler", "function", ""},
               {"solve", "solve", "prog.c", 11, 19, "compiler", "function", ""},
               {"MPI_Send", "MPI_Send", "MPI", -1, -1, "mpi", "point2point", "MPI"},
               {"io", "io", "prog.c", 31, 39, "user", "function", ""}};
  p.call_paths = {{0, kNone}, {1, 0}, {2, 1}, {3, 0}};
  const uint32_t time = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kInclusive, kNone});
  const uint32_t mpi = p.AddMetric({"mpi", "Mpi", "sec", "", Type::kDouble, Along::kInclusive, time});
  const uint32_t visits = p.AddMetric({"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t energy = p.AddMetric({"energy", "Energy", "J", "", Type::kDouble, Along::kExclusive, kNone});
  const double times[] = {100, 40, 8, 16}, visit[] = {1, 10, 1000, 5};
  for (uint32_t c = 0; c < 4; ++c) {
    Put(&p.values[time], c, {times[c], times[c] + 1, times[c] + 2, times[c] + 3});
    if (c < 3) Put(&p.values[mpi], c, {8, 9, 10, 11});
    Put(&p.values[visits], c, {visit[c], 2 * visit[c], 3 * visit[c], 4 * visit[c]});
  }
  Put(&p.values[energy], 2, {256, 257, 258, 259});
  return p;
}

Profile RandomProfile(std::mt19937_64* random, uint32_t max_paths) {
  const auto upto = [random](uint32_t n) { return static_cast<uint32_t>((*random)() % (n + 1)); };
  static const char* const kNames[] = {"main", "a<b>::f(int&)", "operator\"\" x", "l'été", "x > y & z", "&lt;", ""};
  Profile p;
  p.machine = "m<0>";
  for (uint32_t n = upto(2) + 1; n > 0; --n) p.hosts.push_back({"node" + std::to_string(n)});
  for (int rank = 0, n = static_cast<int>(upto(4)); rank <= n; ++rank) {
    p.processes.push_back({upto(static_cast<uint32_t>(p.hosts.size()) - 1), rank, "rank " + std::to_string(rank)});
    for (int thread = 0, t = static_cast<int>(upto(3)); thread <= t; ++thread) {
      p.locations.push_back({static_cast<uint32_t>(rank), thread, "thread " + std::to_string(thread)});
    }
  }
  for (uint32_t r = 0, n = upto(6); r <= n; ++r) {
    const std::string name = kNames[upto(6)] + std::to_string(r);
    p.regions.push_back({name, "_Z" + name, upto(1) != 0 ? "src/a b.c" : "", static_cast<int>(upto(9)) - 1, 12, "mpi",
                         "barrier", upto(1) != 0 ? "MPI" : ""});
  }
  std::vector<uint32_t> open;
  for (uint32_t c = 0, n = upto(max_paths - 1); c <= n; ++c) {
    open.resize(upto(static_cast<uint32_t>(open.size())));
    p.call_paths.push_back({upto(static_cast<uint32_t>(p.regions.size()) - 1), open.empty() ? kNone : open.back()});
    open.push_back(c);
  }
  for (uint32_t m = 0, n = upto(5); m <= n; ++m) {
    const Type type = static_cast<Type>(upto(3));
    const bool extreme = type == Type::kMin || type == Type::kMax;
    // Depth-first preorder here, too: the parent is the previous metric, the parent of that one, or none.
    uint32_t parent = m == 0 ? kNone : m - 1;
    if (parent != kNone && upto(1) != 0) parent = p.metrics[parent].parent;
    if (upto(2) == 0) parent = kNone;
    p.AddMetric({"m" + std::to_string(m), kNames[upto(5)], "sec", "why & how", type,
                 !extreme && upto(1) != 0 ? Along::kInclusive : Along::kExclusive, parent});
    for (uint32_t c = 0; c < p.call_paths.size(); ++c) {
      if (upto(2) != 0) continue;
      uint64_t* row = p.values[m].MutableRow(c);
      for (size_t l = 0; l < p.locations.size(); ++l) row[l] = (*random)();
    }
  }
  for (uint32_t t = upto(3); t > 0; --t) {
    Topology topology{kNames[upto(5)], {}, {}, {}};
    const bool named = upto(1) != 0;
    for (uint32_t d = 1 + upto(3); d > 0; --d)
      topology.dimensions.push_back({named ? "x" : "", 1 + upto(9), upto(1) != 0});
    for (uint32_t l = upto(static_cast<uint32_t>(p.locations.size()) - 1); l < p.locations.size(); l += 1 + upto(2)) {
      topology.locations.push_back(l);
      for (const auto& dimension : topology.dimensions) topology.coordinates.push_back(upto(dimension.size - 1));
    }
    p.topologies.push_back(topology);
  }
  return p;
}

std::string EncodeCubex(const Profile& profile, const Encoding& encoding) {
  TarContent members;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    const bool inclusive = profile.metrics[m].along == Along::kInclusive;
    const std::vector<uint32_t> order = Order(profile, inclusive);
    std::vector<std::string> rows;
    std::string positions;
    for (uint32_t i = 0; i < order.size(); ++i) {
      if (!encoding.dense && !profile.values[m].Has(order[i])) continue;
      rows.push_back(EncodeRow(profile.values[m], order[i], encoding));
      positions += Bytes(i, encoding.big_endian);
    }
    std::string index = "CUBEX.INDEX" + Bytes(uint32_t{1}, encoding.big_endian) + std::string(2, '\0');
    index += encoding.dense ? '\3' : '\1';
    if (!encoding.dense) index += Bytes(static_cast<uint32_t>(rows.size()), encoding.big_endian) + positions;
    members.emplace_back(std::to_string(m) + ".index", index);
    members.emplace_back(std::to_string(m) + ".data", EncodeData(rows, encoding));
  }
  std::string anchor = FormatAnchor(profile, {});
  const std::string name = "UINT" + std::to_string(8 * encoding.width);
  for (size_t at = 0; (at = anchor.find("UINT64", at)) != std::string::npos; ++at) anchor.replace(at, 6, name);
  if (encoding.gzip_anchor) anchor = Compress(anchor, 15 + 16);
  members.emplace_back("anchor.xml", anchor);
  return MakeTar(members, true);
}

std::string MakeTar(const TarContent& members, bool cube_padding) {
  std::string tar;
  for (const auto& [name, content] : members) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    char size[16];
    std::snprintf(size, sizeof size, "%011zo", content.size());
    header.replace(124, 11, size);
    header[156] = '0';
    header.replace(257, 5, "ustar");
    tar += header + content;
    tar.append((512 - content.size() % 512) % 512, '\0');
    if (cube_padding && content.size() % 512 == 0) tar.append(512, '\0');
  }
  return tar.append(1024, '\0');
}

std::string GetMember(const std::string& tar, const std::string& name) {
  for (size_t at = 0; at + 512 <= tar.size();) {
    if (tar[at] == '\0') return {};
    const size_t size = std::stoull(tar.substr(at + 124, 11), nullptr, 8);
    if (name == tar.c_str() + at) return tar.substr(at + 512, size);
    at += 512 + (size / 512 + 1) * 512;  // the step that CUBE takes
  }
  return {};
}

void ExpectSameProfile(const Profile& expected, const Profile& actual) {
  EXPECT_EQ(expected.machine, actual.machine);
  EXPECT_TRUE(expected.hosts == actual.hosts);
  EXPECT_TRUE(expected.processes == actual.processes);
  EXPECT_TRUE(expected.locations == actual.locations);
  EXPECT_TRUE(expected.topologies == actual.topologies);
  EXPECT_TRUE(expected.regions == actual.regions);
  EXPECT_TRUE(expected.call_paths == actual.call_paths);
  ASSERT_TRUE(expected.metrics == actual.metrics);
  ASSERT_EQ(expected.metrics.size(), actual.values.size());
  for (uint32_t m = 0; m < expected.metrics.size(); ++m) {
    const std::vector<uint64_t> none(expected.locations.size(), Values::EmptyBits(expected.metrics[m].type));
    for (uint32_t p = 0; p < expected.call_paths.size(); ++p) {
      const uint64_t* x = expected.values[m].Has(p) ? expected.values[m].Row(p) : none.data();
      const uint64_t* y = actual.values[m].Has(p) ? actual.values[m].Row(p) : none.data();
      EXPECT_TRUE(std::memcmp(x, y, none.size() * 8) == 0) << "metric " << m << " call path " << p;
    }
  }
}

std::string TestPath(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace epik::archive
