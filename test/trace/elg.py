# SPDX-License-Identifier: BSD-3-Clause
"""A reader of traces, written from docs/formats.md alone: the page must be complete and right."""

import pathlib
import struct
import zlib

SIGNED = {"int", "rank", "ns"}


def kinds(formats):
    """The table of records in the text: kind -> (name, [(field, kind of field)])."""
    result = {}
    for line in pathlib.Path(formats).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3 or not cells[0].isdigit() or int(cells[0]) in result:
            continue
        fields = []
        for field in cells[2].split(", ") if cells[2] else []:
            name, _, kind = field.partition(" (")
            fields.append((name, kind.rstrip(")")))
        if all(kind for _, kind in fields):
            result[int(cells[0])] = (cells[1], fields)
    return result


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value // 2 if value % 2 == 0 else -((value + 1) // 2)

    def optional(self):
        value = self.number()
        return None if value == 0 else value - 1

    def raw(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.raw(self.number()).decode("utf-8", "replace")

    def items(self, read):
        return [read() for _ in range(self.number())]


class Slot:
    def __init__(self, node, parent, place):
        self.node, self.parent, self.children, self.place = node, parent, [], place
        self.entered = self.left = self.record = "exit"


def context(slot, kind):
    return (slot.place * 0x9e3779b1 ^ kind * 0x85ebca6b) % 2**32 >> 22


def record_as_it_is(fields, ticks, table):
    """Its name and values, in blocks that predict none."""
    name, declared = table[fields.number()]
    values = {}
    for field, kind in declared:
        if kind == "double":
            values[field] = struct.unpack("<d", fields.raw(8))[0]
        elif kind == "ticks":
            values[field] = ticks + fields.signed()
        else:
            values[field] = fields.signed() if kind in SIGNED else fields.number()
    return name, values


def predicted_record(fields, ticks, table, slot, kinds, memory):
    """Its name and values; `kinds` and `memory` are of the records before it, by context."""
    first = fields.number()
    number = kinds.get(context(slot, 0), 0) if first < 2 else first - 2
    others = fields.number() if first != 0 else 0
    name, declared = table[number]
    last = memory.setdefault(context(slot, number), [0] * 6)
    values = {}
    for place, (field, kind) in enumerate(declared):
        word = ticks if kind == "ticks" else last[place] + (kind == "request")
        if others >> place & 1:
            word = struct.unpack("<Q", fields.raw(8))[0] if kind == "double" else word + fields.signed()
        last[place] = word = word % 2**64
        if kind == "double":
            values[field] = struct.unpack("<d", struct.pack("<Q", word))[0]
        else:
            values[field] = word - 2**64 if kind in SIGNED and word >= 2**63 else word
    kinds[context(slot, 0)] = number
    return name, values


def block_events(header, content, table):
    """(ticks, what, node, depth, fields) of each event of a block."""
    columns, at = [], 0
    for size in header["columns"]:
        columns.append(Bytes(content[at:at + size]))
        at += size
    nodes, runs, tokens, steps, fields = columns
    last_node, slots = 0, 1
    kinds, memory = {}, {}

    def child(parent, number):
        nonlocal last_node, slots
        if number == len(parent.children):
            last_node += nodes.signed()
            parent.children.append(Slot(last_node, parent, slots))
            slots += 1
        return parent.children[number]

    current = Slot(0, None, 0)
    current.parent = current
    for _ in range(header["open"]):
        current = child(current, 0)
    force = (current, "record")
    ticks, depth = header["first"], header["depth"]
    run = runs.number()
    for _ in range(header["events"]):
        slot, which = force
        if run > 0:
            run -= 1
        else:
            token = tokens.number()
            setattr(slot, which, ("exit", "record")[token] if token < 2 else child(current, token - 2))
            run = runs.number()
        what = getattr(slot, which)
        ticks += steps.number() * header["unit"]
        if what == "exit":
            depth -= 1
            yield ticks, "exit", current.node, depth, {}
            force = (current, "left")
            current = current.parent
        elif what == "record":
            if header["method"] & 2:
                name, values = predicted_record(fields, ticks, table, current, kinds, memory)
            else:
                name, values = record_as_it_is(fields, ticks, table)
            yield ticks, name, current.node, depth, values
            force = (current, "record")
        else:
            current = what
            yield ticks, "enter", current.node, depth, {}
            depth += 1
            force = (current, "entered")
    assert (ticks, depth) == (header["last"], header["end_depth"])
    assert steps.at == len(steps.data) and tokens.at == len(tokens.data) and fields.at == len(fields.data)


def crc_is_right(data, crc):
    return zlib.crc32(data) == crc


def blocks(data):
    """(header, content) of each block, by the index."""
    magic, version, size, _, rank, index, _ = struct.unpack_from("<8sIIIiQI", data)
    assert (magic, version, size) == (b"EPIKELG\n", 1, 64) and rank >= 0
    magic, crc, count = struct.unpack_from("<4sIQ", data, index)
    assert magic == b"EPKI" and crc_is_right(data[index + 16:index + 16 + 32 * count], crc)
    for i in range(count):
        offset, location, events, first, last = struct.unpack_from("<QIIQQ", data, index + 16 + 32 * i)
        head = data[offset:offset + 128]
        words = struct.unpack("<4sIIIIIIIQIIIIQQQ5I28x", head)
        keys = ("magic", "crc", "size", "bytes", "content_crc", "location", "method", "events", "first_word", "words",
                "depth", "open", "end_depth", "first", "last", "unit")
        header = dict(zip(keys, words))
        header["columns"] = words[len(keys):]
        assert header["magic"] == b"EPKB" and header["size"] == 128 and offset % 8 == 0
        assert crc_is_right(head[:4] + bytes(4) + head[8:], header["crc"])
        assert (location, events, first, last) == tuple(header[k] for k in ("location", "events", "first", "last"))
        content = data[offset + 128:offset + 128 + header["bytes"]]
        assert crc_is_right(content, header["content_crc"])
        yield header, zlib.decompress(content, -15) if header["method"] & 1 else content


def definitions(data):
    magic, version, size, rest, crc = struct.unpack_from("<8sIIQI", data)
    assert (magic, version, size) == (b"EPIKDEF\n", 1, 32)
    b = Bytes(data[32:])
    assert len(b.data) == rest and crc_is_right(b.data, crc)
    result = {"origin": b.signed(), "machine": b.text(), "hosts": b.items(b.text)}
    result["processes"] = b.items(lambda: (b.number(), b.signed(), b.text()))
    result["locations"] = b.items(lambda: (b.number(), b.signed(), b.text()))
    result["regions"] = b.items(
        lambda: (b.text(), b.text(), b.text(), b.signed(), b.signed(), b.text(), b.text(), b.text()))
    result["paths"] = b.items(lambda: (b.number(), b.optional()))
    result["communicators"] = b.items(lambda: (b.text(), b.items(b.number), b.items(b.number)))
    result["windows"] = b.items(lambda: (b.text(), b.optional()))
    assert b.at == len(b.data)
    return result


def numbers(b):
    pairs, own, meaning = {}, 0, 0
    for _ in range(b.number()):
        own += b.number()
        meaning += b.signed()
        pairs[own] = meaning
    return pairs


def maps(data):
    magic, version, size, count, crc = struct.unpack_from("<8sIIQI", data)
    assert (magic, version, size) == (b"EPIKMAP\n", 1, 32)
    assert crc_is_right(data[32:32 + 16 * count], crc)
    for i in range(count):
        offset, length, part_crc = struct.unpack_from("<QII", data, 32 + 16 * i)
        b = Bytes(data[offset:offset + length])
        assert crc_is_right(b.data, part_crc)
        part = {"rank": b.signed(), "pid": b.number(), "file": b.text(), "pair": (b.number(), b.number()),
                "tick": struct.unpack("<d", b.raw(8))[0]}
        part["offsets"] = b.items(lambda: (b.signed(), b.signed(), b.signed()))
        part["begin"], part["end"] = b.number(), b.number()
        for name in ("nodes", "regions", "communicators", "windows"):
            part[name] = numbers(b)
        part["metrics"] = b.items(lambda: (b.number(), b.text(), b.text()))
        part["kinds"] = [(b.number(), b.raw(8)) for _ in part["metrics"]] if b.at < len(b.data) else []
        part["of_constructs"] = b.items(b.number) if b.at < len(b.data) else []
        assert b.at == len(b.data)
        yield part


def read(archive, formats):
    """All events of an archive: rank, thread -> list of (seconds, what, region or None, depth, fields)."""
    archive = pathlib.Path(archive)
    table = kinds(formats)
    names = definitions((archive / "defs.epk").read_bytes())
    result = {}
    for part in maps((archive / "maps.epk").read_bytes()):
        ticks0, ns0 = part["pair"]
        offset, slope = 0, 0
        if part["offsets"]:
            at, offset, _ = part["offsets"][0]
            if len(part["offsets"]) > 1 and part["offsets"][1][0] > at:
                slope = (part["offsets"][1][1] - offset) / (part["offsets"][1][0] - at)
        for header, content in blocks((archive / part["file"]).read_bytes()):
            stream = result.setdefault((part["rank"], header["location"]), [])
            for ticks, what, node, depth, fields in block_events(header, content, table):
                ns = ns0 + (ticks - ticks0) * part["tick"] * 1e9
                if part["offsets"]:
                    ns += offset + (ns - part["offsets"][0][0]) * slope
                path = part["nodes"].get(node)
                region = None if path is None else names["regions"][names["paths"][path][0]][0]
                stream.append(((ns - names["origin"]) * 1e-9, what, region, depth, fields))
    return result
