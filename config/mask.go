// Hiding of secrets. Rules:
//
//   - Header values are hidden by every way of printing them: fmt, slog, JSON. Who needs them indexes the map.
//   - A line is quoted in a problem only where it holds nothing that sounds secret or looks like a key, and never from the
//     section providers, nor below headers.

package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hidden stands where a secret was.
const hidden = "(hidden)"

var (
	// secretKey matches keys whose values are not shown.
	secretKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)key\b|token\b|secret|passw|authori[sz]ation|cookie|credential|bearer|api_?key`)
	})

	// keyShaped matches the forms in which providers hand out keys, and credentials inside a URL.
	keyShaped = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(sk|rk|pk|gsk|xai|ghp|gho|hf|key|csk|fw|r8|nvapi)[-_][A-Za-z0-9_\-]{8,}|github_pat_\w+|AIza[\w\-]{10,}|\bBearer\s+\S+|\bBasic\s+\S+|eyJ[\w\-]{10,}[\w\-.]*|//[^/\s@]+@`)
	})
)

// hideSecrets is a line without what may be a secret: as it is, or nothing but that something is hidden.
func hideSecrets(line string) string {
	opening := strings.TrimLeft(line, " \t\"'{?\ufeff")
	if strings.HasPrefix(opening, "providers") || strings.Contains(line, "headers") || secretKey().MatchString(line) || keyShaped().MatchString(line) {
		return hidden
	}
	return line
}

// shownOverride is a KEY=VALUE setting without what may be a secret, also where it is not one.
func shownOverride(text string) string {
	segments, rest, err := cutPath(text)
	if err != nil {
		return hideSecrets(text)
	}
	ofProvider := strings.TrimSpace(segments[0]) == "providers"
	if !ofProvider && hideSecrets(text) == text {
		return text
	}
	key := text[:len(text)-len(rest)-len("=")]
	if ofProvider && !strings.ContainsAny(key, ":{[") && hideSecrets("."+key) == "."+key || hideSecrets(key) == key {
		return key + "=" + hidden
	}
	return hidden
}

// maxSearched bounds the part of a line that is searched for secrets, in bytes; far less of it is shown.
const maxSearched = 2000

// safeLine is line i of a file as a problem may quote it.
func safeLine(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return ""
	}
	section := i
	for section > 0 && (lines[section] == "" || strings.ContainsAny(lines[section][:1], " \t-#{}[],\"'")) {
		section--
	}
	line := strings.TrimSpace(lines[i])
	if len(line) > maxSearched {
		line = strings.ToValidUTF8(line[:maxSearched], "")
	}
	if slices.ContainsFunc(lines[section:i], func(above string) bool { return hideSecrets(above) == hidden }) {
		return hidden
	}
	return printable(hideSecrets(line))
}
