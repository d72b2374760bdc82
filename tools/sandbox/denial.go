package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// denialBytes is how much of the end of an output is searched.
const denialBytes = 16 << 10

var (
	refusedFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)permission denied|read-only file system|operation not permitted|device or resource busy|\b(EACCES|EPERM|EROFS|EBUSY)\b`)
	})
	missingFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)no such file\b|\bENOENT\b`) // what a mount covers is not there
	})
	refusedNetwork = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)network is unreachable|could not resolve|couldn't resolve|name resolution|no such host|nodename nor servname|name or service not known|` +
			`getaddrinfo|\b(ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|(dial|connect|bind|listen|socket)\w*\b.*(permission denied|not permitted|EACCES|EPERM)|server misbehaving`)
	})
	refusedKeys = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)failed to sign the data|couldn't load public key|no secret key|permission denied \(publickey`)
	})
	shellPrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S*sh: (line )?\d+: `) })
	paths       = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("[^\\s'\"`‘’“”«»:,;()\\[\\]]*/[^\\s'\"`‘’“”«»:,;()\\[\\]]+")
	})
)

// Denial returns what the sandbox kept a failed command from, guessed from its output: "reaching the network", "writing /etc/x";
// "" if it failed for another reason.
func (s *Sandbox) Denial(output string) string {
	if !s.Active() {
		return ""
	}
	output = output[max(0, len(output)-denialBytes):]
	for line := range strings.Lines(output) {
		if s.Network != NetworkOn && refusedNetwork().MatchString(line) {
			return "reaching the network"
		}
		if refusedKeys().MatchString(line) {
			return "using your keys"
		}
		refused := refusedFile().MatchString(line)
		if !refused && !missingFile().MatchString(line) {
			continue
		}
		line = shellPrefix().ReplaceAllString(line, "")
		for _, path := range paths().FindAllString(line, -1) {
			if what := s.keptFrom(path, !refused); what != "" && !strings.HasPrefix(path, "//") {
				return what
			}
		}
	}
	return ""
}

// keptFrom says what a command cannot do with a path, "" if it is free to write it. covered tells that the command did not see
// it; it is free to see what is not there.
func (s *Sandbox) keptFrom(path string, covered bool) string {
	if full := s.expand([]string{strings.TrimRight(path, ".")}); len(full) == 1 {
		path = full[0]
	}
	if _, err := os.Lstat(path); covered && err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rulesFor(s.Mode, s.temp)
	real := path
	for dir := path; ; dir = filepath.Dir(dir) { // it may not exist
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			real = filepath.Join(resolved, strings.TrimPrefix(path, dir))
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	in := func(folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return below(real, f) })
	}
	switch {
	case in(r.hidden):
		return "reading " + path
	case covered && (in(r.read) || in(r.write)):
		return ""
	case in(r.fixed), !in(r.write) && in(r.read):
		return "writing " + path
	case !in(r.write):
		return "opening " + path
	}
	return ""
}
