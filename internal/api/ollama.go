package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"loci"
	"loci/internal/wire/ollama"
)

// version is the version of Ollama whose protocol this is. Clients read digits
// and dots only, and some want 0.6.4 at least.
const version = "0.17.4"

// ollamaVersion says which protocol this is.
func (s *server) ollamaVersion(w http.ResponseWriter, _ *http.Request) error {
	write(w, http.StatusOK, typeOllama, ollama.EncodeVersion(version))
	return nil
}

// ollamaTags lists the models of all backends.
func (s *server) ollamaTags(w http.ResponseWriter, r *http.Request) error {
	models := slices.Clone(s.Models.Models(r.Context()))
	for i := range models {
		s.date(&models[i])
	}
	write(w, http.StatusOK, typeOllama, ollama.EncodeTags(models))
	return nil
}

// date gives a model without a date one that does not move: clients want one.
func (s *server) date(m *loci.ModelInfo) {
	if m.Modified.IsZero() {
		m.Modified = s.started
	}
}

// ollamaPs lists the models that are loaded on the backends that tell.
func (s *server) ollamaPs(w http.ResponseWriter, r *http.Request) error {
	write(w, http.StatusOK, typeOllama, ollama.EncodePs(s.Models.Running(r.Context())))
	return nil
}

// ollamaShow describes a model. Clients read from it how long a conversation may
// be, and what they may send along.
func (s *server) ollamaShow(w http.ResponseWriter, r *http.Request) error {
	t, err := s.ollamaTarget(w, r)
	if err != nil {
		return err
	}
	if t.route.Model.Passthrough && t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, "/api/show", loci.PurposeProbe)
	}
	info := t.info()
	s.date(&info)
	if info.Embedding {
		write(w, http.StatusOK, typeOllama, ollama.EncodeShow(ollama.NewShow(info, 0, 0, "embedding")))
		return nil
	}
	p, err := s.Models.Profile(r.Context(), t.model)
	if err != nil {
		return err
	}
	// VS Code and Zed read these to decide what to send. No "tools" for the
	// agent's models: those tools are its own.
	able := []string{"completion"}
	if p.Vision {
		able = append(able, "vision")
	}
	if p.Think {
		able = append(able, "thinking")
	}
	if t.route.Model.Passthrough && p.Tier == loci.TierNative {
		able = append(able, "tools")
	}
	write(w, http.StatusOK, typeOllama, ollama.EncodeShow(ollama.NewShow(info, p.Window, p.Params, able...)))
	return nil
}

// ollamaTarget is target with Ollama's rules: a model must be named, and an
// unknown one has a well-known error text.
func (s *server) ollamaTarget(w http.ResponseWriter, r *http.Request) (*target, error) {
	t, err := s.scan(w, r, "model", "name")
	if err != nil {
		return nil, err
	}
	if t.model == "" {
		return nil, loci.Errorf(loci.Invalid, "model is required")
	}
	if t.route, err = s.Backends.Route(r.Context(), t.model); err == nil {
		return t, nil
	}
	if e := loci.AsError(err); e.Code == loci.NotFound {
		return nil, loci.Errorf(loci.NotFound, "model '%.200s' not found", t.model)
	}
	return t, err
}

// ollamaChat answers a conversation, like openaiChat. Ollama streams unless told
// not to.
func (s *server) ollamaChat(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	t, away := s.ollamaTarget(w, r)
	if away != nil && !t.alone(away) {
		return away
	}
	if t.route.Model.Passthrough && t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, "/api/chat", loci.PurposeChat)
	}
	req, err := ollama.DecodeChat(t.body)
	if err != nil {
		return err
	}
	if req.Load || req.Unload {
		if away != nil {
			return away
		}
		return s.load(w, r, t, req.Unload, "/api/chat", ollama.NewStream)
	}
	model := t.model // the rest of the request is not needed while the reply comes
	return s.speakOllama(w, r, t, ollamaReply{
		asked: &conversation{req.Messages, req.Tools, req.ToolChoice, req.Options, req.Stream},
		open:  ollama.NewStream,
		whole: func(c loci.Chunk) []byte {
			return ollama.EncodeReply(model, c, began)
		},
	})
}

