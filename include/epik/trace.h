/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of EPIK for analyses of your own: the C interface of libepk_trace.so. C++ has trace.hpp, Python epik_trace.
 * docs/library.md explains both.
 *
 * Words. An archive has locations (threads), numbered from 0. Events of a location have places: 0, 1, 2 … An event that
 * is not in the file is marked as made up: if a part of the trace is missing, calls are closed and opened so that all
 * are nested, and the event has the place of the next event. Some places have no event. Times are nanoseconds
 * since the job began, by the clock of rank 0. Regions, call paths, communicators, windows and metrics have one number
 * in the whole job; EPIK_TRACE_NONE: not known.
 *
 * Errors. A function that can fail returns NULL, or a negative number; epik_trace_error() then says why. Damaged and
 * forged traces are errors or fewer events, never a crash. Texts belong to the trace and last as long as it.
 *
 * Threads. Several threads may use one trace at the same time; a cursor belongs to one thread at a time.
 */
#ifndef EPIK_INCLUDE_TRACE_H_
#define EPIK_INCLUDE_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EPIK_TRACE_NONE 0xffffffffu
#define EPIK_TRACE_NO_PLACE UINT64_MAX
#define EPIK_TRACE_FIELDS 6
#define EPIK_TRACE_MADE_UP 1u /* in epik_trace_event::flags */

typedef struct epik_trace epik_trace;
typedef struct epik_trace_cursor epik_trace_cursor;
typedef struct epik_trace_state epik_trace_state;

/* Kinds of events. epik_trace_kind_name and epik_trace_field_name tell their names and fields. */
enum epik_trace_kind {
  EPIK_TRACE_ENTER = 1,
  EPIK_TRACE_EXIT = 3,
  EPIK_TRACE_SEND = 8,
  EPIK_TRACE_RECEIVE = 9,
  EPIK_TRACE_SEND_BEGIN = 10,
  EPIK_TRACE_SEND_END = 11,
  EPIK_TRACE_RECEIVE_BEGIN = 12,
  EPIK_TRACE_RECEIVE_END = 13,
  EPIK_TRACE_REQUEST_TEST = 14,
  EPIK_TRACE_REQUEST_CANCELLED = 15,
  EPIK_TRACE_COLLECTIVE_BEGIN = 16,
  EPIK_TRACE_COLLECTIVE_END = 17,
  EPIK_TRACE_RECEIVE_POSTED = 18,
  EPIK_TRACE_COLLECTIVE_POSTED = 19,
  EPIK_TRACE_PUT = 20,
  EPIK_TRACE_GET = 21,
  EPIK_TRACE_ATOMIC = 22,
  EPIK_TRACE_WINDOW_SYNC = 23,
  EPIK_TRACE_COLLECTIVE_PEERS = 24,
  EPIK_TRACE_COLLECTIVE_CALL = 25,
  EPIK_TRACE_PROBE = 26,
  EPIK_TRACE_WINDOW_LOCK = 27,
  EPIK_TRACE_COMM_CREATED = 28,
  EPIK_TRACE_TURN = 29,
  EPIK_TRACE_REQUEST_FREED = 30,
  EPIK_TRACE_TEAM_SIZE = 31,
  EPIK_TRACE_FORK = 32,
  EPIK_TRACE_JOIN = 33,
  EPIK_TRACE_TEAM_BEGIN = 34,
  EPIK_TRACE_TEAM_END = 35,
  EPIK_TRACE_LOCK_ACQUIRE = 36,
  EPIK_TRACE_LOCK_RELEASE = 37,
  EPIK_TRACE_TASK_CREATE = 38,
  EPIK_TRACE_TASK_BEGIN = 39,
  EPIK_TRACE_TASK_SWITCH = 40,
  EPIK_TRACE_TASK_END = 41,
  EPIK_TRACE_BARRIER = 42,
  EPIK_TRACE_LOCK_WANTED = 43,
  EPIK_TRACE_LOCK_GOT = 44,
  EPIK_TRACE_THREAD_CREATE = 45,
  EPIK_TRACE_THREAD_BEGIN = 46,
  EPIK_TRACE_THREAD_END = 47,
  EPIK_TRACE_METRIC = 48,
  EPIK_TRACE_PARAMETER = 49,
  EPIK_TRACE_JOIN_WANTED = 50,
  EPIK_TRACE_JOIN_GOT = 51,
  EPIK_TRACE_SIGNAL_WANTED = 52,
  EPIK_TRACE_SIGNAL = 53,
  EPIK_TRACE_SIGNAL_GOT = 54,
  EPIK_TRACE_THREAD_BARRIER = 55,
  EPIK_TRACE_FOLDED_BEGIN = 56,
  EPIK_TRACE_FOLDED_END = 57,
  EPIK_TRACE_ITERATION_DONE = 58,
  EPIK_TRACE_ITERATION_NEEDED = 59,
  EPIK_TRACE_MUTEX_TAKEN = 60,
  EPIK_TRACE_MUTEX_RELEASED = 61,
  EPIK_TRACE_TASK_WAIT = 62,
  EPIK_TRACE_TASK_NEEDS = 63,
  EPIK_TRACE_FLUSH_BEGIN = 64,
  EPIK_TRACE_FLUSH_END = 65,
  EPIK_TRACE_CLOCK_SYNC = 66,
  EPIK_TRACE_GAP = 67,
  EPIK_TRACE_SWITCHED = 68,
  EPIK_TRACE_SEND_MODE = 69,
  EPIK_TRACE_TRUNCATED = 70,
  EPIK_TRACE_STACK_LEFT = 72,
  EPIK_TRACE_STACK_BACK = 73,
  EPIK_TRACE_TASK_DETACHED = 74,
  EPIK_TRACE_TASK_FULFILLED = 75,
  EPIK_TRACE_SEND_REFUSED = 76,
  EPIK_TRACE_FREED_RECEIVED = 77,
  EPIK_TRACE_BUFFER_EMPTY = 78,
  EPIK_TRACE_SEND_READY = 79,
  EPIK_TRACE_TURN_SINCE = 80,
  EPIK_TRACE_COLLECTIVE_FAILED = 81
};

