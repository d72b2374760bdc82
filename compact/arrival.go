package compact

import (
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// ArrivalCap is how tool results are cut when they arrive, under a preset and in a
// window of so many tokens, 0 if it is unknown. maxChars is what is configured, 0 if
// that is left to the preset. Rules:
//
//   - Plimsoll's own cap grows with the window: a character for every token, which
//     is about a quarter of the window, so that a large window is not starved.
//   - The sources' presets, and those to compare with, cut where ONE does.
//   - Under Plimsoll's own preset the marker names what was cut. The others have
//     exactly that of ONE.
func ArrivalCap(name preset.Name, maxChars, window int) conversation.ArrivalCap {
	own := name.Design().Additions
	if maxChars <= 0 {
		maxChars = conversation.ResultMaxChars
		if own {
			maxChars = max(maxChars, window)
		}
	}
	return conversation.ArrivalCap{Chars: maxChars, DescribesRest: own}
}
