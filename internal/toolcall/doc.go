// Package toolcall reads a model's wish to use a tool, however it is written,
// and refuses what it cannot read with a sentence the model can act on.
//
// There are three parts. [Name] finds the offered tool that a model means.
// [Schema] turns the arguments, as sloppy as small models write them, into one
// JSON object that fits the tool's schema, or into a [Fault] that names the
// field, what is wrong with it and the right form. [Reader] follows a streamed
// reply, lets prose through at once and collects the calls that are written as
// text; every way of writing is one entry of the tables in tags.go, tokens.go and
// lines.go. [Describe] and [Output] are the other direction: they teach a model
// without native tool calls how to ask, and hand it the results.
//
// The package forgives spelling, never meaning. Nothing is evaluated, nothing
// that was cut off is completed, no name is guessed, and a call that was only
// thought about or shown as an example is not a call. Where two readings are
// possible there is a fault instead of a choice: a model corrects a fault within
// a second, and a person may never notice a wrong file.
//
// Models also write about markup. A tag is one only where what follows it can
// still be a call, which a few bytes decide; otherwise it is shown like any word.
// What begins as a call of an offered tool and cannot be read is a fault, and
// never shown.
//
// What is a call depends on where it stands:
//
//   - In a thought, a block quote, a table, quotation marks or code it is none, nor
//     behind words such as "for example", nor in the midst of a sentence that goes on
//     and announces nothing.
//   - Word for word in what a tool returned it is none: it is a quotation, or a text
//     that gives orders. Behind other words the person sees it. Markup that is the
//     whole reply is refused instead, so that the model returns to what it was asked.
//     What the person wrote is a quotation too, unless it is all they wrote. See
//     [Reader.Quotable].
//   - JSON, name(…) and fenced blocks are calls only as the whole reply, and only with
//     an offered name; a block that calls itself tool_code also at its end. Behind a
//     sentence they are as likely an example. If the sentence
//     says that the model is about to act ("I will read it:"), a fault tells it
//     that nothing ran; "It would look like this:" stays without one, as a correction
//     would make the model do what it was only asked to show.
//   - Lines with labels, as in ReAct, are calls only at the end of the reply.
//
// Everything it reads is untrusted. Depth, length and the number of attempts
// are bounded, the time is linear in the length of the input, and no input
// makes it panic; fuzz targets hold it to that.
package toolcall
