#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Real compilers, real builds: the commands of `epk instrument` must compile and link, and the programs must run and be
# measured. A library that counts hook calls stands in for libepk.so.
set -u

epk=$PWD/$1
work=$TEST_TMPDIR
failures=0

fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# Says when a compiler is not installed, because that is no failure.
have() {
  command -v "$1" > /dev/null && return 0
  echo "skipped: $1 is not installed (./dev setup)" >&2
  return 1
}

equal() { [ "$2" = "$3" ] || fail "$1: '$2' is not '$3'"; }

mkdir -p "$work/lib" "$work/include/epik"
cat > "$work/hooks.c" << 'END'
#include <stdio.h>
#define BARE __attribute__((no_instrument_function))
static int entered, left;
BARE void __cyg_profile_func_enter(void* f, void* site) { (void)f, (void)site, ++entered; }
BARE void __cyg_profile_func_exit(void* f, void* site) { (void)f, (void)site, ++left; }
BARE void __wrap___cyg_profile_func_enter(void* f, void* site) { __cyg_profile_func_enter(f, site); }
BARE void __wrap___cyg_profile_func_exit(void* f, void* site) { __cyg_profile_func_exit(f, site); }
BARE __attribute__((destructor)) static void Say(void) { if (entered) fprintf(stderr, "hooks %d %d\n", entered, left); }
END
gcc -shared -fPIC "$work/hooks.c" -Wl,-soname,libepk.so -o "$work/lib/libepk.so" || exit 1
export EPK_INSTRUMENT_FLAGS="--libdir '$work/lib' --includedir '$work/include'"

cd "$work" || exit 1
cat > main.c << 'END'
#include <stdio.h>
int twice(int);
int main(int argc, char** argv) { (void)argv; printf("%d\n", twice(argc)); return 0; }
END
echo 'int twice(int x) { return 2 * x; }' > twice.c
(echo 'extern "C" int twice(int);' && cat main.c) > main.cc
cat > main.f90 << 'END'
program p
  print '(i0)', twice(1)
contains
  integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function
end program
END
cat > sort.cc << 'END'
#include <algorithm>
#include <cstdio>
#include <vector>
static int Odd(const std::vector<int>& v) { int n = 0; for (int x : v) n += x & 1; return n; }
int main() {
  std::vector<int> v;
  for (int i = 0; i < 1000; ++i) v.push_back(i * 7919 % 1000);
  std::sort(v.begin(), v.end());
  std::printf("%d\n", Odd(v));
}
END

# run NAME PROGRAM OUTPUT HOOKS
run() {
  equal "$1: output" "$("$2" 2> err)" "$3"
  equal "$1: hooks" "$(cat err)" "$4"
}

needs_library() { readelf -d "$1" | grep -q 'NEEDED.*libepk.so' || fail "$1 does not need libepk.so"; }

