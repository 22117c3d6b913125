#!/bin/sh
# Runs fuzz targets for a while each, and stops at the first input that one of them
# fails on; go keeps it under testdata/fuzz of the package.
# Usage: fuzz.sh TIME [core]
# With core only the readers of what others write, which CI runs too: events, lines,
# tool calls, paths, commands, configuration, audit entries, Markdown.
set -eu
core='internal/wire FuzzEvents
internal/wire FuzzLines
internal/toolcall FuzzReader
internal/sandbox FuzzResolve
internal/argv FuzzArgv
internal/config FuzzLoad
internal/audit FuzzAudit
internal/approval FuzzClosing'
all() {
	grep -rl --include='*_test.go' '^func Fuzz' internal | sort | while read -r file; do
		sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\).*|$(dirname "$file") \1|p" "$file"
	done
}
time=$1
targets=$(all)
if [ "${2-}" = core ]; then
	targets=$core
fi
echo "$targets" | while read -r package target; do
	echo "== $package $target"
	grep -qs "^func $target(" "$package"/*_test.go || { echo "there is no $target in $package"; exit 1; }
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$package" </dev/null
done
