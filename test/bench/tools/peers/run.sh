#!/bin/sh
# Prints the scoreboard of tool calls. Usage: run.sh LOCI VENV OPENWEBUI-VENV [-v]
# The first venv is made here, once; Open WebUI takes part if the second is there.
set -eu
loci=$1 venv=$2 openwebui=$3
shift 3
here=$(dirname "$0")
if ! cmp -s "$here/requirements.txt" "$venv/.installed"; then
	echo "Installing the other products into $venv …" >&2
	# nanobot wants 3.11 at least, and a name on the PATH may be no more than a name.
	for python in python3 python3.12 python3.11 none; do
		"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
	done
	if [ "$python" = none ]; then
		echo "nanobot needs Python 3.11 or later. Please install it." >&2
		exit 1
	fi
	"$python" -m venv "$venv"
	"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt"
	cp "$here/requirements.txt" "$venv/.installed"
fi
set -- "$@" -peer "nanobot 0.3.5=$venv/bin/python $here/nanobot_peer.py"
set -- "$@" -peer "Qwen-Agent 0.0.34=$venv/bin/python $here/qwen_agent_peer.py"
if [ -x "$openwebui/bin/open-webui" ]; then
	set -- "$@" -peer "Open WebUI 0.12.4, native=$openwebui/bin/python $here/openwebui_peer.py native"
	set -- "$@" -peer "Open WebUI 0.12.4, legacy=$openwebui/bin/python $here/openwebui_peer.py legacy"
fi
export PYTHONDONTWRITEBYTECODE=1
exec go run ./test/bench/tools -loci "$loci" "$@"
