package settings

import (
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation/numbers"
)

// The first page has the settings that people change most, and a row for each section, which has all of its settings.

// common are the settings of the first page: the end of each key.
var common = []string{"model", ".effort", "context.window", "permissions.mode", "permissions.sandbox", "permissions.network",
	"compaction.enabled", "compaction.trigger_ratio", "ui.theme", "ui.panel", "ui.notify", "ui.mouse"}

// groups returns the names of the groups, in order.
func (c *Content) groups() (names []string) {
	for i, r := range c.Rows {
		if i == 0 || r.Section != c.Rows[i-1].Section {
			names = append(names, r.Section)
		}
	}
	return names
}

// page returns the rows of a group, or of the first page for "".
func (c *Content) page(group string) (out []Row) {
	if group != "" {
		return slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.Section != group })
	}
	for _, known := range common {
		for _, r := range c.Rows {
			if r.Key == known || known[0] == '.' && strings.HasSuffix(r.Key, known) {
				r.Group = "Often changed"
				out = append(out, r)
			}
		}
	}
	for _, name := range c.groups() {
		n := numbers.Count(len(c.page(name)), "setting")
		out = append(out, Row{Setting: config.Setting{Title: name, Group: "All settings"}, Shown: n + " ›", isGroup: true})
	}
	return out
}
