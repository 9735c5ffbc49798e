// SPDX-License-Identifier: BSD-3-Clause
// An unfinished archive may be an attack: anybody can prepare one in a folder in which everybody may write. When a user
// recovers it, links in it must not make EPIK read, overwrite or remove that user's own files.
#ifndef EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_
#define EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_

#include <string>
#include <vector>

namespace epik::archive {

// While this object lives, a process of root works with the rights of the folder's owner, so planted files can do no
// more than that owner. Other users may not recover archives of others, unless they insist. Only for programs with one
// thread.
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

// Returns a descriptor of the regular file `name` in `folder`, or -1 with *error. The file must have no second name,
// must not be a link, and must belong to the folder's owner or to us. Only EPIK's own link to an arena elsewhere
// (EPK_LDIR) is followed: it leads to a file called `epik.NAME`.
int OpenArena(const std::string& folder, const std::string& name, std::string* error);

// The file that EPIK's own link to an arena leads to, if no such file is on this machine. Empty for anything else.
std::string TargetThatIsNotHere(const std::string& folder, const std::string& name);

// Removes the folder of arenas with everything in it, and the files that such links lead to. Moves the arenas
// named in `damaged` to another folder of the archive instead.
inline constexpr char kDamagedName[] = "damaged";
void RemoveArenas(const std::string& archive, const std::vector<std::string>& damaged = {});

// Removes what scopes of `epk monitor --serve` left that were killed: the secret of the run, and where they listened.
void RemoveScopes(const std::string& archive);

// Removes arenas and scopes, and the unfinished archive around them if it is empty then.
void RemoveUnfinished(const std::string& archive);

// Returns a descriptor of the folder, or -1, also when it is a link.
int OpenFolder(const std::string& path);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_OWNERSHIP_H_
