// Package gguf turns the published form of a small BERT sentence embedder into
// the one file that llama.cpp loads.
//
// The published form is three files: config.json, tokenizer.json and
// model.safetensors. [WriteBERT] reads them once, from start to end, and writes
// a GGUF file while it reads: the weights never stand in memory as a whole.
// Everything read is checked against config.json before anything is believed,
// so a wrong file gives an error and not a model that answers nonsense.
//
// GGUF is described in docs/gguf.md of the ggml repository, safetensors in the
// README of the safetensors repository. The names of BERT's tensors and keys
// are those that llama.cpp's loader asks for.
package gguf
