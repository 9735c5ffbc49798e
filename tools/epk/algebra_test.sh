#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of the algebra as people type them: results, messages, exit status.
set -euo pipefail
epk=$PWD/$1 sample=$PWD/$2 check=$PWD/$3
cd "$TEST_TMPDIR"
"$sample" a.cubex

fail() { echo "$*" >&2; exit 1; }
# expect STATUS TEXT COMMAND...: the status, and a text somewhere in the output.
expect() {
  local want=$1 text=$2 status=0
  shift 2
  "$@" >out 2>&1 || status=$?
  [[ $status == "$want" ]] || fail "status $status and not $want: $* : $(cat out)"
  grep -qF -- "$text" out || fail "no '$text': $* : $(cat out)"
}

# Results are valid inputs, and the mean of one profile is that profile, byte by byte.
"$epk" mean a.cubex a.cubex a.cubex -o mean.cubex
cmp a.cubex mean.cubex
"$epk" convert a.cubex --to cubex -o copy.cubex
cmp a.cubex copy.cubex
"$epk" diff a.cubex mean.cubex -o zero.cubex
"$epk" merge zero.cubex a.cubex -o epik_merged
"$epk" max epik_merged a.cubex -o most.cubex
"$epk" min most.cubex most.cubex -o least.cubex
"$epk" cut least.cubex --root solve -o cut.cubex
expect 0 "solve > MPI_Send" "$epk" report cut.cubex
expect 1 "epik_merged exists" "$epk" mean a.cubex -o epik_merged
expect 0 "merge of zero.cubex a.cubex" "$epk" report epik_merged
expect 1 "did you mean solve?" "$epk" cut a.cubex --root Solv -o x.cubex
expect 2 "--root or --prune" "$epk" cut a.cubex -o x.cubex
expect 1 "nowhere: No such file" "$epk" mean nowhere -o x.cubex
[[ ! -e x.cubex ]] || fail "a result in spite of the error"

# The example has 166 s in solve and below, 38 of them in MPI_Send.
"$epk" cut a.cubex --prune MPI_Send --root main -o pruned.cubex
expect 0 "gone" "$epk" diff a.cubex pruned.cubex
expect 1 "FAILED  time:MPI_* < -50%" "$epk" diff a.cubex pruned.cubex --fail-if 'time:MPI_* < -50%'
expect 0 "passed  time:solve > 1%" "$epk" diff a.cubex pruned.cubex --fail-if 'time:solve > 1%'
expect 1 "- ❌" "$epk" diff a.cubex pruned.cubex --fail-if 'time:MPI_Send <= -38s' --format markdown
expect 0 "* significant" "$epk" diff a.cubex a.cubex -- a.cubex pruned.cubex
expect 2 "put -- between" "$epk" diff a.cubex a.cubex a.cubex
expect 2 "expected METRIC:REGION > VALUE" "$epk" diff a.cubex a.cubex --fail-if 'time is long'
expect 2 "no metric is called 'tiem'" "$epk" diff a.cubex a.cubex --metric tiem
expect 2 "no region is called 'sovle'" "$epk" diff a.cubex a.cubex --fail-if 'time:sovle > 5%'
expect 2 "no region can be named" "$epk" diff a.cubex a.cubex --fail-if 'wall:solve > 5%'
expect 0 "passed  wall > 5%" "$epk" diff a.cubex a.cubex --metric wall --fail-if 'wall > 5%'
"$epk" diff a.cubex pruned.cubex --format json >diff.json
"$epk" convert a.cubex --to cube3 -o a.cube
"$epk" report a.cubex --format hatchet -o a.json
"$epk" report a.cubex --format pprof -o a.pb.gz
# A value that is no number is no zero.
python3 - <<'END'
whole = open("a.cubex", "rb").read()
magic = b"CUBEX.DATA"
at = whole.index(magic) + len(magic)
for name, value in (("nan.cubex", b"\0" * 6 + b"\xf8\x7f"), ("inf.cubex", b"\0" * 6 + b"\xf0\x7f")):
    open(name, "wb").write(whole[:at] + value + whole[at + 8:])
