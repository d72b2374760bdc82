package demo

import "unicode/utf8"

// tokenBytes is the size of a token: at most four bytes of whole characters. That is about an English token of a real
// model, and one character of Chinese or Japanese.
const tokenBytes = 4

func pieces(text string) []string {
	var out []string
	for text != "" {
		n := 0
		for n < len(text) {
			_, size := utf8.DecodeRuneInString(text[n:])
			if n > 0 && n+size > tokenBytes {
				break
			}
			n += size
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func countTokens(text string) int { return len(pieces(text)) }

const cacheBlock = 64 // tokens: a match has whole blocks only

// cachedTokens imitates a provider's prompt cache that holds the newest prompt with its reply: it returns how many tokens of
// the next prompt are read from it. The last token is never cached, because the model has to read it to answer.
func cachedTokens(cached, prompt string) int {
	return min(countTokens(prompt[:commonPrefix(cached, prompt)]), countTokens(prompt)-1) / cacheBlock * cacheBlock
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
