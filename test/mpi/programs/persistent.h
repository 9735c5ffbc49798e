// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives, if this MPI has them.
#ifndef EPIK_TEST_MPI_PROGRAMS_PERSISTENT_H_
#define EPIK_TEST_MPI_PROGRAMS_PERSISTENT_H_

#include "count.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define HAS_COLLECTIVES 1
#define INIT(name, ...) (Did("MPIX_" #name "_init", "visits", 0), MPIX_##name##_init(__VA_ARGS__))
#define INIT_FROM(name, sources) Did("MPIX_" #name "_init", "from", sources)
#elif MPI_VERSION >= 4
#define HAS_COLLECTIVES 1
#define INIT(name, ...) CALL(name##_init, __VA_ARGS__)
#define INIT_FROM(name, sources) Did("MPI_" #name "_init", "from", sources)
#endif

#endif  // EPIK_TEST_MPI_PROGRAMS_PERSISTENT_H_