/* Events that belong together. */
enum epik_trace_link {
  EPIK_TRACE_LINK_CALL = 0,       /* enter and exit */
  EPIK_TRACE_LINK_MESSAGE = 1,    /* send and receive */
  EPIK_TRACE_LINK_COLLECTIVE = 2, /* the begins and ends of all members */
  EPIK_TRACE_LINK_REQUEST = 3,    /* the begin of a request, and its end */
  EPIK_TRACE_LINK_TEAM = 4,       /* fork, the parts of all threads, join */
  EPIK_TRACE_LINK_LOCK = 5,       /* a release, and the next acquisition */
  EPIK_TRACE_LINK_TASK = 6,       /* all events of a task */
  EPIK_TRACE_LINK_THREAD = 7      /* a thread of libc: its creation, begin, end, and its join */
};

/* 80 bytes. There are at most EPIK_TRACE_FIELDS fields. Their kind tells the meaning; signed and double values are
 * bits. */
typedef struct epik_trace_event {
  int64_t ns;
  uint64_t place;
  uint32_t location;
  uint32_t call_path; /* the one that is entered or left; for other kinds, the one around the event */
  uint32_t depth;     /* calls around it */
  uint16_t kind;
  uint8_t fields; /* their number */
  uint8_t flags;
  uint64_t field[EPIK_TRACE_FIELDS];
} epik_trace_event;

/* An event, identified by its place. */
typedef struct epik_trace_ref {
  uint64_t place;
  uint32_t location;
  uint32_t kind;
} epik_trace_ref;

typedef struct epik_trace_location {
  int32_t rank, thread;
  const char *name, *host;
  uint64_t places;           /* of its events */
  int64_t first_ns, last_ns; /* of its events */
} epik_trace_location;

typedef struct epik_trace_region {
  const char *name, *mangled, *file, *paradigm, *role;
  int32_t begin_line, end_line; /* -1: not known */
} epik_trace_region;

typedef struct epik_trace_call_path {
  uint32_t region;
  uint32_t parent; /* EPIK_TRACE_NONE: it is a root; parents have smaller numbers */
} epik_trace_call_path;

typedef struct epik_trace_communicator {
  const char* name;
  const uint32_t* ranks;  /* in MPI_COMM_WORLD */
  size_t size;            /* 0: not known */
  const uint32_t* remote; /* of the other group of an inter-communicator */
  size_t remote_size;
} epik_trace_communicator;

typedef struct epik_trace_window {
  const char* name;
  uint32_t communicator;
} epik_trace_window;

typedef struct epik_trace_metric {
  const char *name, *unit;
} epik_trace_metric;

/* A call that is open. */
typedef struct epik_trace_frame {
  uint32_t call_path;
  uint32_t known;       /* 0: the trace does not have its enter */
  uint64_t enter_place; /* with the location of the state, its instance */
  int64_t enter_ns;
} epik_trace_frame;

