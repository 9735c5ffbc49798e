// SPDX-License-Identifier: BSD-3-Clause
// Lists the mapped executable and shared objects as dl_iterate_phdr does, but without the loader's lock where another
// thread may hold it for ever (runtime/base/forked.h).
#ifndef EPIK_RUNTIME_EPISODE_OBJECTS_H_
#define EPIK_RUNTIME_EPISODE_OBJECTS_H_

#include <link.h>

#include <cstddef>

namespace epik::episode {

using LookAtObject = int (*)(dl_phdr_info*, size_t, void*);

// Calls `look` until it returns something other than 0, which is then the result.
int ForEachObject(LookAtObject look, void* data);

// The same from /proc/self/maps, without the loader. Takes no lock.
int ForEachMappedObject(LookAtObject look, void* data);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_OBJECTS_H_
