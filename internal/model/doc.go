// Package model is loci's side of the wire towards model servers: Ollama,
// llama-server, LM Studio, vLLM and whatever else speaks one of their two
// protocols.
//
// A [Client] talks to one server: it streams chats, lists models, embeds texts
// and relays a client's request byte for byte. What can go wrong on the way is
// sorted into the classes of [loci.Code], each with a sentence for the person.
//
// A [Hub] puts several servers behind one name space of models, and remembers a
// [loci.Profile] of each: how large its window is and whether it calls tools
// natively. A profile comes from what the server tells about the model, and
// only where it tells nothing from one tiny trial call; never from a list of
// model names.
//
// [Discover] finds the servers that already run on this machine.
//
// Only the paths that use a model are ever called or relayed; those that manage
// a server (pull, create, delete, load) are not.
package model
