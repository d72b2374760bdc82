// Package jsonl reads and writes recorded conversations as JSONL: a line
// {"meta": {...}}, which may be missing, then one chat-completions message per
// line.
//
// Besides what the protocol has, a message may carry reasoning_content, usage,
// ts (milliseconds since 1970) and is_error on results. Content is null, a
// text, or an array of parts; of parts that are no text only their kind is kept.
//
// A [Document] is such a file in memory. [Read] and [Write] take it from and to
// text, [Document.Events] and [Of] to and from a log. Overlays, settings and
// what the protocol has no word for are not part of it.
//
// The package does no I/O but through the readers, writers and functions it is
// given, and reads no clock.
package jsonl
