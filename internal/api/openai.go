package api

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"loci"
	"loci/internal/wire/openai"
)

// openaiModels lists the models of all backends. Many clients take the first for
// their default, so those that cannot chat come last.
func (s *server) openaiModels(w http.ResponseWriter, r *http.Request) error {
	models := slices.Clone(s.Models.Models(r.Context()))
	slices.SortStableFunc(models, func(a, b loci.ModelInfo) int {
		switch {
		case a.Embedding == b.Embedding:
			return 0
		case b.Embedding:
			return -1
		}
		return 1
	})
	write(w, http.StatusOK, typeJSON, openai.EncodeModels(models))
	return nil
}

// openaiModel describes one model in the form that the list has.
func (s *server) openaiModel(w http.ResponseWriter, r *http.Request) error {
	t := &target{model: r.PathValue("id")}
	var err error
	if t.route, err = s.Backends.Route(r.Context(), t.model); err != nil {
		return err
	}
	write(w, http.StatusOK, typeJSON, openai.EncodeModel(t.info()))
	return nil
}

// openaiChat answers a conversation: with a turn of the agent, or for a bare
// model by relaying it if its backend speaks this protocol, by converting it if
// not.
func (s *server) openaiChat(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(w, r)
	if err != nil && !t.alone(err) {
		return err
	}
	if t.route.Model.Passthrough && t.route.Dialect == loci.OpenAI {
		return s.relay(w, r, t, "/v1/chat/completions", loci.PurposeChat)
	}
	c, includeUsage, err := openaiConversation(t.body)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	reply, err := s.answer(ctx, r, t, c)
	if err != nil {
		return err
	}
	if c.stream {
		st := s.stream(w, typeSSE, leave)
		return s.speakOpenAI(r, st, openai.NewStream(st, t.shown(), includeUsage), reply)
	}
	model := t.shown() // nothing else of the request is needed while the reply comes
	return writeWhole(w, typeJSON, reply, func(all loci.Chunk) []byte { return openai.EncodeReply(model, all) })
}

// openaiConversation reads what is asked.
func openaiConversation(body []byte) (_ *conversation, includeUsage bool, err error) {
	req, err := openai.DecodeChat(body)
	if err != nil {
		return nil, false, err
	}
	return &conversation{req.Messages, req.Tools, req.ToolChoice, req.Options, req.Stream}, req.IncludeUsage, nil
}

// speakOpenAI streams a reply; the first chunk, which says who speaks, is also
// what a waiting client gets first.
func (s *server) speakOpenAI(r *http.Request, st *stream, enc *openai.Stream, reply iter.Seq2[loci.Chunk, error]) error {
	st.greet, st.alive = func() error {
		if err := enc.Start(); err != nil {
			return err
		}
		return st.begin() // a text completion has no first chunk, but headers
	}, enc.KeepAlive
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
	if req.Stream {
		st := s.stream(w, typeSSE, leave)
		return s.speakOpenAI(r, st, openai.NewCompletionStream(st, t.shown(), req.IncludeUsage), reply)
	}
	model := t.shown()
	return writeWhole(w, typeJSON, reply, func(all loci.Chunk) []byte { return openai.EncodeCompletionReply(model, all) })
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
	vectors, tokens, err := s.Models.Embed(r.Context(), t.model, req.Input)
	if err != nil {
		return err
	}
	req.Model = t.shown()
	write(w, http.StatusOK, typeJSON, openai.EncodeEmbedReply(req, vectors, tokens))
	return nil
}
