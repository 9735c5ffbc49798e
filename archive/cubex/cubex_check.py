# SPDX-License-Identifier: BSD-3-Clause
"""Reads a .cubex file with nothing but Python's library and the published rules, and checks each of them.

Usage: cubex_check.py FILE [--example] [--json REPORT]
With --example the cells must also be those of the validated example, with --json those of `epk report --format json`.
"""
import json
import re
import struct
import sys
import tarfile
import zlib
import xml.etree.ElementTree as xml


def fail(what):
    sys.exit("cubex_check: " + what)


def members_by_cube(data):
    """Goes from member to member as CUBE's reader does."""
    found, at = {}, 0
    while at + 512 <= len(data) and data[at]:
        header = data[at:at + 512]
        name = header[:100].split(b"\0")[0].decode("ascii")
        size = int(header[124:136].strip(b" \0"), 8)
        if header[257:262] != b"ustar":
            fail("no ustar header at %d" % at)
        if size % 512 == 0:
            fail("%s: %d bytes are a multiple of 512" % (name, size))
        found[name] = data[at + 512:at + 512 + size]
        at += 512 + (size // 512 + 1) * 512
    return found


def children_first(roots):
    def below(node):
        children = node.findall("cnode")
        yield from children
        for child in children:
            yield from below(child)
    for root in roots:
        yield root
        yield from below(root)


def preorder(roots):
    for root in roots:
        yield from root.iter("cnode")


def unpacked(number, data, count, row_bytes):
    """Unpacks rows, each of which is a zlib stream."""
    rows, = struct.unpack_from("<Q", data, 11)
    if rows != count:
        fail("metric %s: %d compressed rows of %d" % (number, rows, count))
    plain = bytearray(rows * row_bytes)
    for row in range(rows):
        to, at, length = struct.unpack_from("<QQQ", data, 19 + row * 24)
        begin = 19 + rows * 24 + at
        content = zlib.decompress(data[begin:begin + length])
        if len(content) != row_bytes or to % row_bytes:
            fail("metric %s: row %d" % (number, row))
        plain[to:to + row_bytes] = content
    return b"CUBEX.DATA" + bytes(plain)


def rows_of(metric, members, orders, locations):
    """{cnode id: values of all locations}"""
    if metric.get("id") + ".index" not in members and metric.get("id") + ".data" not in members:
        return {}  # the same when there are no values
    index, data = members[metric.get("id") + ".index"], members[metric.get("id") + ".data"]
    if index[:11] != b"CUBEX.INDEX" or struct.unpack_from("<IHB", index, 11) != (1, 0, 1):
        fail("index of metric " + metric.get("id"))
    count, = struct.unpack_from("<I", index, 18)
    positions = struct.unpack_from("<%dI" % count, index, 22)
    if list(positions) != sorted(set(positions)):
        fail("positions of metric %s do not ascend" % metric.get("id"))
    if data[:11] == b"ZCUBEX.DATA":
        data = unpacked(metric.get("id"), data, count, locations * 8)
    if data[:10] != b"CUBEX.DATA" or not 0 <= len(data) - 10 - count * locations * 8 <= 1:
        fail("length of the data of metric " + metric.get("id"))
    code = {"UINT64": "Q", "DOUBLE": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d"}[metric.findtext("dtype")]
    rows = {}
    for number, position in enumerate(positions):
        row = struct.unpack_from("<%d%s" % (locations, code), data, 10 + number * locations * 8)
        rows[int(orders[metric.get("type")][position].get("id"))] = row
    return rows


def check_ids(elements, attribute):
    ids = sorted(int(e.get(attribute)) for e in elements)
    if ids != list(range(len(ids))) or not ids:
        fail("ids of %s are not 0..n-1" % attribute)
    return len(ids)


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        data = file.read()
    members = members_by_cube(data)
    with tarfile.open(path) as tar:  # verifies checksums
        if {m.name: m.size for m in tar} != {name: len(content) for name, content in members.items()}:
            fail("tar and CUBE see different members")
    text = members["anchor.xml"]
    if not text.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.4">\n'):
        fail("first bytes of the anchor")
    for tag in re.findall(rb"<(\w+)[^>]*/>", text):
        if tag not in (b"attr", b"dim", b"parameter"):
            fail("CUBE does not know <%s/>" % tag.decode())
    if b"'" in text or b"\r" in text or b"<!" in text:
        fail("the anchor has what CUBE's scanner cannot read")
    cube = xml.fromstring(text)
    if [e.tag for e in cube if e.tag != "attr"] != ["doc", "metrics", "program", "system"]:
        fail("order of elements")
    locations = check_ids(cube.iter("location"), "Id")
    regions = check_ids(cube.iter("region"), "id")
    check_ids(cube.iter("cnode"), "id")
    if any(int(c.get("calleeId")) >= regions for c in cube.iter("cnode")):
        fail("a cnode without region")
    roots = cube.find("program").findall("cnode")
    orders = {"EXCLUSIVE": list(preorder(roots)), "INCLUSIVE": list(children_first(roots))}
    values = {}
    for metric in cube.iter("metric"):
        name, shown = metric.findtext("uniq_name"), metric.findtext("disp_name")
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            fail("no formula can name the metric " + name)
        # In EPIK's reports the metric has its real name.
        if re.sub(r"\W", "_", shown.replace("::", ":"), flags=re.ASCII) == name:
            name = shown
        values[name] = rows_of(metric, members, orders, locations)
    if "--example" in sys.argv:
        time = {c: tuple(v + l for l in range(4)) for c, v in enumerate((100.0, 40.0, 8.0, 16.0))}
        mpi = {c: (8.0, 9.0, 10.0, 11.0) for c in range(3)}
        visits = {c: tuple(v * (l + 1) for l in range(4)) for c, v in enumerate((1, 10, 1000, 5))}
        expected = {"time": time, "mpi": mpi, "visits": visits, "energy": {2: (256.0, 257.0, 258.0, 259.0)}}
        if values != expected:
            fail("values differ: %r" % values)
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], encoding="utf-8") as file:
            check_report(values, cube, json.load(file))


def check_report(values, cube, report):
    """Checks that file and report have the same cells, and definitions in the same order."""
    names = [r.findtext("name") for r in sorted(cube.iter("region"), key=lambda r: int(r.get("id")))]
    if [r["name"] for r in report["regions"]] != names:
        fail("regions of the report")
    callees = [int(c.get("calleeId")) for c in sorted(cube.iter("cnode"), key=lambda c: int(c.get("id")))]
    if [p["region"] for p in report["callpaths"]] != callees:
        fail("call paths of the report")
    if [m["unique_name"] for m in report["metrics"]] != list(values):
        fail("metrics of the report")
    nothing = (0, sys.float_info.max, -sys.float_info.max)
    for column in report["values"]:
        shown = {(p, l): v for p, l, v in zip(column["callpath"], column["location"], column["value"])}
        stored = {(p, l): v for p, row in values.pop(column["metric"]).items() for l, v in enumerate(row)}
        for cell in shown.keys() | stored.keys():
            if shown.get(cell, 0) != (0 if stored.get(cell, 0) in nothing else stored[cell]):
                fail("%s of %r: %r in the file, %r in the report" % (column["metric"], cell, stored.get(cell), shown.get(cell)))
    if any(v not in nothing for rows in values.values() for row in rows.values() for v in row):
        fail("values that are not in the report: %s" % ", ".join(values))


main()