// ollamaGenerate answers a single prompt. To the agent that is a conversation of
// one message.
func (s *server) ollamaGenerate(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	t, err := s.ollamaTarget(w, r)
	if err != nil {
		return err
	}
	if t.route.Model.Passthrough && t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, "/api/generate", loci.PurposeChat)
	}
	req, err := ollama.DecodeGenerate(t.body)
	switch {
	case err != nil:
		return err
	case req.Load || req.Unload:
		return s.load(w, r, t, req.Unload, "/api/generate", ollama.NewGenerateStream)
	case req.Raw || req.Suffix != "":
		// Completing a text is nothing for the agent, and only a server of the
		// same protocol takes such a prompt as it is.
		if t.route.Dialect != loci.Ollama {
			return errNoRaw
		}
		return s.relay(w, r, t, "/api/generate", loci.PurposeChat)
	}
	asked := &conversation{options: req.Options, stream: req.Stream}
	if req.System != "" {
		asked.messages = append(asked.messages, loci.Message{Role: loci.System, Content: req.System})
	}
	asked.messages = append(asked.messages, loci.Message{Role: loci.User, Content: req.Prompt, Images: req.Images})
	model := t.model // the rest of the request is not needed while the reply comes
	return s.speakOllama(w, r, t, ollamaReply{
		asked: asked,
		open:  ollama.NewGenerateStream,
		whole: func(c loci.Chunk) []byte {
			return ollama.EncodeGenerateReply(model, c, began)
		},
	})
}

// openOllama makes the encoder of a stream: ollama.NewStream, or
// ollama.NewGenerateStream.
type openOllama func(w io.Writer, model string) *ollama.Stream

// ollamaReply is what the two ways to ask Ollama differ in.
type ollamaReply struct {
	asked *conversation
	open  openOllama
	whole func(loci.Chunk) []byte
}

// speakOllama answers with a turn or the bare model, streamed or whole.
func (s *server) speakOllama(w http.ResponseWriter, r *http.Request, t *target, o ollamaReply) error {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	reply, err := s.answer(ctx, r, t, o.asked)
	if err != nil {
		return err
	}
	if !o.asked.stream {
		return writeWhole(w, typeOllama, reply, o.whole)
	}
	st := s.stream(w, typeNDJSON, leave)
	enc := o.open(st, t.model)
	st.greet, st.alive = st.begin, enc.KeepAlive
	return s.speak(r, st, enc, reply)
}

// load answers a request without a prompt, which only loads or unloads the
// model. Ollama really does it; other servers look after that themselves.
func (s *server) load(w http.ResponseWriter, r *http.Request, t *target, unload bool, path string, open openOllama) error {
	if t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, path, loci.PurposeWarmup)
	}
	// The reply is a single line, whether the client streams or not.
	var line bytes.Buffer
	if err := open(&line, t.model).Load(unload); err != nil {
		return err
	}
	write(w, http.StatusOK, typeOllama, bytes.TrimSpace(line.Bytes()))
	return nil
}

// ollamaEmbed turns texts into vectors, like openaiEmbed.
func (s *server) ollamaEmbed(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	t, err := s.ollamaTarget(w, r)
	if err != nil {
		return err
	}
	if t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, "/api/embed", loci.PurposeEmbed)
	}
	req, err := ollama.DecodeEmbed(t.body)
	if err != nil {
		return err
	}
	vectors, tokens, err := s.Models.Embed(r.Context(), t.model, req.Input)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, typeOllama, ollama.EncodeEmbedReply(t.model, vectors, tokens, time.Since(began)))
	return nil
}

// ollamaEmbeddings serves the older call, for one text.
func (s *server) ollamaEmbeddings(w http.ResponseWriter, r *http.Request) error {
	t, err := s.ollamaTarget(w, r)
	if err != nil {
		return err
	}
	if t.route.Dialect == loci.Ollama {
		return s.relay(w, r, t, "/api/embeddings", loci.PurposeEmbed)
	}
	req, err := ollama.DecodeEmbeddings(t.body)
	if err != nil {
		return err
	}
	vectors, _, err := s.Models.Embed(r.Context(), t.model, req.Input)
	if err != nil {
		return err
	}
	var first []float32
	if len(vectors) > 0 {
		first = vectors[0]
	}
	write(w, http.StatusOK, typeOllama, ollama.EncodeEmbeddingsReply(first))
	return nil
}
