// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace epik::archive {

bool Inflate(const std::string& in, bool gzip, uint64_t limit, std::string* out) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip ? 15 + 16 : 15) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  int state = Z_OK;
  out->clear();
  while (state == Z_OK && out->size() < limit) {
    const size_t part = std::min<uint64_t>(limit - out->size(), std::max<uint64_t>(out->size(), 4096));
    const size_t done = out->size();
    try {
      out->resize(done + part);
    } catch (const std::bad_alloc&) {
      state = Z_MEM_ERROR;
      break;
    }
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + done);
    stream.avail_out = static_cast<uInt>(part);
    state = inflate(&stream, Z_NO_FLUSH);
    out->resize(done + part - stream.avail_out);
  }
  // If the content fits exactly, the end mark may still be missing.
  char surplus = 0;
  if (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(&surplus);
    stream.avail_out = 1;
    state = inflate(&stream, Z_FINISH);
    if (stream.avail_out == 0) state = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END;
}

}  // namespace epik::archive
