// SPDX-License-Identifier: BSD-3-Clause
// The end of a measurement that has time to write its archive.
#ifndef EPIK_RUNTIME_ENDINGS_FINISH_H_
#define EPIK_RUNTIME_ENDINGS_FINISH_H_

#include "runtime/abi/process_group.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::endings {

// Ends the measurement and writes the archive. The first caller does the work; for the others it is over at once.
void Finish(event::Ending ending, int value);

// For processes that end together, between BeginFinish and EndFinish. WriteArchive needs the library that
// CanWriteArchive loads.
bool CanWriteArchive();
void WriteArchive(const EpikProcessGroup* group);

extern const episode::Part finish_part;

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_FINISH_H_
