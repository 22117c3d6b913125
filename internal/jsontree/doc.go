// Package jsontree holds JSON values that keep what encoding/json's any loses: the
// order of an object's members, which is what models read first to last and what
// makes equal bytes, and the exact digits of a number.
//
// [Parse] reads valid JSON, of any size in linear time and never deeper than it is
// told; what is not valid goes through package jsonrepair first, or is refused by its
// caller. [Value.AppendJSON] writes it.
package jsontree
