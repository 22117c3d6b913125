package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"loci"
	"loci/internal/wire/ollama"
)

// defaultWindow is the context length in tokens of a model whose server does
// not tell.
const defaultWindow = 4096

// ollamaSlots is how many replies of one model Ollama makes at the same time
// unless OLLAMA_NUM_PARALLEL says otherwise, which it does not tell.
const ollamaSlots = 1

// Facts is what a server tells about a model without running it. A nil pointer
// or a zero means that it does not tell; the window is 4096 then.
type Facts struct {
	Tools, Vision, Think *bool
	Window               int      // served context length in tokens
	Params               int64    // number of weights
	Family               string   // such as llama or qwen2
	Slots                int      // replies that the server makes at the same time
	Stops                []string // stop sequences that the server forgets when a call has some of its own
	Digest               string   // of the model and what serves it, where the list of models has none

	// What the model's chat template does with roles; see [loci.Profile].
	System, Systems, Alternate loci.Finding
}

// Facts asks the server about a model, in the way of its kind. What the list
// of models told is taken over; the size in a model's name is believed only
// when nothing better tells.
func (c *Client) Facts(ctx context.Context, info loci.ModelInfo) (Facts, error) {
	if _, err := c.settle(ctx); err != nil {
		return Facts{}, err
	}
	f := Facts{Params: paramsOf(info.Parameters), Family: info.Family}
	var err error
	switch c.kind(ctx) {
	case KindOllama:
		err = c.ollamaFacts(ctx, info.ID, &f)
	case KindLlamaServer:
		err = c.propsFacts(ctx, info.ID, &f)
	case KindLMStudio:
		if m, ok := c.lmStudioModels(ctx)[info.ID]; ok {
			m.tell(&f)
		}
	default:
		err = c.listFacts(ctx, info.ID, &f)
	}
	if f.Window <= 0 {
		f.Window = defaultWindow
	}
	if f.Params == 0 {
		f.Params = paramsOf(info.ID)
	}
	if f.Family == "" {
		f.Family = familyOf(info.ID)
	}
	return f, err
}

// ollamaFacts reads /api/show and, for a loaded model, /api/ps
// (https://github.com/ollama/ollama/blob/main/docs/api.md). Both are cheap:
// neither loads the model.
func (c *Client) ollamaFacts(ctx context.Context, model string, f *Facts) error {
	b := c.Backend()
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return err
	}
	r := call{method: http.MethodPost, url: b.root() + "/api/show", body: body, purpose: loci.PurposeProbe}
	reply, err := c.call(ctx, r, loci.Request{Model: model})
	if err != nil {
		return err
	}
	show, err := ollama.DecodeShow(reply)
	if err != nil {
		return b.garbled(err)
	}
	can := func(ability string) *bool { return new(slices.Contains(show.Capabilities, ability)) }
	if show.Capabilities != nil {
		f.Tools, f.Vision, f.Think = can("tools"), can("vision"), can("thinking")
	} else { // before version 0.6.4 only the template told
		f.Tools = new(strings.Contains(show.Template, ".Tools"))
	}
	if n := show.Params(); n > 0 {
		f.Params = n
	}
	if f.Family == "" {
		f.Family = show.Details.Family
	}
	f.Window = c.ollamaWindow(ctx, model, show)
	f.Slots = ollamaSlots
	f.Stops = modelfile(show.Parameters, "stop")
	return nil
}

// ollamaWindow is the context length that Ollama serves a model with: what loci
// asks for, else what it is loaded with, else what its Modelfile sets. The
// trained length is only a bound, as Ollama does not serve it by default.
func (c *Client) ollamaWindow(ctx context.Context, model string, show ollama.Show) int {
	window := 0
	if c.Backend().Dialect == loci.Ollama { // the OpenAI door has no way to ask
		window = c.window(model)
	}
	if window == 0 {
		window = c.loadedWindow(ctx, model)
	}
	if window == 0 {
		window = modelfileWindow(show.Parameters)
	}
	if window == 0 {
		window = defaultWindow
	}
	if trained := show.Window(); trained > 0 {
		window = min(window, trained)
	}
	return window
}

// loadedWindow is 0 if the model is not loaded or the server does not tell.
func (c *Client) loadedWindow(ctx context.Context, model string) int {
	running, err := c.Running(ctx)
	if err != nil {
		return 0
	}
	i := slices.IndexFunc(running, func(r ollama.Running) bool { return ollama.TrimLatest(r.Model.ID) == ollama.TrimLatest(model) })
	if i < 0 {
		return 0
	}
	return running[i].Window
}

