package settings

import (
	"slices"
	"strings"

	"plimsoll/conversation/numbers"
)

// The first page has the settings that people change most, with plain names, and a row for each group, which has all of its
// settings under the names of the configuration.

// common are the settings of the first page: the end of a key, and the plain name.
var common = []struct{ key, name string }{
	{"model", "Model"}, {".effort", "How much it reasons"}, {"context.window", "Context window"},
	{"permissions.mode", "Permission mode"}, {"permissions.sandbox", "Sandbox for commands"}, {"permissions.network", "Network for commands"},
	{"compaction.enabled", "Automatic compaction"}, {"compaction.trigger_ratio", "Compacts at"},
	{"ui.theme", "Theme"}, {"ui.panel", "Panel at the right"}, {"ui.notify", "Notifications"}, {"ui.mouse", "Mouse"},
}

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
			if r.Key == known.key || known.key[0] == '.' && strings.HasSuffix(r.Key, known.key) {
				r.Section, r.Name = "Often changed", known.name
				out = append(out, r)
			}
		}
	}
	for _, name := range c.groups() {
		n := numbers.Count(len(c.page(name)), "setting")
		out = append(out, Row{Section: "All settings", Name: name, Shown: n + " ›", isGroup: true})
	}
	return out
}
