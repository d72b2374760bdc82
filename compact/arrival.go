package compact

import (
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// ArrivalCap returns how tool results are cut when they arrive, for a preset and a window
// of so many tokens, 0 unknown. maxChars is the configured limit, 0 if it is left to the
// preset. Rules:
//
//   - Plimsoll's own limit grows with the window: one character for every token, which
//     is about a quarter of the window, so that a large window is used.
//   - The presets of published designs, and those for comparison, cut where OneClaw does.
//   - Under Plimsoll's own preset the marker in the text says what was cut. The others
//     have exactly the marker of OneClaw.
func ArrivalCap(name preset.Name, maxChars, window int) conversation.ArrivalCap {
	own := name.Design().OwnFeatures
	if maxChars <= 0 {
		maxChars = conversation.ResultMaxChars
		if own {
			maxChars = max(maxChars, window)
		}
	}
	return conversation.ArrivalCap{Chars: maxChars, DescribesRest: own}
}
