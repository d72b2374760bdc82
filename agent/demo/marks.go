package demo

const introduction = "I'm a small rule program built into Plimsoll, not an AI: no language model, no network."

// noteMark is how a note on evicted turns begins.
const noteMark = "\n## Note on turn"

// roomMade is said once after a compaction, at the end of what is answered.
const roomMade = "Room was made in my window: a note stands for the oldest turns by now, and a summary where one was written. The line in the transcript says which they are. " +
	"`ctrl+x` or `/undo-compact` undoes that; `ctrl+t` or `/history` shows what was said beside what I see."

// summaryMark opens every summary, so that a reader knows what it is.
const summaryMark = "Extract made by fixed rules, not by an AI."
