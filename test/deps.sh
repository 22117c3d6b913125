#!/bin/sh
# Installs what the tests need besides Go, by package name: once, and only what
# is missing. Usage: deps.sh VENV
set -eu
venv=$1
here=$(dirname "$0")

need() { # need COMMAND-THAT-SUCCEEDS-WHEN-PRESENT PACKAGE...
	check=$1
	shift
	sh -c "$check" >/dev/null 2>&1 && return
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		echo "The tests need: $*. Please install it and run make test again." >&2
		exit 1
	fi
	echo "Installing $* …"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

need 'command -v cc' gcc libc6-dev
need 'command -v git' git
need 'command -v python3' python3 python3-pip python3-venv
need 'python3 -m pip --version' python3-pip
need 'python3 -c "import ensurepip"' python3-venv
if [ "$(uname -s)" = Linux ]; then
	need 'command -v dbus-daemon' dbus
	if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common ]; then
		mkdir -p /etc/postgresql-common # the tests start servers of their own, and need none that runs
		echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
	fi
	need 'command -v postgres || ls /usr/lib/postgresql/*/bin/postgres' postgresql
	need 'ldconfig -p | grep -q libgomp.so.1 || /sbin/ldconfig -p | grep -q libgomp.so.1' libgomp1
fi

stamp=$venv/.installed
if ! cmp -s "$here/clients/requirements.txt" "$stamp"; then
	echo "Installing the Python clients into $venv …"
	python3 -m venv "$venv"
	"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/clients/requirements.txt"
	cp "$here/clients/requirements.txt" "$stamp"
fi
