# SPDX-License-Identifier: BSD-3-Clause
"""Traces of EPIK for analyses of your own.

    import epik_trace
    with epik_trace.open("epik_solver_4x1_trace") as trace:
        for event in trace:
            print(event.time, trace.path(event.call_path))

An event has `location`, `place` (its number in its location), `time` in seconds, `ns`, `kind` ("enter", "exit", "send" …),
`call_path`, `depth`, `made_up` and `fields`; `event["bytes"]` is a field by its name. With NumPy,
`trace.columns()` gives arrays. Numbers of call paths, regions, communicators … are those of the job; None: not known.
docs/library.md has examples. Errors are epik_trace.Error.
"""
import ctypes
import operator
import os
import pathlib
import struct

ENTER, EXIT = 1, 3
NONE = 0xffffffff
FIELDS = 6
BATCH = 4096
MOST_AT_ONCE = 1 << 26  # events
LINKS = ("call", "message", "collective", "request", "team", "lock", "task", "thread")
MOST_NS = 2 ** 63 - 1
MOST_PLACE = 2 ** 64 - 1


class Error(Exception):
    """An error, explained in words."""


class _Event(ctypes.Structure):
    _fields_ = [("ns", ctypes.c_int64), ("place", ctypes.c_uint64), ("location", ctypes.c_uint32),
                ("call_path", ctypes.c_uint32), ("depth", ctypes.c_uint32), ("kind", ctypes.c_uint16),
                ("fields", ctypes.c_uint8), ("flags", ctypes.c_uint8), ("field", ctypes.c_uint64 * FIELDS)]


class _Ref(ctypes.Structure):
    _fields_ = [("place", ctypes.c_uint64), ("location", ctypes.c_uint32), ("kind", ctypes.c_uint32)]


class _Location(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int32), ("thread", ctypes.c_int32), ("name", ctypes.c_char_p),
                ("host", ctypes.c_char_p), ("places", ctypes.c_uint64), ("first_ns", ctypes.c_int64),
                ("last_ns", ctypes.c_int64)]


class _Region(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("mangled", ctypes.c_char_p), ("file", ctypes.c_char_p),
                ("paradigm", ctypes.c_char_p), ("role", ctypes.c_char_p), ("begin_line", ctypes.c_int32),
                ("end_line", ctypes.c_int32)]


class _CallPath(ctypes.Structure):
    _fields_ = [("region", ctypes.c_uint32), ("parent", ctypes.c_uint32)]


class _Communicator(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("_ranks", ctypes.POINTER(ctypes.c_uint32)), ("_size", ctypes.c_size_t),
                ("_remote", ctypes.POINTER(ctypes.c_uint32)), ("_remote_size", ctypes.c_size_t)]


class _Window(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("communicator", ctypes.c_uint32)]


class _Metric(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p)]


class _Frame(ctypes.Structure):
    _fields_ = [("call_path", ctypes.c_uint32), ("known", ctypes.c_uint32), ("enter_place", ctypes.c_uint64),
                ("enter_ns", ctypes.c_int64)]


class _Message(ctypes.Structure):
    _fields_ = [("send", _Ref), ("receive", _Ref), ("send_ns", ctypes.c_int64), ("receive_ns", ctypes.c_int64)]


def _load():
    # In an installation this module is lib/python/epik_trace.py.
    here = pathlib.Path(__file__).resolve().parent
    places = [os.environ["EPIK_TRACE_LIBRARY"]] if os.environ.get("EPIK_TRACE_LIBRARY") else [
        here.parent / "libepk_trace.so.1", here / "libepk_trace.so.1", "libepk_trace.so.1"]
    for place in places:
        if isinstance(place, pathlib.Path) and not place.exists():
            continue
        try:
            return ctypes.CDLL(str(place))
        except OSError as problem:
            raise ImportError(f"epik_trace needs libepk_trace.so.1: {problem}") from problem
    raise ImportError("epik_trace needs libepk_trace.so.1")


