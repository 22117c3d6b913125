// Package server is the client of one model server: Ollama, llama-server, LM
// Studio, vLLM, or whatever else speaks one of their two protocols.
//
// A [Client] streams chats, lists the models of its server and tells what the
// server knows about them, embeds texts, and relays a client's request byte for
// byte. What can go wrong on the way is sorted into the classes of [loci.Code],
// each with a sentence for the person. [Discover] finds the servers that
// already run on this machine.
//
// Only the paths that use a model are ever called or relayed; those that manage
// a server (pull, create, delete, load) are not.
package server
