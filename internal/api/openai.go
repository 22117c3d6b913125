package api

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"loci"
	"loci/internal/wire/openai"
)

// openaiModels lists the models of all backends.
func (s *server) openaiModels(w http.ResponseWriter, r *http.Request) error {
	write(w, http.StatusOK, typeJSON, openai.EncodeModels(s.Models.Models(r.Context())))
	return nil
}

// openaiModel describes one model in the form that the list has.
func (s *server) openaiModel(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(openai.EncodeModels([]loci.ModelInfo{m}), &list); err != nil {
		return err
	}
	write(w, http.StatusOK, typeJSON, list.Data[0])
	return nil
}

// model finds a model in the list by the name that clients write, with or
// without the tag that Ollama takes for granted.
func (s *server) model(ctx context.Context, name string) (loci.ModelInfo, error) {
	const tag = ":latest"
	for _, m := range s.Models.Models(ctx) {
		if m.ID == name || strings.TrimSuffix(m.ID, tag) == strings.TrimSuffix(name, tag) {
			return m, nil
		}
	}
	return loci.ModelInfo{}, loci.Errorf(loci.NotFound, "model '%.200s' not found", name)
}

// openaiChat answers a conversation: with a turn of the agent, or for a bare
// model by relaying it if its backend speaks this protocol, by converting it if
// not.
func (s *server) openaiChat(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(w, r)
	if err != nil {
		return err
	}
	if t.route.Passthrough && t.route.Dialect == loci.OpenAI {
		return s.relay(w, r, t, "/v1/chat/completions", loci.PurposeChat)
	}
	req, err := openai.DecodeChat(t.body)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	reply, err := s.answer(ctx, r, t, conversation{req.Messages, req.Tools, req.Options})
	if err != nil {
		return err
	}
	if !req.Stream {
		all, err := collect(reply)
		if err != nil {
			return err
		}
		write(w, http.StatusOK, typeJSON, openai.EncodeReply(t.shown(), all))
		return nil
	}
	st := s.stream(w, typeSSE, leave)
	return s.speakOpenAI(r, st, openai.NewStream(st, t.shown(), req.IncludeUsage), reply)
}

// speakOpenAI streams a reply; the first chunk, which says who speaks, is also
// what a waiting client gets first.
func (s *server) speakOpenAI(r *http.Request, st *stream, enc *openai.Stream, reply iter.Seq2[loci.Chunk, error]) error {
	st.greet, st.alive = enc.Start, enc.KeepAlive
	return s.speak(r, st, enc, reply)
}

// openaiCompletion serves the legacy call, which continues a text: there is no
// conversation for the agent in it.
func (s *server) openaiCompletion(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(w, r)
	if err != nil {
		return err
	}
	if t.route.Dialect == loci.OpenAI {
		return s.relay(w, r, t, "/v1/completions", loci.PurposeChat)
	}
	req, err := openai.DecodeCompletion(t.body)
	if err != nil {
		return err
	}
	if req.Suffix != "" {
		return errNoRaw
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	reply := s.Backends.Chat(ctx, loci.Request{
		Model:    t.model,
		Messages: []loci.Message{{Role: loci.User, Content: req.Prompt}},
		Options:  req.Options,
		Purpose:  loci.PurposeChat,
	})
	if !req.Stream {
		all, err := collect(reply)
		if err != nil {
			return err
		}
		write(w, http.StatusOK, typeJSON, openai.EncodeCompletionReply(t.shown(), all))
		return nil
	}
	st := s.stream(w, typeSSE, leave)
	return s.speakOpenAI(r, st, openai.NewCompletionStream(st, t.shown(), req.IncludeUsage), reply)
}

// errNoRaw is for prompts that must reach the model as they are, on a server
// that would wrap them in its chat template.
var errNoRaw = loci.Errorf(loci.Refused, "The server of this model cannot fill in the middle of a text this way.").
	WithHint("Use the chat call, or a model on a server that speaks the client's own protocol.")

// openaiEmbed turns texts into vectors. The agent has no part in it, so it is
// relayed wherever the backend speaks this protocol.
func (s *server) openaiEmbed(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(w, r)
	if err != nil {
		return err
	}
	if t.route.Dialect == loci.OpenAI {
		return s.relay(w, r, t, "/v1/embeddings", loci.PurposeEmbed)
	}
	req, err := openai.DecodeEmbed(t.body)
	if err != nil {
		return err
	}
	vectors, err := s.Models.Embed(r.Context(), t.model, req.Input)
	if err != nil {
		return err
	}
	req.Model = t.shown()
	write(w, http.StatusOK, typeJSON, openai.EncodeEmbedReply(req, vectors, 0))
	return nil
}
