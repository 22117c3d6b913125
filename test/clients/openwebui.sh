#!/bin/sh
# Installs Open WebUI and Playwright into a folder of their own, once: a large
# install, of some 7 GB. Usage: openwebui.sh VENV
set -eu
venv=$1
list=$(dirname "$0")/openwebui/requirements.txt
cmp -s "$list" "$venv/.installed" && exit

# Open WebUI wants one of these two, whatever python3 is here.
python=$(command -v python3.12 || command -v python3.11) || {
	echo "Open WebUI needs Python 3.11 or 3.12. Please install one of them." >&2
	exit 1
}
echo "Installing Open WebUI into $venv, which takes a while …"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$list"
cp "$list" "$venv/.installed"
