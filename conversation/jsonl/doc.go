// Package jsonl reads and writes recorded conversations as JSONL: an optional line {"meta": {...}}, then one
// chat-completions message per line.
//
// In addition to the protocol, a message may have reasoning_content, usage, ts (milliseconds since 1970) and, on tool
// results, is_error. Content is null, a text, or an array of parts; of a part that is not text only the type is kept.
//
// A [Document] is such a file in memory. [Read] and [Write] convert it from and to text, [Document.Events] and [FromLog] to and
// from a log. It has no overlays and no settings, because the format has no fields for them.
//
// The package does I/O only through the readers, writers and functions that it is given, and reads no clock.
package jsonl