END
for bad in nan.cubex inf.cubex; do
  expect 2 "time is infinite or no number in 1 of 2 runs" "$epk" diff a.cubex $bad --fail-if 'time > 5%'
  expect 0 "time is infinite or no number in 1 of 2 runs" "$epk" diff a.cubex $bad
  expect 0 "406 s → -, - (-), sums" "$epk" diff a.cubex $bad
  expect 0 "time: 406 s → -, - (-), sums" "$epk" diff a.cubex $bad --format markdown
  expect 0 "passed  visits > 5%" "$epk" diff a.cubex $bad --fail-if 'visits > 5%'
  expect 1 "metric time has 1 value that no run has: ${bad%.cubex} of " "$epk" check $bad
done

# Lost values are faults. A negative time is one in a run alone, because a difference has such times.
python3 - <<'END'
import io
import tarfile
for name, keep in (("lost.cubex", 0), ("cut.cubex", 130)):
    with tarfile.open("a.cubex") as old, tarfile.open(name, "w", format=tarfile.USTAR_FORMAT) as new:
        for member in old:
            data = old.extractfile(member).read()
            if member.name == "0.data":
                if keep == 0:
                    continue
                data = data[:keep]
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
END
expect 1 "metric time has lost its values" "$epk" check lost.cubex
expect 1 "metric time is cut off: 3 of 4 rows are there" "$epk" check cut.cubex
expect 0 "nothing is wrong" "$epk" check a.cubex
"$epk" diff a.cubex pruned.cubex -o less.cubex
expect 0 "nothing is wrong" "$epk" check less.cubex
mkdir epik_run
cp less.cubex epik_run/summary.cubex
echo '{"manifest_version": 1, "program": "solver", "ended": "exit"}' >epik_run/manifest.json
expect 1 "metric time has 4 values that no run has: -8 of " "$epk" check epik_run
expect 2 "needs -o" "$epk" convert a.cubex --to cubex

# The file, read by the published rules alone, holds what the report shows.
"$epk" report a.cubex --format json -o whole.json
python3 "$check" a.cubex --json whole.json
sed 's/1000/1001/' whole.json >wrong.json
if python3 "$check" a.cubex --json wrong.json 2>/dev/null; then fail "cubex_check.py accepts a changed report"; fi

# Where the locale is not UTF-8, a table has no other characters than ASCII.
echo 'EXCLUDE REGION solve' >solve.filter
LC_ALL=C COLUMNS=200 "$epk" score a.cubex -f solve.filter >score.txt
if LC_ALL=C grep '[^ -~]' score.txt; then fail "not ASCII"; fi

# One program at several scales.
expect 0 "Computation scaling" "$epk" report --pop a.cubex pruned.cubex
expect 0 "| threads |" "$epk" report --pop a.cubex pruned.cubex --scaling weak --format markdown
expect 2 "several archives only with --pop" "$epk" report a.cubex pruned.cubex
expect 2 "several archives can be shown as text, json, csv or markdown only" "$epk" report --pop a.cubex a.cubex --format folded
expect 1 "nowhere: No such file" "$epk" report --pop a.cubex nowhere
expect 0 "--scaling" "$epk" help report

python3 - <<'EOF'
import json
import xml.etree.ElementTree as xml

diff = json.load(open("diff.json"))
assert diff["total"]["difference"] == 0, diff["total"]
changes = {c["path"]: c["exclusive"]["difference"] for c in diff["call_paths"]}
assert changes["main > solve > MPI_Send"] == -38 and changes["main > solve"] == 38, changes

cube = xml.parse("a.cube").getroot()
names = {m.get("id"): m.find("uniq_name").text for m in cube.iter("metric")}
sums = {names[m.get("metricId")]: sum(float(v) for r in m for v in r.text.split()) for m in cube.iter("matrix")}
assert sums == {"time": 406, "mpi": 38, "visits": 10160, "energy": 1030}, sums
threads = [int(t.get("Id")) for t in cube.iter("thread")]
assert threads == list(range(4)), threads

(root,) = json.load(open("a.json"))
assert root["metrics"]["time (inc)"] == 406 and len(root["children"]) == 2, root["metrics"]
EOF

# pprof's own reader, where it is installed.
if command -v go >/dev/null; then
  HOME=$TEST_TMPDIR go tool pprof -top -sample_index=time a.pb.gz >top 2>&1
  grep -Eq '128s 31.53% .*166s .*solve' top || fail "pprof: $(cat top)"
fi
