// Hiding of secrets. Rules:
//
//   - Header values are hidden by every way of printing them: fmt, slog, JSON. Who needs them indexes the map.
//   - A line quoted in a problem hides what follows a key that sounds secret, and anything that looks like a key.

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
	// secretKey matches keys whose values are not shown. api_key_env is among them on purpose: its value is a name only
	// when it is right, and the commonest mistake is to put the key there.
	secretKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(key|token|secret|passw|authori[sz]ation|cookie|credential|bearer)`)
	})

	// harmlessKey matches known keys that secretKey would hide for their mere name.
	harmlessKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(keys|[a-z_]*tokens|token_threshold)$`)
	})

	// keyShaped matches the forms in which providers hand out keys, and credentials inside a URL.
	keyShaped = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(sk|rk|pk|gsk|xai|ghp|gho|hf|key|csk|fw|r8|nvapi)[-_][A-Za-z0-9_\-]{8,}|github_pat_\w+|AIza[\w\-]{10,}|\bBearer\s+\S+|\bBasic\s+\S+|eyJ[\w\-]{10,}[\w\-.]*|//[^/\s@]+@`)
	})

	// keyValue finds each `key: value` or `key=value` of a line, quoted or not, in block and in flow form.
	keyValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([\w.\-"']+)\s*[:=]\s*(\S)`)
	})

	// lineKey is the key that opens a line of a block mapping.
	lineKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:-\s+)*["']?([\w.\-]+)["']?\s*:`)
	})
)

// hideSecrets blanks whatever may be a secret in a line of text: what looks like a key, and all that follows a key that
// sounds secret.
func hideSecrets(line string) string {
	line = keyShaped().ReplaceAllString(line, hidden)
	for _, m := range keyValue().FindAllStringSubmatchIndex(line, -1) {
		path := strings.Split(line[m[2]:m[3]], ".")
		if slices.Contains(path, "headers") || soundsSecret(strings.Trim(path[len(path)-1], `"'`)) {
			return line[:m[4]] + hidden
		}
	}
	return line
}

func soundsSecret(key string) bool {
	return secretKey().MatchString(key) && !harmlessKey().MatchString(key)
}

// underSecret tells whether line i (0-based) belongs to a block whose key sounds secret, or to headers, by the
// indentation alone: the lines of a file that does not parse have nothing better.
func underSecret(lines []string, i int) bool {
	depth := indent(lines[i])
	for j := i - 1; j >= 0 && depth > 0; j-- {
		if strings.TrimSpace(lines[j]) == "" || indent(lines[j]) >= depth {
			continue
		}
		depth = indent(lines[j])
		if m := lineKey().FindStringSubmatch(lines[j]); m != nil && (m[1] == "headers" || soundsSecret(m[1])) {
			return true
		}
	}
	return false
}

// indent counts the blanks before a line. A tab, which YAML does not allow there, counts as deeper than anything.
func indent(line string) int {
	blank := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if strings.Contains(blank, "\t") {
		return MaxFileSize
	}
	return len(blank)
}

// maxSearched bounds the part of a line that is searched for secrets, in bytes; far less of it is shown.
const maxSearched = 2000

// safeLine is line i of a file as a problem may quote it.
func safeLine(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return ""
	}
	line := strings.TrimSpace(lines[i])
	if len(line) > maxSearched {
		line = strings.ToValidUTF8(line[:maxSearched], "")
	}
	if !underSecret(lines, i) {
		return printable(hideSecrets(line))
	}
	if m := lineKey().FindStringIndex(line); m != nil {
		return printable(line[:m[1]] + " " + hidden)
	}
	return hidden
}
