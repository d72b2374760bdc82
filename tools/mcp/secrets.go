package mcp

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"plimsoll/tools/shell"
)

// A program gets no key of the user's but its own, and what it was given stands in no error and no log.

// harmless are the variables, and harmlessPrefixes the beginnings of variables, that the program of a server gets of the
// user's environment.
var (
	harmless         = []string{"PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR", "SHELL"}
	harmlessPrefixes = []string{"LC_", "XDG_", "NODE_", "NPM_"}
)

// environment is that of the program of a server: a few variables of the user's, without keys, and those configured for it.
func environment(environ []string, own map[string]string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if slices.Contains(harmless, name) || slices.ContainsFunc(harmlessPrefixes, func(p string) bool { return strings.HasPrefix(upper, p) }) {
			out = append(out, kv)
		}
	}
	out = shell.Environment(out, nil)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		out = append(out, name+"="+own[name])
	}
	return out
}

// secrets are the values of a configuration that errors and logs hide.
// Results hide only the keys: other values, such as the path of a folder, are what a tool is about.
type secrets struct{ all, keys values }

type values []string

const shortestSecret = 4 // bytes; shorter values, such as 1, are no keys

func newSecrets(c Config) secrets {
	var s secrets
	add := func(name, value string, key bool) {
		variants := []string{value, url.QueryEscape(value)}
		if key {
			variants = append(variants, strings.Fields(value)...)
		}
		for _, v := range variants {
			if len(v) >= shortestSecret && !slices.Contains([]string{"Bearer", "Basic", "true", "false"}, v) {
				s.all = append(s.all, v)
				if key || shell.Secret(name, value) {
					s.keys = append(s.keys, v)
				}
			}
		}
	}
	for name, value := range c.Env {
		add(name, value, false)
	}
	for name, value := range c.Headers {
		add(name, value, true)
	}
	if u, err := url.Parse(c.URL); err == nil {
		add("", u.RawQuery, true)
		if password, ok := u.User.Password(); ok {
			add("", password, true)
		}
	}
	longest := func(a, b string) int { return len(b) - len(a) }
	slices.SortFunc(s.all, longest)
	slices.SortFunc(s.keys, longest)
	return s
}

const hidden = "(hidden)"

// hide takes the values out of a text.
func (vs values) hide(text string) string {
	for _, v := range vs {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}
