// Package fake has stand-ins for what loci talks to, for tests only: a scripted
// model server that speaks both protocols over real HTTP, and an embedder that
// needs no weights. Nothing outside of tests imports it.
//
//	m := fake.NewModel(
//		fake.Reply{Calls: []loci.ToolCall{fake.Call("list_dir", `{"path":"."}`)}},
//		fake.Reply{Text: "There are two files."},
//	)
//	client := connect(m.OpenAI(t)) // or m.Ollama(t)
//	…
//	got := m.Last().Messages
package fake
