#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Real programs under `epk run`: their status, their signals, the messages afterwards. A library that reports like the
# runtime stands in for libepk.so.
set -u

epk=$PWD/$1
failures=0

fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

refused() { # OPTION VALUE WORDS
  run "$1" "$2" ./prog
  equal "$1 $2" $? 2
  said "$1 $2" "$1 $2: $3"
}

equal() { [ "$2" = "$3" ] || fail "$1: '$2' is not '$3'"; }
said() { grep -q -- "$2" err || fail "$1: '$2' is not said: $(cat err)"; }

cd "$TEST_TMPDIR" || exit 1
mkdir -p lib
cat > runtime.c << 'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define BARE __attribute__((no_instrument_function))
BARE static void Tell(const char* what, const char* path) {
  const char* where = getenv("EPK_INTERNAL_RUN");
  int fd = where ? open(where, O_WRONLY | O_APPEND) : -1;
  if (fd >= 0) dprintf(fd, "%s %d %s\n", what, getpid(), path), close(fd);
}
static int on;
static char path[200];
BARE void __cyg_profile_func_enter(void* f, void* site) {
  (void)f, (void)site;
  if (on++) return;
  snprintf(path, sizeof path, "%s/%d.unfinished", getenv("TEST_TMPDIR"), getpid());
  mkdir(path, 0700);
  Tell("start", path);
}
BARE void __cyg_profile_func_exit(void* f, void* site) { (void)f, (void)site; }
BARE __attribute__((destructor)) static void End(void) { if (on) rmdir(path), Tell("done", "/archive"); }
END
gcc -shared -fPIC runtime.c -Wl,-soname,libepk.so -o lib/libepk.so || exit 1
cat > prog.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == 'k') raise(SIGKILL);
  if (argc > 1 && argv[1][0] == 'w') { puts("waiting"); fflush(stdout); pause(); }
  return argc > 1 ? atoi(argv[1]) : 0;
}
END
gcc -finstrument-functions prog.c -o prog
gcc prog.c -o bare
gcc -finstrument-functions -static prog.c -o fixed
gcc -finstrument-functions prog.c -o linked -Wl,--no-as-needed -Llib -lepk -Wl,-rpath,"$PWD/lib"
gcc -finstrument-functions prog.c -o lost -Wl,--no-as-needed -Llib -lepk
gcc -finstrument-functions prog.c -o late -Wl,--no-as-needed "$(gcc -print-file-name=libgomp.so)" \
  -Llib -lepk -Wl,-rpath,"$PWD/lib"
printf '#!/bin/sh\nexit 5\n' > script && chmod +x script

run() { "$epk" --libdir "$PWD/lib" "$@" 2> err; }

statuses() {
  run sh -c 'exit 7'
  equal "status" $? 7
  run -- ./prog 9
  equal "status after --" $? 9
  run ./absent
  equal "not found" $? 127
  said "not found" "not found"
  mkdir -p folder
  run ./folder
  equal "a folder" $? 126
  said "a folder" "./folder: is a folder"
  run ./prog.c
  equal "not executable" $? 126
  run --no-such-option ./prog
  equal "a wrong option" $? 2
  # shellcheck disable=SC2016  # for the inner shell
  equal "arguments" "$(run -e A=b -e C='d e' sh -c 'echo "$A,$C,$1,$2"' x -n 'f  g')" "b,d e,-n,f  g"
  equal "stdin" "$(echo in | run cat)" in
  # Three descriptors are open, and the record of epk run is the fourth.
  (ulimit -n 4 && run ./prog 9)
  equal "status with few descriptors" $? 9
  said "few descriptors" "analyze /archive"
  (ulimit -n 4 && run ./prog.c)
  equal "not executable, with few descriptors" $? 126
}

# died NAME SIGNAL COMMAND…: bash tells death by a signal from an exit status only in $?, python in the sign.
died() {
  local got
  local returncode='import subprocess, sys; print(subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode)'
  got=$(python3 -c "$returncode" "$epk" --libdir "$PWD/lib" "${@:3}")
  equal "$1" "$got" "-$2"
}

signals() {
  died "killed" 9 ./prog k
  # shellcheck disable=SC2016
  for number in 6 11 13 15; do died "signal $number" $number sh -c 'kill -'$number' $$'; done
  for name in INT TERM HUP USR1; do
    python3 - "$epk" --libdir "$PWD/lib" ./prog w << END || fail "SIG$name sent to epk run does not end both alike"
import os, signal, subprocess, sys
number = signal.SIG$name
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
child.stdout.readline()
child.send_signal(number)
sys.exit(child.wait(20) != -number)
END
  done
  # ^C at a terminal: the program gets it once, and handles it; epk run waits for its end.
  python3 - "$epk" --libdir "$PWD/lib" << 'END' || fail "^C at a terminal"
import os, pty, sys
program = "import signal, sys, time\nn = []\nsignal.signal(2, lambda *a: n.append(1))\nprint('ready', flush=True)\n" \
          "while not n: time.sleep(0.05)\ntime.sleep(0.4)\nsys.exit(40 + len(n))"
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:] + [sys.executable, "-c", program])
seen = b""
while b"ready" not in seen:
    seen += os.read(terminal, 100)
