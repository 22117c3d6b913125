package embedded

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// launcher runs the fetched engine: see launch.py.
//
//go:embed launch.py
var launcher string

// guard runs a llama-server, which knows nothing of loci, so that it ends when
// standard input closes, as the launcher does. The server's exit is the
// guard's; what the guard started besides is in its process group.
const guard = `exec 3<&0
"$@" </dev/null 3<&- &
p=$!
{ cat <&3 >/dev/null; kill $p; sleep 1; kill -9 $p; } 2>/dev/null &
exec 3<&-
wait $p`

// task is one server to run.
type task struct {
	model   string // path of the GGUF file
	alias   string // name of the model in the API
	embed   bool
	window  int    // tokens; 0 is what the model was trained with
	threads int    // 0 leaves it to the engine
	slots   string // folder for saved prompt caches, or ""
	port    int    // chosen by the supervisor
	key     string // bearer token that clients must show
}

// cacheMiB bounds the prompt cache that the chat server keeps in memory.
const cacheMiB = 512

// command gives the process for a task and the first line of its standard
// input. The key goes over neither the command line nor a file: other users
// could read it there.
func (e *Engine) command(ctx context.Context, t task) (*exec.Cmd, []byte, error) {
	if e.llamaServer != "" {
		return e.serverCommand(t), nil, nil
	}
	py, problem := e.findPython(ctx)
	if problem != nil {
		return nil, nil, problem
	}
	line, err := json.Marshal(map[string]any{
		"module":    e.path(enginePackage, ""),
		"model":     t.model,
		"alias":     t.alias,
		"key":       t.key,
		"embedding": t.embed,
		"threads":   t.threads,
		"params":    engineParams(t),
	})
	// -I -S -B: no module but the standard library's and the engine's, and no
	// bytecode written beside them.
	cmd := exec.Command(py.Path, "-I", "-S", "-B", "-c", launcher)
	cmd.Env = engineEnv()
	return cmd, append(line, '\n'), err
}

// engineEnv has the engine's threads spin only briefly while they wait for each
// other, and then sleep, unless the person decided otherwise. By default they
// spin for milliseconds; as soon as another program wants a core, they then spin
// away each other's time. Measured on two cores, tokens a second alone and beside
// two busy programs: by default 142 and 20, never spinning 41 and 23, with this
// 138 and 52.
func engineEnv() []string {
	env := childEnv()
	_, policy := os.LookupEnv("OMP_WAIT_POLICY")
	_, count := os.LookupEnv("GOMP_SPINCOUNT")
	if !policy && !count {
		env = append(env, "GOMP_SPINCOUNT=3000")
	}
	return env
}

// engineParams are fields of llama.cpp's common_params, under the names that
// xllamacpp gives them. One slot only: a second one would halve the window, and
// loci queues requests for a server itself.
func engineParams(t task) map[string]any {
	params := map[string]any{
		"port":             t.port,
		"n_ctx":            t.window,
		"n_parallel":       1,
		"endpoint_metrics": true,
		"endpoint_slots":   true,
		"ui":               false,
	}
	if t.embed {
		// A whole text has to fit into one batch.
		params["n_batch"], params["n_ubatch"] = max(t.window, 2048), max(t.window, 2048)
		return params
	}
	params["use_jinja"] = true
	params["cache_ram_mib"] = cacheMiB
	if t.slots != "" {
		params["slot_save_path"] = t.slots + string(filepath.Separator)
	}
	return params
}

// serverCommand is the same for a llama-server. Its flags are the ones of
// engineParams. Options younger than 2025 are given by environment, where an
// older server ignores what it does not know.
func (e *Engine) serverCommand(t task) *exec.Cmd {
	args := []string{
		e.llamaServer,
		"--model", t.model, "--alias", t.alias,
		"--host", "127.0.0.1", "--port", strconv.Itoa(t.port),
		"--ctx-size", strconv.Itoa(t.window), "--parallel", "1",
		"--metrics", "--slots",
	}
	if t.threads > 0 {
		args = append(args, "--threads", strconv.Itoa(t.threads))
	}
	if t.embed {
		batch := strconv.Itoa(max(t.window, 2048))
		args = append(args, "--embedding", "--pooling", "mean", "--batch-size", batch, "--ubatch-size", batch)
	} else {
		args = append(args, "--jinja")
		if t.slots != "" {
			args = append(args, "--slot-save-path", t.slots)
		}
	}
	if runtime.GOOS != "windows" {
		args = append([]string{"/bin/sh", "-c", guard, "loci-guard"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(engineEnv(), "LLAMA_API_KEY="+t.key,
		"LLAMA_ARG_CACHE_RAM="+strconv.Itoa(cacheMiB), "LLAMA_ARG_UI=0", "LLAMA_ARG_NO_WEBUI=1")
	return cmd
}

// task fills in what Start's caller left open. The names of the models are the
// ones that Ollama has for them, so that a client configured for either finds
// the same.
func (e *Engine) task(c ServerConfig, key string) (task, error) {
	t := task{window: c.Window, threads: c.Threads, key: key}
	switch c.Kind {
	case Embed:
		t.embed, t.alias = true, "all-minilm:l6-v2"
		t.model = e.path(embedPackage, embedPackage.main)
		t.window = 512 // the network has no more positions
	default:
		t.alias = "smollm2:135m"
		t.model = e.path(chatPackage, chatPackage.main)
		if t.slots = e.conf.SlotDir; t.slots != "" {
			return t, os.MkdirAll(t.slots, 0o700)
		}
	}
	return t, nil
}
