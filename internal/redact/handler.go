package redact

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Handler masks what goes to a log: messages, and attributes of any kind and at
// any level. An attribute whose name tells that it is secret is masked whole.
func (r *Redactor) Handler(h slog.Handler) slog.Handler { return handler{h, r} }

type handler struct {
	to slog.Handler
	r  *Redactor
}

// Enabled is that of the handler behind.
func (h handler) Enabled(ctx context.Context, level slog.Level) bool { return h.to.Enabled(ctx, level) }

// WithGroup opens a group.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.to.WithGroup(h.r.Text(name)), h.r}
}

// WithAttrs adds attributes to all records. They are masked with the secrets
// that are known now.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i], _ = h.attr(a)
	}
	return handler{h.to.WithAttrs(masked), h.r}
}

// Handle passes a record on. One with nothing to mask goes as it is.
func (h handler) Handle(ctx context.Context, rec slog.Record) error {
	message := h.r.Text(rec.Message)
	changed := message != rec.Message
	rec.Attrs(func(a slog.Attr) bool {
		if !changed {
			_, changed = h.attr(a)
		}
		return !changed
	})
	if !changed {
		return h.to.Handle(ctx, rec)
	}
	masked := slog.NewRecord(rec.Time, rec.Level, message, rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		a, _ = h.attr(a)
		masked.AddAttrs(a)
		return true
	})
	return h.to.Handle(ctx, masked)
}

// attr masks an attribute, and tells whether there was anything to mask.
func (h handler) attr(a slog.Attr) (slog.Attr, bool) {
	key := h.r.Text(a.Key)
	value, changed := h.value(kindOf(a.Key), a.Value)
	if key == a.Key && !changed {
		return a, false
	}
	return slog.Attr{Key: key, Value: value}, true
}

func (h handler) value(k kind, v slog.Value) (slog.Value, bool) {
	switch v.Kind() {
	case slog.KindString:
		return h.text(k, v, v.String())
	case slog.KindLogValuer:
		return h.value(k, v.Resolve())
	case slog.KindGroup:
		return h.group(v)
	case slog.KindAny:
		return h.any(k, v)
	}
	if k == password { // a number, say
		return slog.StringValue(Mask), true
	}
	return v, false
}

// text masks what an attribute says, if there is anything to mask.
func (h handler) text(k kind, v slog.Value, said string) (slog.Value, bool) {
	if k.hides(said) {
		return slog.StringValue(Mask), true
	}
	if masked := h.r.Text(said); masked != said {
		return slog.StringValue(masked), true
	}
	return v, false
}

func (h handler) group(v slog.Value) (slog.Value, bool) {
	attrs := v.Group()
	masked, any := make([]slog.Attr, len(attrs)), false
	for i, a := range attrs {
		var changed bool
		masked[i], changed = h.attr(a)
		any = any || changed
	}
	if !any {
		return v, false
	}
	return slog.GroupValue(masked...), true
}

// any masks a value that the handler behind would print in a way of its own. What
// says itself what it is keeps to that; of anything else, it is looked at how Go
// prints it and what JSON makes of it.
func (h handler) any(k kind, v slog.Value) (slog.Value, bool) {
	switch x := v.Any().(type) {
	case nil:
		return v, false
	case error:
		return h.text(k, v, fmt.Sprint(x)) // which gets over a nil in disguise
	case json.RawMessage:
		masked := h.r.JSON(x)
		return slog.AnyValue(masked), string(masked) != string(x)
	case []byte:
		return h.text(k, v, string(x))
	case encoding.TextMarshaler, json.Marshaler:
	case fmt.Stringer:
		if masked, changed := h.text(k, v, fmt.Sprint(x)); changed {
			return masked, true
		}
	}
	if masked, changed := h.text(k, v, fmt.Sprintf("%+v", v.Any())); changed {
		return masked, true
	}
	raw, err := json.Marshal(v.Any())
	if err != nil {
		return v, false
	}
	masked := h.r.JSON(raw)
	return slog.AnyValue(masked), string(masked) != string(raw)
}
