#!/bin/sh
# Imports the traces of a base and of a change and holds one against the other: what the action for
# GitHub and the template for GitLab do. By its environment, so that no name is taken for a command:
#   TANDEM_BASE, TANDEM_NEW  trace files, one a line; a run each, repeats of one another
#   TANDEM_GATES             conditions, one a line (default: tandem gate's)
#   TANDEM_STRICT            1: what is undecided fails too
#   TANDEM_OUT               a folder for gate.xml, gate.md and the store (default: tandem-gate)
#   TANDEM                   the program (default: tandem)
# Leaves with tandem gate's exit code.
set -eu
program=${TANDEM:-tandem}
out=${TANDEM_OUT:-tandem-gate}
mkdir -p "$out"
store=$out/runs.db
rm -f "$store" "$out/gate.xml" "$out/gate.md"

import() { # TAG: files on standard input
  count=0
  while IFS= read -r file; do
    [ -n "$file" ] || continue
    count=$((count + 1))
    "$program" import --store "$store" --tag "$1" --name "$1-$count" -- "$file" >&2
  done
  [ "$count" -gt 0 ] || { echo "tandem gate: no trace of the $1 is named" >&2; exit 2; }
}
printf '%s\n' "${TANDEM_BASE:-}" | import base
printf '%s\n' "${TANDEM_NEW:-}" | import new

set -- gate --store "$store" --junit "$out/gate.xml" --summary "$out/gate.md"
[ "${TANDEM_STRICT:-}" != 1 ] || set -- "$@" --strict
[ -z "${GITHUB_ACTIONS:-}" ] || set -- "$@" --ci github
list=$(mktemp)
trap 'rm -f "$list"' EXIT
printf '%s\n' "${TANDEM_GATES:-}" >"$list"
while IFS= read -r condition; do
  [ -z "$condition" ] || set -- "$@" "--gate=$condition"
done <"$list"
code=0
"$program" "$@" -- tag:base tag:new || code=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/gate.md" ]; then
  cat "$out/gate.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
