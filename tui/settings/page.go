package settings

import (
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation/numbers"
)

// The first page has the settings that people change most, and a row for each section, which has all of its settings.

// common are the settings of the first page: a key, or with a leading dot its end.
var common = []string{"model", ".effort", "context.window", "permissions.mode", "permissions.sandbox", "permissions.network",
	"compaction.enabled", "compaction.trigger_ratio", "ui.theme", "ui.panel", "ui.notify", "ui.mouse"}

// sections returns the names of the sections, in order.
func (c *Content) sections() (names []string) {
	for i, r := range c.Rows {
		if i == 0 || r.Section != c.Rows[i-1].Section {
			names = append(names, r.Section)
		}
	}
	return names
}

// page returns the rows of a section, or of the first page for "".
func (c *Content) page(section string) (out []Row) {
	if section != "" {
		return slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.Section != section })
	}
	for _, key := range common {
		for _, r := range c.Rows {
			if r.Key == key || key[0] == '.' && strings.HasSuffix(r.Key, key) {
				r.Group = "Often changed"
				out = append(out, r)
			}
		}
	}
	for _, name := range c.sections() {
		n := numbers.Count(len(c.page(name)), "setting")
		out = append(out, Row{Setting: config.Setting{Title: name, Group: "All settings"}, Shown: n + " ›", isSection: true})
	}
	return out
}
