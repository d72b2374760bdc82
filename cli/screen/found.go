package screen

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/session"
)

// found is what there is to talk to, in words without any key, for who opens the
// program for the first time: nil once a conversation is stored. It asks no server;
// /connect does.
func (h *Host) found(r *session.Running) []string {
	if len(r.Events) > 0 {
		return nil
	}
	store, err := h.with.Resources.Open()
	if err != nil {
		return nil
	}
	if empty, err := store.Empty(); err != nil || !empty {
		return nil
	}
	var out []string
	for _, name := range openai.ByKey() {
		if key, _ := h.with.Providers.Key(name); key != "" {
			out = append(out, "a key for "+name)
		}
	}
	if base := h.with.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			out = append(out, "a server at "+u.Host)
		}
	}
	in := r.Link.Model.Provider
	if e, ok := openai.Known(in); ok && e.Local {
		out = append(out, in+" on this machine")
	}
	for _, name := range slices.Sorted(maps.Keys(h.with.Settings.Cfg().Providers)) {
		if !slices.Contains(openai.ByKey(), name) && name != in {
			out = append(out, name+" in the configuration")
		}
	}
	return out
}
