#!/bin/sh
# Prints the scoreboard of tool calls. Usage: run.sh LOCI VENV OPENWEBUI-VENV [-v]
# The first venv is made here, once; Open WebUI takes part if the second is there.
set -eu
loci=$1 venv=$2 openwebui=$3
shift 3
here=$(dirname "$0")
if ! cmp -s "$here/requirements.txt" "$venv/.installed"; then
	echo "Installing the other products into $venv …" >&2
	# Qwen-Agent and nanobot want at least this one, whatever python3 is here.
	python=$(command -v python3.12 || command -v python3.11 || command -v python3)
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
exec go run ./test/bench/tools -loci "$loci" "$@"
