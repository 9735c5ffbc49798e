// SPDX-License-Identifier: BSD-3-Clause
// An unfinished archive is data that somebody may have prepared, in a folder where anybody writes: whoever recovers it
// must not read, overwrite or remove files of his own through links in it.
#ifndef EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_
#define EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_

#include <string>

namespace epik::archive {

// As long as it lives, a process of root works with the rights of whoever owns the folder; what is planted there can
// then do no more than its owner could himself. Others are refused what is not theirs, unless they insist.
// For programs with one thread.
class AsOwner {
 public:
  AsOwner(const std::string& folder, bool although_not_ours);
  ~AsOwner();
  AsOwner(const AsOwner&) = delete;
  AsOwner& operator=(const AsOwner&) = delete;

  bool allowed() const { return why_.empty(); }
  const std::string& why() const { return why_; }

 private:
  bool taken_ = false;
  std::string why_;
};

// A descriptor of the regular file `name` in `folder`, or -1 and *error. It must have no other name, be no link, and
// belong to the folder's owner or to us. The one link that is followed is ours to an arena elsewhere (EPK_LDIR): it
// leads to a file called `epik.NAME`.
int OpenArena(const std::string& folder, const std::string& name, std::string* error);

// Removes the folder of arenas with all that is in it, and what its links of that kind lead to.
void RemoveArenas(const std::string& archive);

// The same, and the unfinished archive around it, when that holds nothing else.
void RemoveUnfinished(const std::string& archive);

// A descriptor of a folder that is no link, or -1.
int OpenFolder(const std::string& path);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_
