// Hiding secrets in messages. Rules:
//
//   - Header values are hidden however they are printed: fmt, slog, JSON. Code that needs a value indexes the map.
//   - A problem quotes a line of a file only if the line has no name that sounds secret and no text that looks like an API
//     key. It never quotes lines of the section providers, or below headers.

package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hidden replaces a secret.
const hidden = "(hidden)"

var (
	// secretKey matches keys whose values are not shown.
	secretKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)key\b|token\b|secret|passw|authori[sz]ation|cookie|credential|bearer|api_?key`)
	})

	// keyShaped matches the formats of the providers' API keys, and credentials in a URL.
	keyShaped = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(sk|rk|pk|gsk|xai|ghp|gho|hf|key|csk|fw|r8|nvapi)[-_][A-Za-z0-9_\-]{8,}|github_pat_\w+|AIza[\w\-]{10,}|\bBearer\s+\S+|\bBasic\s+\S+|eyJ[\w\-]{10,}[\w\-.]*|//[^/\s@]+@`)
	})
)

// maskSecrets returns line unchanged, or "(hidden)" if it may contain a secret.
func maskSecrets(line string) string {
	opening := strings.TrimLeft(line, " \t\"'{?\ufeff")
	if strings.HasPrefix(opening, "providers") || strings.Contains(line, "headers") || secretKey().MatchString(line) || keyShaped().MatchString(line) {
		return hidden
	}
	return line
}

// maskedOverride returns a KEY=VALUE setting, which may be malformed, with possible secrets hidden.
func maskedOverride(text string) string {
	segments, rest, err := parseAssignment(text)
	if err != nil {
		return maskSecrets(text)
	}
	ofProvider := strings.TrimSpace(segments[0]) == "providers"
	if !ofProvider && maskSecrets(text) == text {
		return text
	}
	key := text[:len(text)-len(rest)-len("=")]
	if ofProvider && !strings.ContainsAny(key, ":{[") && maskSecrets("."+key) == "."+key || maskSecrets(key) == key {
		return key + "=" + hidden
	}
	return hidden
}

// maxSearched is how many bytes of a line are kept and searched for secrets. A problem shows far less.
const maxSearched = 2000

// safeLine returns line i of a file for quoting in a problem: without secrets and control characters.
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
	if slices.ContainsFunc(lines[section:i], func(above string) bool { return maskSecrets(above) == hidden }) {
		return hidden
	}
	return printable(maskSecrets(line))
}

// Headers are HTTP headers by name. Their values may be secret, so printing them shows only the names.
type Headers map[string]string

// MarshalText returns the names only, for JSON and logs.
func (h Headers) MarshalText() ([]byte, error) {
	names := make([]string, 0, len(h))
	for _, name := range sortedKeys(h) {
		names = append(names, name+": "+hidden)
	}
	return []byte("{" + strings.Join(names, ", ") + "}"), nil
}

// Format prints the names only.
func (h Headers) Format(f fmt.State, _ rune) {
	text, _ := h.MarshalText()
	_, _ = f.Write(text) // the printer reports its own errors
}