// modelfile gives the values of a parameter of a model, of which Ollama tells as
// lines of a name and a value. A text in quotation marks is without them.
func modelfile(parameters, wanted string) (values []string) {
	for line := range strings.Lines(parameters) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name != wanted {
			continue
		}
		value = strings.TrimSpace(value)
		if text, err := strconv.Unquote(value); err == nil {
			value = text
		}
		values = append(values, value)
	}
	return values
}

// modelfileWindow is the window that a model's parameters set; 0 if they do not.
func modelfileWindow(parameters string) int {
	for _, value := range modelfile(parameters, "num_ctx") {
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// propsFacts reads llama-server's /props
// (https://github.com/ggml-org/llama.cpp/tree/master/tools/server), which tells
// what the chat template of the model has a place for. That matters: where it
// has none for tools, the server drops them silently, tool_choice "required"
// included, and a model that was never told of its tools makes something up.
// The query is for a server that has several models; others ignore it.
func (c *Client) propsFacts(ctx context.Context, model string, f *Facts) error {
	a, err := c.ask(ctx, "/props?model="+url.QueryEscape(model))
	if err != nil {
		return err
	}
	var props struct {
		Settings struct {
			Window int `json:"n_ctx"` // of one slot
		} `json:"default_generation_settings"`
		Caps *struct {
			Tools  *bool `json:"supports_tools"`
			System *bool `json:"supports_system_role"`
		} `json:"chat_template_caps"`
		Template   string `json:"chat_template"`
		Build      string `json:"build_info"`
		Path       string `json:"model_path"`
		Modalities *struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
		Slots int `json:"total_slots"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &props) != nil {
		return c.listFacts(ctx, model, f)
	}
	f.Window, f.Slots = props.Settings.Window, max(props.Slots, 0)
	f.readTemplate(props.Template)
	if props.Caps != nil {
		f.Tools = props.Caps.Tools
		if props.Caps.System != nil {
			f.System = loci.Found(*props.Caps.System)
		}
	}
	// The template and the version decide as much as the weights.
	f.Digest = digestOf(props.Build, props.Path, props.Template)
	if props.Modalities != nil {
		f.Vision = &props.Modalities.Vision
	}
	return nil
}

// readTemplate finds out what a chat template, in Jinja, does with roles. What it
// refuses, it refuses in words: a template without any refuses nothing.
func (f *Facts) readTemplate(template string) {
	if template == "" {
		return
	}
	f.Systems, f.Alternate = loci.Yes, loci.No
	for part := range strings.SplitSeq(strings.ToLower(template), "raise_exception") {
		switch deniesRoles(part) {
		case ErrSystem:
			f.System = loci.No
		case ErrSystems:
			f.Systems = loci.No
		case ErrAlternate: // the templates that count turns count a later system message as one
			f.Systems, f.Alternate = loci.No, loci.Yes
		}
	}
	if strings.Contains(template, "<think>") || strings.Contains(template, "enable_thinking") {
		f.Think = new(true)
	}
}

// digestOf makes a digest of what a server tells of a model; empty if that is
// nothing.
func digestOf(parts ...string) string {
	text := strings.Join(parts, "\x00")
	if strings.Trim(text, "\x00") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return "told:" + hex.EncodeToString(sum[:16])
}

// tell adds what LM Studio says about a model. That a model was not made for
// tools is not said, only that one was.
func (m lmStudioModel) tell(f *Facts) {
	f.Window = m.Window
	if f.Window == 0 && m.MaxWindow > 0 {
		f.Window = min(m.MaxWindow, defaultWindow) // LM Studio's own default when it loads one
	}
	f.Vision = new(m.Type == "vlm")
	f.Digest = digestOf(m.Arch, m.Quantization)
	if slices.Contains(m.Capabilities, "tool_use") {
		f.Tools = new(true)
	}
}

// listFacts reads what little /v1/models may tell: vLLM's max_model_len, or the
// window of llama-server where it keeps /props to itself.
func (c *Client) listFacts(ctx context.Context, model string, f *Facts) error {
	r := call{method: http.MethodGet, url: c.Backend().URL + "/models", purpose: loci.PurposeProbe}
	body, err := c.call(ctx, r, loci.Request{Model: model})
	if err != nil {
		if code := loci.AsError(err).Code; code == loci.Refused || code == loci.NotFound {
			return nil // a server that cannot list
		}
		return err
	}
	e := entriesOf(body)[model]
	f.Window = max(e.MaxLen, e.Meta.Window)
	return nil
}

// familyOf guesses a model's family from its name, for servers that do not
// tell: the letters and digits it begins with, such as qwen2 of
// Qwen/Qwen2.5-7B-Instruct. It only picks the wording of the prompt.
func familyOf(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	end := strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	if end < 0 {
		return name
	}
	return name[:end]
}
