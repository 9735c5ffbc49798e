// SPDX-License-Identifier: BSD-3-Clause
// The processes of one machine read one timer. Each of them measures its own scale, and the scales differ by parts of a
// million. That is enough to swap two events of different processes that lie close together. So all of them use one
// scale.
#ifndef EPIK_ARCHIVE_CLOSE_ONE_CLOCK_H_
#define EPIK_ARCHIVE_CLOSE_ONE_CLOCK_H_

#include <vector>

#include "archive/image/process_image.h"
#include "runtime/abi/group.h"

namespace epik::archive {

// Collective. From now on, equal ticks of processes of one machine are equal nanoseconds. A process that does not fit
// its machine's scale keeps its own. REQUIRES: the headers have been read.
void ShareClocks(Group* group, std::vector<ProcessImage>* images);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_ONE_CLOCK_H_
