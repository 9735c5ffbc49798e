// SPDX-License-Identifier: BSD-3-Clause
// Tells `epk run` into which file this process writes the digest, so that `epk run` names the archive if the user does
// not see the digest: build systems keep what their tests write to themselves, and scripts write it to files.
#ifndef EPIK_RUNTIME_ENDINGS_DIGEST_PLACE_H_
#define EPIK_RUNTIME_ENDINGS_DIGEST_PLACE_H_

namespace epik::endings {

void TellWhereDigestGoes();

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_DIGEST_PLACE_H_
