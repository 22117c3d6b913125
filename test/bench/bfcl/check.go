package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"loci"
)

// check tells what is wrong with the calls that were made for a question; nil if they
// are right. It follows the rules of the leaderboard's own checker of syntax trees: the
// function is the right one, every argument has one of the values that are listed, what
// may be left out is listed with an empty text, and nothing else is given.
func check(q question, calls []loci.ToolCall) error {
	if q.Right == nil {
		if len(calls) > 0 {
			return fmt.Errorf("%s was called, and nothing was to be", calls[0].Name)
		}
		return nil
	}
	if len(calls) != 1 {
		return fmt.Errorf("%d calls", len(calls))
	}
	for name, allowed := range q.Right {
		if plainName(calls[0].Name) != plainName(name) {
			return fmt.Errorf("%s was called instead of %s", calls[0].Name, name)
		}
		var args map[string]any
		if err := json.Unmarshal(calls[0].Arguments, &args); err != nil {
			return fmt.Errorf("the arguments are no object: %w", err)
		}
		return checkObject(allowed, args)
	}
	return nil
}

// checkObject checks the members of an object, each against the values it may have.
func checkObject(allowed map[string][]any, got map[string]any) error {
	for name, v := range got {
		values, known := allowed[name]
		if !known {
			return fmt.Errorf("%s is not asked for", name)
		}
		if !among(values, v) {
			return fmt.Errorf("%s is %v, not one of %v", name, v, values)
		}
	}
	for name, values := range allowed {
		if _, given := got[name]; !given && len(values) > 0 && !among(values, "") {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

func among(values []any, v any) bool {
	for _, want := range values {
		if same(want, v) {
			return true
		}
	}
	return false
}

// same compares a value with one that is right. JSON has one kind of number, so 5.0 is
// 5; a truth value is no number, and a number no text.
func same(want, got any) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case bool:
		g, ok := got.(bool)
		return ok && g == want
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(want-g) <= 1e-9*math.Max(1, math.Abs(want))
	case string:
		g, ok := got.(string)
		return ok && plain(want) == plain(g)
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return false
		}
		for i := range want {
			if !same(want[i], g[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && checkObject(listsOf(want), g) == nil
	}
	return false
}

// listsOf reads an object inside an answer, whose members are lists of the values that
// are right, too.
func listsOf(object map[string]any) map[string][]any {
	lists := map[string][]any{}
	for name, v := range object {
		if list, ok := v.([]any); ok {
			lists[name] = list
		} else {
			lists[name] = []any{v}
		}
	}
	return lists
}

// plain is a text without what does not count in it: case, spaces, and the marks that
// the leaderboard leaves out.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,./-_*^", r) {
			return -1
		}
		if r == '\'' {
			return '"'
		}
		return r
	}, strings.ToLower(s))
}
