package openai

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// What servers write is shown to the user: without keys, without control
// characters, on one line, and short.

const maxWords = 300

// tidy makes a server's text presentable.
func (w party) tidy(text string) string {
	return shorten(oneLine(w.redact(text)), maxWords)
}

// redact takes keys and secret header values out of a text, and pieces of keys:
// servers repeat the beginning or the end of one that they refuse.
func (w party) redact(text string) string {
	for _, s := range w.secrets {
		text = strings.ReplaceAll(text, s, hiddenKey)
	}
	for _, s := range w.keys {
		text = hidePieces(text, s)
	}
	return text
}

const hiddenKey = "[key]"

// shortestPiece is how many characters of a key are told from a word by chance.
const shortestPiece = 8

// hidePieces hides whatever a text has in common with a key for long enough.
func hidePieces(text, secret string) string {
	var b strings.Builder
	done := 0
	for i := 0; i+shortestPiece <= len(text); {
		n := shortestPiece
		if !strings.Contains(secret, text[i:i+n]) {
			i++
			continue
		}
		for i+n < len(text) && strings.Contains(secret, text[i:i+n+1]) {
			n++
		}
		b.WriteString(text[done:i] + hiddenKey)
		i += n
		done = i
	}
	return b.String() + text[done:]
}

// oneLine folds white space and drops what could steer a terminal or turn the
// direction of writing.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// shorten cuts a text at limit characters, at a word where one ends near.
func shorten(text string, limit int) string {
	n := 0
	for i := range text {
		if n == limit {
			cut := text[:i]
			if at := strings.LastIndexByte(cut, ' '); at > len(cut)-30 {
				cut = cut[:at]
			}
			return cut + "…"
		}
		n++
	}
	return text
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageNoise = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>`)
	pageTag   = regexp.MustCompile(`(?s)<[^>]*>`)
)

// pageText is what an HTML page says: its title, else its text.
func pageText(page string) string {
	if m := pageTitle.FindStringSubmatch(page); m != nil {
		if t := strings.TrimSpace(html.UnescapeString(pageTag.ReplaceAllString(m[1], ""))); t != "" {
			return t
		}
	}
	text := pageTag.ReplaceAllString(pageNoise.ReplaceAllString(page, " "), " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}
