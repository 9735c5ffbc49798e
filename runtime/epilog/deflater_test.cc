// SPDX-License-Identifier: BSD-3-Clause
// Columns of every kind come back from any inflater, and take little room.
#include "runtime/epilog/deflater.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace epik::epilog {
namespace {

using Bytes = std::vector<uint8_t>;

class Deflates : public testing::Test {
 protected:
  Deflates() : deflater_(static_cast<Deflater*>(std::calloc(1, sizeof(Deflater))), std::free) { deflater_->Prepare(); }

  // The stream of these columns; empty: no room.
  Bytes Deflate(const std::vector<Bytes>& columns, size_t room, int level = 1) {
    Bytes to(room);
    deflater_->Begin(level, to.data(), room);
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto size = static_cast<uint32_t>(columns[i].size());
      if (!deflater_->Put(columns[i].data(), size, i + 1 == columns.size())) return {};
    }
    to.resize(deflater_->size());
    return to;
  }

  static Bytes Inflate(const Bytes& stream, size_t size) {
    Bytes bytes(size + 1);
    z_stream zlib = {};
    inflateInit2(&zlib, -MAX_WBITS);
    zlib.next_in = const_cast<uint8_t*>(stream.data());
    zlib.avail_in = static_cast<uInt>(stream.size());
    zlib.next_out = bytes.data();
    zlib.avail_out = static_cast<uInt>(bytes.size());
    EXPECT_EQ(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(zlib.avail_in, 0u);
    bytes.resize(zlib.total_out);
    inflateEnd(&zlib);
    return bytes;
  }

  // Deflates and inflates the columns. Returns the size of the stream.
  size_t Try(const std::vector<Bytes>& columns, int level = 1) {
    Bytes all;
    for (const Bytes& column : columns) all.insert(all.end(), column.begin(), column.end());
    const Bytes stream = Deflate(columns, all.size() + 1000, level);
    EXPECT_FALSE(stream.empty());
    EXPECT_EQ(Inflate(stream, all.size()), all);
    return stream.size();
  }

  Bytes Random(size_t size, unsigned values) {
    Bytes bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_() % values);
    return bytes;
  }

  static size_t PlainZlib(const Bytes& bytes, int strategy) {
    z_stream zlib = {};
    deflateInit2(&zlib, 1, Z_DEFLATED, -MAX_WBITS, 8, strategy);
    Bytes to(bytes.size() + 1000);
    zlib.next_in = const_cast<uint8_t*>(bytes.data());
    zlib.avail_in = static_cast<uInt>(bytes.size());
    zlib.next_out = to.data();
    zlib.avail_out = static_cast<uInt>(to.size());
    deflate(&zlib, Z_FINISH);
    const size_t size = zlib.total_out;
    deflateEnd(&zlib);
    return size;
  }

  std::unique_ptr<Deflater, decltype(&std::free)> deflater_;
  std::mt19937 random_{1};
};

TEST_F(Deflates, BytesWithoutSequences) {
  for (const unsigned values : {2u, 3u, 10u, 100u, 200u}) {
    const Bytes bytes = Random(60000, values);
    EXPECT_LT(Try({bytes}), PlainZlib(bytes, Z_HUFFMAN_ONLY) * 101 / 100) << values;
  }
}

TEST_F(Deflates, BytesThatGainNothingAreStored) {
  EXPECT_LT(Try({Random(200000, 256)}), 200000u + 64);
  EXPECT_LT(Try({Random(70000, 256), Random(1000, 256)}), 71000u + 64);
}

TEST_F(Deflates, RunsOfEachLength) {
  for (size_t run = 1; run < 600; ++run) {
    Bytes bytes = Random(600, 200);
    bytes.insert(bytes.end(), run, 7);
    const Bytes more = Random(run % 11, 200);
    bytes.insert(bytes.end(), more.begin(), more.end());
    Try({bytes});
  }
  EXPECT_LT(Try({Bytes(60000, 0)}), 150u);
}

TEST_F(Deflates, SequencesThatRepeat) {
  const Bytes once = Random(1500, 256);
  Bytes bytes;
  for (int i = 0; i < 40; ++i) bytes.insert(bytes.end(), once.begin(), once.end());
  EXPECT_LT(Try({bytes}), 3000u);
}

// An optimal code of these bytes has more than the 15 bits that the format allows.
TEST_F(Deflates, BytesOfVeryDifferentFrequency) {
  Bytes bytes;
  uint32_t times = 1, next = 1;
  for (unsigned byte = 0; byte < 22; ++byte) {
    bytes.insert(bytes.end(), times, static_cast<uint8_t>(byte * 11));
    times = std::exchange(next, times + next);
  }
  std::shuffle(bytes.begin(), bytes.end(), random_);
  EXPECT_LT(Try({bytes}), bytes.size() * 3 / 8);
}

TEST_F(Deflates, ColumnsOfAnyKindInAnyOrder) {
  const Bytes once = Random(500, 256);
  Bytes repeated;
  for (int i = 0; i < 20; ++i) repeated.insert(repeated.end(), once.begin(), once.end());
  const Bytes kinds[] = {{}, {1}, Random(300, 5), Random(5000, 6), Random(3000, 256), Bytes(2000, 1), repeated};
  for (int round = 0; round < 400; ++round) {
    std::vector<Bytes> columns;
    for (unsigned i = 0; i < 1 + round % 5u; ++i) columns.push_back(kinds[random_() % std::size(kinds)]);
    Try(columns, round % 10 == 9 ? 9 : 1);
  }
}

TEST_F(Deflates, NoRoom) {
  const std::vector<Bytes> columns = {Random(300, 5), Random(5000, 6), Random(3000, 256), Random(900, 2)};
  const size_t size = Deflate(columns, 20000).size();
  for (size_t room = 0; room < size; room += 1 + room % 7) EXPECT_TRUE(Deflate(columns, room).empty()) << room;
  EXPECT_EQ(Deflate(columns, size + 64).size(), size);
}

}  // namespace
}  // namespace epik::epilog
