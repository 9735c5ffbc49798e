// SPDX-License-Identifier: BSD-3-Clause
// The executable and the shared objects that are mapped now, as dl_iterate_phdr tells them; without the loader's lock
// where somebody may hold it for ever (runtime/base/forked.h).
#ifndef EPIK_RUNTIME_EPISODE_OBJECTS_H_
#define EPIK_RUNTIME_EPISODE_OBJECTS_H_

#include <link.h>

#include <cstddef>

namespace epik::episode {

using LookAtObject = int (*)(dl_phdr_info*, size_t, void*);

// Until `look` gives something else than 0, which is the result.
int ForEachObject(LookAtObject look, void* data);

// The same out of /proc/self/maps, whatever the loader says. Takes no lock.
int ForEachMappedObject(LookAtObject look, void* data);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_OBJECTS_H_
