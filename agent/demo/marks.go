package demo

const introduction = "I'm a small scripted bot built into Plimsoll, not an AI: no language model, no network."

// noteMark is how a note on evicted turns begins.
const noteMark = "\n## Note on turn"

// roomMade is said once after a compaction, at the end of what is answered.
const roomMade = "The oldest turns were compacted: I am sent a note instead, with a summary where one was written. The line in the transcript says which turns. " +
	"`ctrl+x` or `/undo-compact` undoes it; `ctrl+t` or `/history` shows the originals next to what I am sent."

// summaryMark opens every summary, so that a reader knows what it is.
const summaryMark = "Extract made by fixed rules, not by an AI."
