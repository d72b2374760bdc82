// Package foreign reads the sessions of other clients as they lie on disk: of Claude Code, Codex, Gemini CLI and Copilot CLI.
//
// [Recognise] tells by the beginning of a file whose session it is, and [Read] reads it into a [jsonl.Document], the form in
// which recordings are imported and replayed. Messages, reasoning, tool calls, results, times, reported usage and the model
// are kept; an image becomes its type in brackets. What the client wrote for itself is passed over in silence, what cannot be
// read is a problem, and what is left out on purpose (lines of sub-agents, turns taken back) is counted.
//
// The package does I/O only through the readers that it is given, and reads no clock. Titles and problems can hold hostile
// text.
package foreign
