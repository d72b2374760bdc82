package tui

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"plimsoll/docs/docstest"
	"plimsoll/tui/edit"
)

// go test ./tui -update writes the tables of keys and commands in the handbook, from the keymaps and the slash commands.

// updating reports whether the flag of the golden files, -update, is set.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func tablesIn(t *testing.T, document string, tables map[string]string) {
	t.Helper()
	for name, table := range tables {
		docstest.Part(t, document, name, table, updating())
	}
}

// keyTable lists every binding of a keymap with its name in the configuration.
func keyTable(t *testing.T, prefix string, keymap any) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| keys | what they do | action |\n| --- | --- | --- |\n")
	keyRows(t, &b, prefix, reflect.ValueOf(keymap))
	return b.String()
}

func keyRows(t *testing.T, b *strings.Builder, prefix string, v reflect.Value) {
	for i := range v.NumField() {
		bound, ok := v.Field(i).Interface().(key.Binding)
		switch {
		case ok && len(bound.Keys()) > 0:
			action := prefix + snakeCase(v.Type().Field(i).Name)
			if !slices.Contains(Actions(), action) {
				t.Errorf("%s cannot be bound by its name", action)
			}
			fmt.Fprintf(b, "| %s | %s | `%s` |\n", keyNames(bound), bound.Help().Desc, action)
		case !ok && (prefix == "" || v.Field(i).Type() != reflect.TypeFor[edit.Keys]()):
			keyRows(t, b, prefix, v.Field(i))
		}
	}
}

func keyNames(b key.Binding) string {
	return "`" + strings.Join(b.Keys(), "`, `") + "`"
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("| command | what it does | also |\n| --- | --- | --- |\n")
	for _, c := range slashCommands() {
		also := ""
		if len(c.Aliases) > 0 {
			also = "`/" + strings.Join(c.Aliases, "`, `/") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Help, also)
	}
	return b.String()
}

func firstKeys() string {
	k := DefaultKeyMap()
	c, s := k.Composer.Writing, k.Screen
	var b strings.Builder
	b.WriteString("| keys | what they do |\n| --- | --- |\n")
	for _, bound := range []key.Binding{c.Send, c.Newline, c.Complete, c.Older, c.Search, s.Cancel, s.Interrupt, s.Quit,
		s.PageUp, s.PageDown, s.Expand, s.History, s.Palette, s.Mode, c.Editor, c.Help} {
		fmt.Fprintf(&b, "| %s | %s |\n", keyNames(bound), bound.Help().Desc)
	}
	return b.String()
}

func TestHandbookListsEveryKeyAndCommand(t *testing.T) {
	t.Parallel()
	k := DefaultKeyMap()
	tables := map[string]string{
		"keys for writing": keyTable(t, "", k.Composer),
		"keys of the chat": keyTable(t, "", k.Screen),
		"keys of dialogs":  keyTable(t, "dialog_", k.Dialogs),
		"slash commands":   commandTable(),
		"first keys":       firstKeys(),
	}
	for _, v := range k.viewKeymaps() {
		tables["keys: "+v.name] = keyTable(t, v.name+"_", reflect.ValueOf(v.keys).Elem().Interface())
	}
	tablesIn(t, "../docs/keys.md", tables)
}
