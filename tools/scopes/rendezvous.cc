// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/rendezvous.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace epik::scopes {

namespace {

constexpr char kFolder[] = "/scopes";
constexpr char kSecret[] = "/secret";
constexpr char kSuffix[] = ".scope";
constexpr size_t kSecretBytes = 64;  // hexadecimal digits
constexpr off_t kMostFileBytes = 4096;

// A small file that only its owner, who is this user, may read or write.
bool ReadPrivate(const std::string& path, std::string* text, std::string* error) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0) {
    *error = path + ": " + std::strerror(errno);
    if (fd >= 0) close(fd);
    return false;
  }
  const bool is_private = S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0;
  if (!is_private || info.st_size > kMostFileBytes) {
    *error = path + ": it is not a file that only you may read";
    close(fd);
    return false;
  }
  text->resize(static_cast<size_t>(info.st_size));
  const ssize_t n = read(fd, text->data(), text->size());
  close(fd);
  text->resize(n < 0 ? 0 : static_cast<size_t>(n));
  return true;
}

bool WritePrivate(const std::string& path, const std::string& text, std::string* error) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool good = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!good) *error = path + ": " + std::strerror(errno);
  if (fd >= 0) close(fd);
  return good;
}

std::string Hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    char two[3];
    snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    text += two;
  }
  return text;
}

// If several processes try at the same time, one of them makes the secret: it links a complete file, and only one link
// succeeds.
bool MakeSecret(const std::string& path, std::string* error) {
  const std::string secret = Hexadecimal(Nonce());
  if (secret.empty()) {
    *error = "the system has no random numbers for a secret";
    return false;
  }
  const std::string temporary = path + "." + secret.substr(0, 16) + ".tmp";
  if (!WritePrivate(temporary, secret, error)) return false;
  const bool good = link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST;
  if (!good) *error = path + ": " + std::strerror(errno);
  unlink(temporary.c_str());
  return good;
}

bool MakeFolder(const std::string& folder, std::string* error) {
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
  *error = folder + ": " + std::strerror(errno);
  return false;
}

std::string FileOf(const std::string& unfinished, std::string host) {
  std::replace(host.begin(), host.end(), '/', '_');
  return unfinished + kFolder + "/" + host + kSuffix;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) names.emplace_back(entry->d_name);
  closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string SecretOf(const std::string& unfinished, bool make, std::string* error) {
  const std::string path = unfinished + kFolder + kSecret;
  std::string secret;
  if (make &&
      (!MakeFolder(unfinished + kFolder, error) || (access(path.c_str(), F_OK) != 0 && !MakeSecret(path, error)))) {
    return "";
  }
  if (!ReadPrivate(path, &secret, error)) return "";
  const bool whole = secret.size() == kSecretBytes && secret.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (whole) return secret;
  *error = path + ": it is damaged";
  return "";
}

bool Announce(const std::string& unfinished, const Announced& scope, std::string* error) {
  const std::string path = FileOf(unfinished, scope.host);
  const std::string text = scope.address.host + " " + std::to_string(scope.address.port) + " " +
                           (scope.slurm.empty() ? "-" : scope.slurm) + " " + scope.host + "\n";
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  unlink(temporary.c_str());
  if (!WritePrivate(temporary, text, error)) return false;
  if (rename(temporary.c_str(), path.c_str()) == 0) return true;
  *error = path + ": " + std::strerror(errno);
  return false;
}

void Withdraw(const std::string& folder, const std::string& host) {
  unlink(FileOf(folder, host).c_str());
  if (!FindAnnounced(folder).empty()) return;
  unlink((folder + kFolder + kSecret).c_str());
  rmdir((folder + kFolder).c_str());
  rmdir(folder.c_str());  // it is empty if the job has left it
}

void MoveScopes(const std::string& from, const std::string& to) {
  if (rename((from + kFolder).c_str(), (to + kFolder).c_str()) == 0) rmdir(from.c_str());
}

std::vector<Announced> FindAnnounced(const std::string& unfinished) {
  std::vector<Announced> found;
  for (const std::string& name : NamesIn(unfinished + kFolder)) {
    std::string text, ignored;
    if (!name.ends_with(kSuffix) || !ReadPrivate(unfinished + kFolder + "/" + name, &text, &ignored)) continue;
    Announced scope;
    std::istringstream words(text);
    words >> scope.address.host >> scope.address.port >> scope.slurm >> scope.host;
    if (words.fail() || scope.address.port == 0) continue;
    if (scope.slurm == "-") scope.slurm.clear();
    found.push_back(scope);
  }
  return found;
}

}  // namespace epik::scopes