/* A message under way: it is sent and not received. */
typedef struct epik_trace_message {
  epik_trace_ref send, receive;
  int64_t send_ns, receive_ns;
} epik_trace_message;

/* Why the last function of this thread failed. Never NULL. */
const char* epik_trace_error(void);

/* `path`: an archive with a trace. Returns NULL if it cannot read a trace. */
epik_trace* epik_trace_open(const char* path);
/* Its cursors read on until they are closed. Its texts are gone with the last of them. */
void epik_trace_close(epik_trace* trace);

/* Sentences about data that could not be read when the archive was opened. Damage inside of blocks is a gap in events.
 */
size_t epik_trace_problems(const epik_trace* trace);
const char* epik_trace_problem(const epik_trace* trace, size_t number);

size_t epik_trace_locations(const epik_trace* trace);
size_t epik_trace_regions(const epik_trace* trace);
size_t epik_trace_call_paths(const epik_trace* trace);
size_t epik_trace_communicators(const epik_trace* trace);
size_t epik_trace_windows(const epik_trace* trace);
size_t epik_trace_metrics(const epik_trace* trace);
/* Return 0, or -1 when there is no such number. */
int epik_trace_get_location(const epik_trace* trace, uint32_t number, epik_trace_location* to);
int epik_trace_get_region(const epik_trace* trace, uint32_t number, epik_trace_region* to);
int epik_trace_get_call_path(const epik_trace* trace, uint32_t number, epik_trace_call_path* to);
int epik_trace_get_communicator(const epik_trace* trace, uint32_t number, epik_trace_communicator* to);
int epik_trace_get_window(const epik_trace* trace, uint32_t number, epik_trace_window* to);
int epik_trace_get_metric(const epik_trace* trace, uint32_t number, epik_trace_metric* to);

/* "enter", "send" …; "" when there is no such kind. */
const char* epik_trace_kind_name(uint32_t kind);
/* "tag", "bytes" …; "" behind the last field. */
const char* epik_trace_field_name(uint32_t kind, uint32_t field);
/* The meaning of its number: uint, int, rank, comm, window, region, callpath, metric, request, lock, task, bytes, ns,
 * double. */
const char* epik_trace_field_type(uint32_t kind, uint32_t field);

/* Goes through all events of `count` locations (0: of all locations) with from_ns <= time < to_ns, in order of time. */
epik_trace_cursor* epik_trace_read(epik_trace* trace, const uint32_t* locations, size_t count, int64_t from_ns,
                                   int64_t to_ns);
/* Goes through the events of one location from a place on. */
epik_trace_cursor* epik_trace_read_from(epik_trace* trace, uint32_t location, uint64_t place);
/* Gives the next events, at most `most`; returns 0 at the end. */
size_t epik_trace_next(epik_trace_cursor* cursor, epik_trace_event* to, size_t most);
void epik_trace_cursor_close(epik_trace_cursor* cursor);

/* Finds the event at a place, or the first one behind it. Returns 1, or 0 if no event is there, or -1. */
int epik_trace_at(epik_trace* trace, uint32_t location, uint64_t place, epik_trace_event* to);
/* Finds the first event of a location that is not before `ns`. */
int epik_trace_find(epik_trace* trace, uint32_t location, int64_t ns, epik_trace_event* to);

/* Gives the other events that this one is linked with, in the order of their locations and places. Returns their
 * number, or -1; `to` gets at most `most` of them. The first question about a location's calls reads that location
 * once; the first one about other links reads the trace once. */
int64_t epik_trace_linked(epik_trace* trace, enum epik_trace_link link, uint32_t location, uint64_t place,
                          epik_trace_ref* to, size_t most);

/* The calls of a location that are open after the event at `place`: epik_trace_state_frames gives them, outermost
 * first. */
epik_trace_state* epik_trace_state_at(epik_trace* trace, uint32_t location, uint64_t place);
size_t epik_trace_state_frames(const epik_trace_state* state, const epik_trace_frame** frames);
void epik_trace_state_close(epik_trace_state* state);

/* Gives the messages from and to a location that are under way after the event at `place`. Returns their number, or
 * -1; `to` gets at most `most` of them. The first question about messages reads the trace once. */
int64_t epik_trace_open_messages(epik_trace* trace, uint32_t location, uint64_t place, epik_trace_message* to,
                                 size_t most);

#ifdef __cplusplus
}
#endif

#endif /* EPIK_INCLUDE_TRACE_H_ */