compile_and_link() {
  for flags in -O0 -O2 "-O2 -flto" "-O2 -Wl,--as-needed" "-O2 -fopenmp"; do
    for c in gcc clang; do
      have $c || continue
      rm -f prog ./*.o
      # shellcheck disable=SC2086  # several words
      "$epk" $c ${flags%-Wl*} -Werror main.c -c && "$epk" $c ${flags%-Wl*} -Werror -c twice.c -o twice.o
      # shellcheck disable=SC2086
      "$epk" $c $flags main.o twice.o -o prog || fail "$c $flags"
      needs_library prog
      case "$c $flags" in
        *lto*) grep -q . <(./prog 2>&1 > /dev/null) || fail "$c -flto: no hooks" ;;
        *) run "$c $flags" ./prog 2 "hooks 2 2" ;;
      esac
    done
  done
  "$epk" gcc -O1 main.c twice.c -o prog && run "in one step" ./prog 2 "hooks 2 2"
  have g++ && "$epk" g++ -x c++ main.cc -x c++ - -o prog <<< 'extern "C" int twice(int x) { return 2 * x; }' &&
    run g++ ./prog 2 "hooks 2 2"
  have gfortran && "$epk" gfortran -Wall -Werror main.f90 -o prog && run gfortran ./prog 2 "hooks 3 3"
  printf '%s\n' '-O1 main.c' '"twice.c" -o prog' > words
  "$epk" gcc @words && run "response file" ./prog 2 "hooks 2 2"
  for c in mpicc.openmpi mpicc.mpich; do
    have $c || continue
    "$epk" $c -O0 main.c twice.c -o prog && run $c ./prog 2 "hooks 2 2"
    printf '%s\n' 'twice' '*with, comma*' > filter
    "$epk" --filter filter $c -O0 main.c twice.c -o prog && run "$c with a filter" ./prog 2 "hooks 1 1"
  done
}

shared_and_static() {
  "$epk" gcc -shared -fPIC twice.c -o libtwice.so && "$epk" gcc main.c -L. -ltwice -Wl,-rpath,"$work" -o prog
  run "shared library" ./prog 2 "hooks 2 2"
  "$epk" gcc -r twice.c -o part.o && "$epk" gcc main.c part.o -o prog && run "partial link" ./prog 2 "hooks 2 2"
  "$epk" gcc -static main.c twice.c -o prog 2> err || fail "-static"
  grep -q static err || fail "-static is not said"
  equal "-static" "$(./prog)" 2
  # It is linked in front of a runtime whose calls it must get first.
  "$epk" gcc main.c twice.c "$(gcc -print-file-name=libgomp.so)" -o prog -Wl,--no-as-needed
  readelf -d prog | grep -o 'lib[a-z]*\.so' | head -1 | grep -q libepk || fail "libgomp stands before libepk.so"
}

headers_have_no_hooks() {
  local calls
  "$epk" g++ -O2 -c sort.cc
  calls=$(objdump -dr sort.o | grep -c 'R_X86.*__cyg_profile_func_enter')
  [ "$calls" -le 6 ] || fail "g++: $calls hooks in the sorting program"
  "$epk" --all-calls g++ -O2 -c sort.cc
  calls=$(objdump -dr sort.o | grep -c 'R_X86.*__cyg_profile_func_enter')
  [ "$calls" -gt 100 ] || fail "g++ --all-calls: $calls hooks"
  have clang++ || return
  "$epk" clang++ -O2 -c sort.cc
  calls=$(objdump -dr sort.o | grep -c 'R_X86.*__cyg_profile_func_enter')
  [ "$calls" -le 6 ] || fail "clang++: $calls hooks in the sorting program"
}

# We may add -g1, because it changes only names.
debug_information_changes_no_code() {
  for c in g++ clang++; do
    have $c || continue
    for level in -O0 -O3; do
      $c $level -finstrument-functions -c sort.cc -o a.o && $c $level -g1 -finstrument-functions -c sort.cc -o b.o
      for section in .text .rodata .data; do
        objcopy -O binary -j $section a.o a.bin && objcopy -O binary -j $section b.o b.bin
        cmp -s a.bin b.bin || fail "$c $level: -g1 changes $section"
      done
      equal "$c $level: code" "$(objdump -d a.o | tail -n +4)" "$(objdump -d b.o | tail -n +4)"
    done
  done
}

status_and_output() {
  "$epk" gcc absent.c 2> err && fail "a failing compiler's status is lost"
  grep -q absent.c err || fail "its message is lost"
  "$epk" no-such-compiler -c main.c 2> /dev/null
  equal "no compiler" $? 127
  equal "version" "$("$epk" gcc --version 2>&1)" "$(gcc --version)"
  equal "preprocessing" "$("$epk" gcc -E main.c 2>&1)" "$(gcc -E main.c)"
  equal "gcc's own -v" "$("$epk" gcc -v 2>&1 | tail -1)" "$(gcc -v 2>&1 | tail -1)"
  equal "silence" "$("$epk" gcc -c main.c 2>&1)" ""
  equal "off" "$(EPK_INSTRUMENT=off "$epk" -n gcc -c main.c)" "gcc -c main.c"
  # shellcheck disable=SC2016  # for the inner shell
  printf '#!/bin/sh\nkill -TERM $$\n' > gcc-killed && chmod +x gcc-killed
  "$epk" ./gcc-killed -c main.c 2> /dev/null
  equal "a killed compiler" $? 143
  # A compiler that refuses our additions. It is in no folder of PATH, which may contain the current one.
  mkdir -p picky
  cat > picky/gcc << END
#!/bin/sh
case "\$*" in
  *-v*) echo "gcc version 12" >&2 ;;
  *finstrument*) exit 1 ;;
  *) exec $(command -v gcc) "\$@" ;;
esac
END
  chmod +x picky/gcc
  rm -f main.o
  "$epk" picky/gcc -c main.c 2> /dev/null && fail "a refusal is lost"
  "$epk" --keep-going picky/gcc -c main.c 2> /dev/null || fail "--keep-going"
  [ -f main.o ] || fail "--keep-going left no object"
}

printed_flags_work() {
  # shellcheck disable=SC2046  # several words
  gcc -O0 $("$epk" --print-flags compile gcc) main.c twice.c $("$epk" --print-flags link gcc) -o prog
  run "--print-flags" ./prog 2 "hooks 2 2"
  echo '#define FROM_EPIK 2' > include/epik/epik.h
  printf '#ifdef EPIK\n#include <epik/epik.h>\n#endif\nint twice(int x) { return FROM_EPIK * x; }\n' > user.c
  "$epk" --user gcc -O0 main.c user.c -o prog && run "--user" ./prog 2 "hooks 2 2"
}

configure_like() {
  # Acts like autoconf, which tests flags under -Werror, functions by linking, and a size by running.
  echo 'int main(void) { return 0; }' > conftest.c
  "$epk" gcc -Werror -Wall -c conftest.c 2> err && [ ! -s err ] || fail "a flag probe"
  "$epk" gcc -o conftest conftest.c -lm 2> err && ./conftest 2>> err && [ ! -s err ] || fail "a link probe"
  readelf -d conftest | grep -q libepk && fail "a probe is linked to libepk.so"
  "$epk" gcc -Werror -fno-such-flag -c -x c /dev/null -o /dev/null 2> /dev/null && fail "a wrong flag is accepted"
  have autoconf || return
  mkdir -p auto && cd auto || return
  cat > configure.ac << 'END'
AC_INIT([small], [1])
AC_CONFIG_FILES([Makefile])
AC_PROG_CC
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([cos], [m])
AC_OUTPUT
END
  printf 'prog:\n\t@CC@ @CFLAGS@ ../main.c ../twice.c -o $@ @LIBS@\n' > Makefile.in
  autoconf 2> /dev/null && ./configure -q CC="$epk gcc" CFLAGS=-O0 && make -s && run autoconf ./prog 2 "hooks 2 2"
  cd ..
}

cmake_builds() {
  have cmake || return
  mkdir -p project
  cat > project/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.16)
project(small C CXX)
include(CheckCCompilerFlag)
include(CheckCSourceRuns)
check_c_compiler_flag(-Wall HAS_WALL)
check_c_compiler_flag(-fno-such-flag HAS_NONE)
check_c_source_runs("int main(void) { return 0; }" RUNS)
if(NOT HAS_WALL OR HAS_NONE OR NOT RUNS)
  message(FATAL_ERROR "probes: '${HAS_WALL}' '${HAS_NONE}' '${RUNS}'")
endif()
if(CMAKE_C_IMPLICIT_LINK_LIBRARIES MATCHES epk)
  message(FATAL_ERROR "EPIK's library is taken for the compiler's")
endif()
find_package(OpenMP)
add_library(twice SHARED ../twice.c)
add_executable(prog ../main.c)
target_link_libraries(prog twice)
if(OpenMP_C_FOUND)
  target_link_libraries(prog OpenMP::OpenMP_C)
endif()
END
  CC="$epk gcc" CXX="$epk g++" cmake -S project -B by_cc > log 2>&1 &&
    cmake --build by_cc >> log 2>&1 || fail "cmake with CC: $(cat log)"
  run "cmake with CC" by_cc/prog 2 "hooks 2 2"
  cmake -S project -B by_launcher -DCMAKE_C_COMPILER_LAUNCHER="$epk" -DCMAKE_C_LINKER_LAUNCHER="$epk" > log 2>&1 &&
    cmake --build by_launcher >> log 2>&1 || fail "cmake with launchers: $(cat log)"
  run "cmake with launchers" by_launcher/prog 2 "hooks 2 2"
}

# libtool writes options of the linker whose values are words of their own.
libtool_links() {
  gcc -c -fPIC twice.c -o twice.lo.o
  "$epk" gcc -shared twice.lo.o -Wl,-soname -Wl,libhi.so.0 -o libhi.so.0.0.0 || fail "-Wl,-soname -Wl,NAME"
  readelf -d libhi.so.0.0.0 | grep -q 'SONAME.*\[libhi.so.0\]' || fail "another soname"
  "$epk" gcc -shared twice.lo.o -Xlinker -h -Xlinker libhi.so.1 -o libhi.so.1 || fail "-Xlinker -h"
  readelf -d libhi.so.1 | grep -q 'SONAME.*\[libhi.so.1\]' || fail "another soname after -Xlinker -h"
  "$epk" gcc main.c -Wl,-rpath-link -Wl,"$work" -Wl,-rpath -Wl,"$work" ./libhi.so.1 -o prog || fail "-rpath-link"
  needs_library prog
}

# Underneath an MPI's wrapper, MPI's library stands in the command itself: the adapter must come, before it.
below_wrappers() {
  local mpi
  for mpi in openmpi mpich; do
    have mpicc.$mpi || continue
    gcc -shared -x c /dev/null -Wl,-soname,libepk_mpi_$mpi.so -o lib/libepk_mpi_$mpi.so
    OMPI_CC="$epk gcc" MPICH_CC="$epk gcc" mpicc.$mpi main.c twice.c -o prog || fail "below mpicc.$mpi"
    readelf -d prog | grep NEEDED | head -2 | grep -q "libepk_mpi_$mpi.so" || fail "mpicc.$mpi brings no adapter"
    rm lib/libepk_mpi_$mpi.so
  done
}

compile_and_link
shared_and_static
libtool_links
below_wrappers
headers_have_no_hooks
debug_information_changes_no_code
status_and_output
printed_flags_work
configure_like
cmake_builds
exit $((failures > 0))