_lib = _load()
_pointer, _u32, _u64, _i64, _size = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64, ctypes.c_size_t
for _name, _result, _arguments in (
        ("error", ctypes.c_char_p, ()), ("open", _pointer, (ctypes.c_char_p,)), ("close", None, (_pointer,)),
        ("problems", _size, (_pointer,)), ("problem", ctypes.c_char_p, (_pointer, _size)),
        *((_things, _size, (_pointer,)) for _things in
          ("locations", "regions", "call_paths", "communicators", "windows", "metrics")),
        *(("get_" + _thing, ctypes.c_int, (_pointer, _u32, _pointer)) for _thing in
          ("location", "region", "call_path", "communicator", "window", "metric")),
        ("kind_name", ctypes.c_char_p, (_u32,)), ("field_name", ctypes.c_char_p, (_u32, _u32)),
        ("field_type", ctypes.c_char_p, (_u32, _u32)),
        ("read", _pointer, (_pointer, ctypes.POINTER(_u32), _size, _i64, _i64)),
        ("read_from", _pointer, (_pointer, _u32, _u64)), ("next", _size, (_pointer, _pointer, _size)),
        ("cursor_close", None, (_pointer,)), ("at", ctypes.c_int, (_pointer, _u32, _u64, _pointer)),
        ("find", ctypes.c_int, (_pointer, _u32, _i64, _pointer)),
        ("linked", _i64, (_pointer, ctypes.c_int, _u32, _u64, _pointer, _size)),
        ("state_at", _pointer, (_pointer, _u32, _u64)),
        ("state_frames", _size, (_pointer, ctypes.POINTER(ctypes.POINTER(_Frame)))),
        ("state_close", None, (_pointer,)), ("open_messages", _i64, (_pointer, _u32, _u64, _pointer, _size))):
    _function = getattr(_lib, "epik_trace_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def _error():
    return Error(_lib.epik_trace_error().decode("utf-8", "replace"))


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _ns(seconds):
    ns = seconds * 1e9
    if ns != ns:
        raise Error("a time is no number")
    return MOST_NS if ns >= MOST_NS else -MOST_NS - 1 if ns <= -MOST_NS else round(ns)


# ctypes takes a number that is too large for another one, so these are looked at before.
def _place(number):
    number = operator.index(number)
    if number < 0:
        raise Error(f"no place {number}: they are numbered from 0 on")
    return min(number, MOST_PLACE)


def _known(number):
    return None if number == NONE else number


# By kind: its name, and the names and types of its fields.
_KINDS = {}
for _kind in range(128):
    _words = _lib.epik_trace_kind_name(_kind).decode()
    if _words:
        _KINDS[_kind] = (_words, [(_lib.epik_trace_field_name(_kind, f).decode(),
                                   _lib.epik_trace_field_type(_kind, f).decode()) for f in range(FIELDS)])
KINDS = {words: kind for kind, (words, _) in _KINDS.items()}


def _value(bits, kind):
    if kind in ("int", "rank", "ns"):
        return bits - 2 ** 64 if bits >= 2 ** 63 else bits
    if kind == "double":
        return struct.unpack("d", struct.pack("Q", bits))[0]
    if kind in ("comm", "window", "region", "callpath", "metric"):
        return _known(bits)
    return bits


class Event:
    """An event of a trace."""
    __slots__ = ("location", "place", "ns", "kind", "call_path", "depth", "made_up", "_kind", "_fields")

    def __init__(self, raw):
        self.location, self.place, self.ns, self.depth = raw.location, raw.place, raw.ns, raw.depth
        self._kind = raw.kind
        self.kind = _KINDS[raw.kind][0] if raw.kind in _KINDS else str(raw.kind)
        self.call_path = _known(raw.call_path)
        self.made_up = bool(raw.flags & 1)
        self._fields = raw.field[:raw.fields] if raw.fields else ()

    @property
    def time(self):
        """Seconds since the job began."""
        return self.ns * 1e-9

    @property
    def fields(self):
        return {name: _value(bits, kind) for bits, (name, kind) in zip(self._fields, _KINDS[self._kind][1])}

    def __getitem__(self, name):
        for bits, (known, kind) in zip(self._fields, _KINDS[self._kind][1]):
            if known == name:
                return _value(bits, kind)
        raise KeyError(f"an event of kind \"{self.kind}\" has no field \"{name}\"")

    def __repr__(self):
        return f"<{self.kind} on location {self.location} at {self.time:.9f} s {self.fields}>"


class Ref:
    """The place of an event."""
    __slots__ = ("location", "place", "kind")

    def __init__(self, raw):
        self.location, self.place = raw.location, raw.place
        self.kind = _KINDS[raw.kind][0] if raw.kind in _KINDS else str(raw.kind)

    def __eq__(self, other):
        if not isinstance(other, (Ref, Event)):
            return NotImplemented
        return (self.location, self.place) == (other.location, other.place)

    def __hash__(self):
        return hash((self.location, self.place))

    def __repr__(self):
        return f"<{self.kind} on location {self.location}, place {self.place}>"


class Thing:
    """A definition, with the attributes of the structure in epik/trace.h."""

    def __init__(self, raw):
        for name, _ in raw._fields_:
            if not name.startswith("_"):
                value = _text(getattr(raw, name))
                setattr(self, name, _known(value) if name in ("region", "parent", "communicator") else value)
        if isinstance(raw, _Communicator):
            self.ranks, self.remote = raw._ranks[:raw._size], raw._remote[:raw._remote_size]

    def __repr__(self):
        return f"<{', '.join(f'{name} {value!r}' for name, value in vars(self).items())}>"


class _Cursor:
    """A cursor of the library, which is closed when nobody has it any more."""

    def __init__(self, cursor):
        if not cursor:
            raise _error()
        self._cursor = cursor

    def next(self, to, most):
        return _lib.epik_trace_next(self._cursor, to, most)

    def __del__(self, close=_lib.epik_trace_cursor_close):
        if getattr(self, "_cursor", None):
            close(self._cursor)


class Trace:
    """The trace of an archive. Iterating gives all events in order of time."""

    def __init__(self, path):
        self._trace, name = None, os.fsencode(path)
        if b"\0" in name:
            raise Error(f"{path!r} is no path")
        self._trace = _lib.epik_trace_open(name)
        if not self._trace:
            raise _error()
        self.problems = [_text(_lib.epik_trace_problem(self._trace, i))
                         for i in range(_lib.epik_trace_problems(self._trace))]
        self.locations = self._things("location", _Location)
        self.regions = self._things("region", _Region)
        self.call_paths = self._things("call_path", _CallPath)
        self.communicators = self._things("communicator", _Communicator)
        self.windows = self._things("window", _Window)
        self.metrics = self._things("metric", _Metric)

    def _things(self, name, structure):
        raw, things = structure(), []
        for number in range(getattr(_lib, f"epik_trace_{name}s")(self._trace)):
            getattr(_lib, "epik_trace_get_" + name)(self._trace, number, ctypes.byref(raw))
            things.append(Thing(raw))
        return things

    def close(self):
        if self._trace:
            _lib.epik_trace_close(self._trace)
        self._trace = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_trace", None):
            self.close()

    def _open(self):
        if not self._trace:
            raise Error("the trace is closed")
        return self._trace

    def _location(self, number):
        number, count = operator.index(number), len(self.locations)
        if 0 <= number < count:
            return number
        raise Error(f"no location {number}: the trace has {count} location{'s, from 0 on' if count != 1 else ''}")

    def _call_path(self, number):
        number, count = operator.index(number), len(self.call_paths)
        if 0 <= number < count:
            return self.call_paths[number]
        raise Error(f"no call path {number}: the trace has {count} call path{'s, from 0 on' if count != 1 else ''}")

    def name(self, call_path):
        """The name of its region; "?" when it is not known."""
        region = None if call_path in (None, NONE) else self._call_path(call_path).region
        return "?" if region is None else self.regions[region].name

    def path(self, call_path):
        """All names from the root on: "main > solve > MPI_Send"."""
        names = []
        while call_path not in (None, NONE):
            names.append(self.name(call_path))
            call_path = self._call_path(call_path).parent
        return " > ".join(reversed(names)) or "?"

    def _cursor(self, locations=None, begin=None, end=None):
        trace = self._open()
        wanted = sorted({self._location(location) for location in locations}) if locations is not None else []
        if locations is not None and not wanted:
            return None
        numbers = (_u32 * max(len(wanted), 1))(*wanted)
        return _Cursor(_lib.epik_trace_read(trace, numbers, len(wanted), -MOST_NS - 1 if begin is None else _ns(begin),
                                            MOST_NS if end is None else _ns(end)))

    def events(self, locations=None, begin=None, end=None):
        """Events in order of time: of some locations, from `begin` to before `end` (seconds)."""
        return self._events(self._cursor(locations, begin, end))

    def events_from(self, location, place=0):
        """The events of a location from a place on."""
        return self._events(_Cursor(_lib.epik_trace_read_from(self._open(), self._location(location), _place(place))))

    def _events(self, cursor):
        batch = (_Event * BATCH)()
        while cursor and self._open() and (count := cursor.next(batch, BATCH)):
            for i in range(count):
                yield Event(batch[i])

    __iter__ = events

    def columns(self, locations=None, begin=None, end=None):
        """The same events as NumPy arrays by name: ns, place, location, call_path, depth, kind, fields, flags, and field
        with a row for each event."""
        import numpy  # only here: all else works without

        dtype = numpy.dtype([("ns", "i8"), ("place", "u8"), ("location", "u4"), ("call_path", "u4"), ("depth", "u4"),
                             ("kind", "u2"), ("fields", "u1"), ("flags", "u1"), ("field", "u8", (FIELDS,))])
        locations = range(len(self.locations)) if locations is None else list(locations)
        cursor = self._cursor(locations, begin, end)
        # Room for all at once: memory that is not written to costs nothing. A damaged trace may say anything.
        places = sum(self.locations[location].places for location in set(locations))
        events = numpy.empty(min(places, MOST_AT_ONCE) + BATCH, dtype)
        count = 0
        while cursor:
            if count == len(events):
                events.resize(2 * count, refcheck=False)
            more = cursor.next(events.ctypes.data + count * dtype.itemsize, len(events) - count)
            if more == 0:
                break
            count += more
        events = events[:count]
        return {name: events[name] for name in dtype.names}

    def _one(self, ask, location, where):
        raw = _Event()
        found = ask(self._open(), self._location(location), where, ctypes.byref(raw))
        if found < 0:
            raise _error()
        return Event(raw) if found else None

    def at(self, location, place):
        """The event at a place, or the first one behind it; None behind the last."""
        return self._one(_lib.epik_trace_at, location, _place(place))

    def find(self, location, time):
        """The first event of a location that is not before `time` (seconds)."""
        return self._one(_lib.epik_trace_find, location, _ns(time))

    def _all(self, structure, ask, *arguments):
        most = 4
        while True:
            raw = (structure * most)()
            count = ask(self._open(), *arguments, raw, most)
            if count < 0:
                raise _error()
            if count <= most:
                return raw[:count]
            most = count

    def linked(self, event, link):
        """The other events that belong to it. `link`: one of epik_trace.LINKS."""
        if link not in LINKS:
            raise Error(f"no link \"{link}\": there are {', '.join(LINKS)}")
        return [Ref(raw) for raw in
                self._all(_Ref, _lib.epik_trace_linked, LINKS.index(link), event.location, event.place)]

    def partner(self, event, link):
        """The one event that belongs to it; None when there is not exactly one."""
        refs = self.linked(event, link)
        return self.at(refs[0].location, refs[0].place) if len(refs) == 1 else None

    def stack(self, event):
        """Calls that are open after an event, outermost first: (call path, seconds when it was entered or None)."""
        state = _lib.epik_trace_state_at(self._open(), event.location, event.place)
        if not state:
            raise _error()
        try:
            frames = ctypes.POINTER(_Frame)()
            count = _lib.epik_trace_state_frames(state, ctypes.byref(frames))
            return [(_known(f.call_path), f.enter_ns * 1e-9 if f.known else None) for f in frames[:count]]
        finally:
            _lib.epik_trace_state_close(state)

    def open_messages(self, event):
        """Messages from and to its location under way after an event: (send, receive), as Ref."""
        return [(Ref(raw.send), Ref(raw.receive)) for raw in
                self._all(_Message, _lib.epik_trace_open_messages, event.location, event.place)]


def open(path):  # noqa: A001: epik_trace.open reads as what it is
    """Opens the trace of an archive."""
    return Trace(path)
