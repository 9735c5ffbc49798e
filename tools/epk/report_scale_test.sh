#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The memory of a text report depends on the definitions and on the rows it shows, not on the values.
set -euo pipefail
epk=$PWD/$1 scale=$PWD/$2
cd "$TEST_TMPDIR"

# Peak memory in MB of a command.
peak() {
  /usr/bin/python3 - "$@" <<'END'
import resource, subprocess, sys
with open("report.txt", "wb") as out:
    subprocess.run(sys.argv[1:], stdout=out, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
}

"$scale" profile.cubex 20000 1024 6000 >/dev/null  # 190 MB of values, those of each metric 47 MB
for view in --tree --flat --load "--callers-of=solver::stage_1*"; do
  memory=$(peak "$epk" report profile.cubex "$view")
  grep -q "solver::stage\|rank:thread" report.txt
  if ((memory > 60)); then
    echo "epk report $view: $memory MB" >&2
    exit 1
  fi
done

# Reports that leave the values in the file have the findings of an analysis, too.
mkdir epik_large
mv profile.cubex epik_large/summary.cubex
cat >epik_large/analysis.json <<'END'
{"causes": {"waited_s": 1, "waits": 1, "unknown_s": 0, "pairs": [], "chains": [{"seconds": 1, "instances": 1, "rank": 0,
 "thread": 0, "kind": "delay_latesender", "callpath": "main", "text": "rank 0 waits for rank 1"}]}, "instances": [],
 "critical_path": {"begin_s": 0, "end_s": 1, "unknown_s": 0, "segments": []}}
END
"$epk" report epik_large >report.txt
grep -q "rank 0 waits for rank 1" report.txt