os.write(terminal, b"\x03")
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) != 41)
END
}

what_is_said() {
  for program in ./prog ./linked ./lost ./late "sh -c ./prog" "timeout 20 ./prog" \
    "env -i ./prog" "env -u LD_PRELOAD ./linked" "env - PATH=/bin env -iu HOME sh -c ./prog"; do
    # shellcheck disable=SC2086  # several words
    run $program || fail "$program: $(cat err)"
    equal "$program" "$(cat err)" "analyze /archive"
  done
  run ./prog k
  said "killed" "analyze .*unfinished.recovered"
  TMPDIR=/nowhere run ./prog k
  said "killed, without the folder of TMPDIR" "analyze .*unfinished.recovered"
  mkdir -p temporary
  TMPDIR=temporary run sh -c 'cd / && exec "$OLDPWD/prog"'
  equal "a relative TMPDIR, and another folder" "$(cat err)" "analyze /archive"
  run ./bare
  said "without hooks" "no hooks: compile it with epk instrument"
  run ./fixed
  said "static" "statically"
  run ./script
  equal "script" $? 5
  said "script" "is a script for /bin/sh"
  run "$epk" --libdir "$PWD/lib" ./prog
  equal "epk run within epk run" "$(sort -u err)" "analyze /archive"
  run "$epk" --libdir "$PWD/lib" ./bare
  said "epk run within epk run, without hooks" "bare has no hooks"
  mkdir epik_old_1x1_sum
  sleep 0.02
  run sh -c 'mkdir epik_new_1x1_sum'
  equal "an archive that nobody told of" "$(grep -c "epk report $PWD/epik_new_1x1_sum" err):$(wc -l < err)" 1:1
  run sh -c 'mkdir epik_new.5.unfinished'
  said "an unfinished archive that nobody told of" "epk recover $PWD/epik_new.5.unfinished"
  run ./bare
  said "old archives" "no hooks"
  echo "EPK_ENABLED = no" > EPIK.CONF
  run ./bare
  said "switched off by a file" "EPK_ENABLED switches measurement off in .*EPIK.CONF:1"
  rm EPIK.CONF
  refused -t foo "not a"
  refused --title a/b "not a"
  refused -o "$PWD/nowhere" "no such folder; archives are made in it, and --title names them"
  refused -o "$PWD/prog" "no archive can be made there: Not a directory"
  refused -f nowhere "no such filter file"
  refused -e EPK_TRACE=foo "not a"
  equal "dry run" "$(run -n -t comm ./prog x)" "EPK_TRACE=comm LD_PRELOAD=$PWD/lib/libepk.so ./prog x"
  equal "dry run, linked" "$(run -n ./linked)" ./linked
  equal "dry run, linked behind libgomp" "$(run -n ./late)" "LD_PRELOAD=$PWD/lib/libepk.so ./late"
  ls "${TMPDIR:-/tmp}"/epk_run_* > /dev/null 2>&1 && fail "temporary files are left"
}

mpi() {
  for flavour in openmpi mpich; do
    if ! command -v mpirun.$flavour > /dev/null; then
      echo "skipped: mpirun.$flavour is not installed (./dev setup)" >&2
      continue
    fi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    run --title t mpirun.$flavour -n 2 ./prog : -n 1 ./prog || fail "mpirun.$flavour: $(cat err)"
    said "mpirun.$flavour" "analyze /archive"
    run mpirun.$flavour -n 2 ./absent
    said "mpirun.$flavour without a program" "epk run: the command failed (status [0-9]*) before anything was measured"
    run -e EPK_ENABLED=no mpirun.$flavour --no-such-option ./prog
    said "mpirun.$flavour, switched off" "epk run: EPK_ENABLED switches measurement off"
    run mpirun.$flavour --no-such-option ./prog
    said "mpirun.$flavour, a wrong option" "epk run: the command failed (status [0-9]*) before anything was measured"
    # shellcheck disable=SC2016
    equal "mpirun.$flavour" "$(run -e EPK_CLEAN=1 mpirun.$flavour -n 2 sh -c 'echo $EPK_CLEAN$LD_PRELOAD' | sort -u)" \
      "1$PWD/lib/libepk.so"
  done
}

export TMPDIR=$TEST_TMPDIR
statuses
signals
what_is_said
mpi
exit $((failures > 0))
