// Package model puts several model servers behind one name space of models.
//
// A [Hub] knows which server has which model, resolves the names that people
// and clients write, and sends a call to where its model is. It remembers a
// [loci.Profile] of each: how large its window is and whether it calls tools
// natively. A profile comes from what the server tells about the model and from
// trials, a few short calls each; never from a list of model names. Where the server
// does not tell whether the model calls tools, the first turn waits a few seconds for
// a trial of that; all others are made when nobody talks to the model (see trial.go).
//
// Background jobs of clients give way to chats; see courtesy.go.
//
// How a single server is talked to is in [loci/internal/model/server].
package model
