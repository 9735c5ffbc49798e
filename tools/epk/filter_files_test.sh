#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Filters that an archive or a user names: what kind of file they are, who may read them, and what they write.
# Usage: filter_files_test.sh EPK CUBEX_SAMPLE
set -uo pipefail
epk=$PWD/$1 sample=$PWD/$2
cd "$TEST_TMPDIR" || exit 1
umask 022

fail() { echo "FAILED: $*"; exit 1; }

# archive NAME FILTER: an archive of a run with that filter
archive() {
  mkdir -p "$1" && "$sample" "$1/summary.cubex" && echo '{"manifest_version": 1}' >"$1/manifest.json" &&
    echo "EPK_FILTER = $2" >"$1/epik.conf"
}

# within SECONDS COMMAND...: the status of a command that does not wait for anybody
within() { (ulimit -v 4000000 && exec timeout "$@") </dev/null >out 2>err; }

mkfifo pipe && mkdir folder
for file in "$PWD/pipe" /dev/zero "$PWD/folder"; do
  archive epik_strange "$file"
  within 60 "$epk" score epik_strange --suggest -o suggestion || fail "score of a run with the filter $file: $?"
  grep -q "^epk score: the suggestion lacks the rules of the run's filter: $file: not a regular file$" err || fail "$(cat err)"
  within 60 "$epk" score epik_strange -f "$file" && fail "score -f $file was accepted"
  grep -q "^epk score: $file: not a regular file$" err || fail "score: $(cat err)"
  within 60 "$epk" reduce epik_strange --rules "$file" && fail "reduce --rules $file was accepted"
  grep -q "^epk reduce: $file: not a regular file$" err || fail "reduce: $(cat err)"
done

# Others may not read the file, but they may read the suggestion.
echo "EXCLUDE REGION hidden" >secret && chmod 600 secret
archive epik_secret "$PWD/secret"
within 60 "$epk" score epik_secret --suggest -o suggestion || fail "a filter of the user alone: $(cat err)"
grep -q hidden suggestion && fail "others can read what only the user could"
grep -q "the suggestion lacks the rules of the run's filter: not everybody may read $PWD/secret" err || fail "$(cat err)"
(umask 077 && rm suggestion && within 60 "$epk" score epik_secret --suggest -o suggestion) || fail "umask 077: $(cat err)"
grep -q hidden suggestion || fail "the rules are lost though only the user reads them"
[ "$(stat -c %a suggestion)" = 600 ] || fail "the suggestion has the rights $(stat -c %a suggestion)"
chmod 644 secret && within 60 "$epk" score epik_secret --suggest -o suggestion
grep -q hidden suggestion || fail "the rules of a filter that all may read are lost"

# A name of an archive is a comment, whatever it contains.
archive "$(printf 'epik_a\nEXCLUDE REGION *')" /nowhere
within 60 "$epk" score "$(printf 'epik_a\nEXCLUDE REGION *')" --suggest -o suggestion || fail "a name of two lines: $(cat err)"
grep -q '^EXCLUDE REGION \*$' suggestion && fail "the second line of a name is a rule: $(cat suggestion)"
echo passed
