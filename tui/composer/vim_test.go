package composer_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// vi presses keys, each a character; < is Esc, ↤ is Backspace, ® is Ctrl+R.
func vi(m *composer.Model, keys string) {
	for _, r := range keys {
		switch r {
		case '<':
			tuitest.Press(m.Update, "esc")
		case '↤':
			tuitest.Press(m.Update, "backspace")
		case '®':
			tuitest.Press(m.Update, "ctrl+r")
		default:
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

func newVim(t testing.TB, text string) *composer.Model {
	m := newModel(t)
	m.SetVim(true)
	write(m, text)
	return m
}

// A command is pressed on a draft in normal mode, and X marks where the cursor is then.
func TestVim(t *testing.T) {
	t.Parallel()
	const words, lines = "one two-three  four", "one two\n  three\nfour"
	for keys, c := range map[string]struct{ draft, want string }{
		"hiX":      {words, "one two-three  foXur"},
		"3hiX":     {words, "one two-three  Xfour"},
		"0liX":     {words, "oXne two-three  four"},
		"0wiX":     {words, "one Xtwo-three  four"},
		"02wiX":    {words, "one twoX-three  four"},
		"02WiX":    {words, "one two-three  Xfour"},
		"biX":      {words, "one two-three  Xfour"},
		"2biX":     {words, "one two-Xthree  four"},
		"2BiX":     {words, "one Xtwo-three  four"},
		"0eiX":     {words, "onXe two-three  four"},
		"02eaX":    {words, "one twoX-three  four"},
		"0EEaX":    {words, "one two-threeX  four"},
		"0$iX":     {words, "one two-three  fouXr"},
		"IX":       {"  one", "  Xone"},
		"0iX":      {"  one", "X  one"},
		"^iX":      {"  one", "  Xone"},
		"0AX":      {words, words + "X"},
		"oX":       {"one", "one\nX"},
		"OX":       {"one", "X\none"},
		"x":        {"one", "on"},
		"02x":      {"one", "e"},
		"X":        {"one", "oe"},
		"0sX":      {"one", "Xne"},
		"0dw":      {words, "two-three  four"},
		"02dw":     {words, "-three  four"},
		"0d2w":     {words, "-three  four"},
		"db":       {words, "one two-three  r"},
		"0de":      {words, " two-three  four"},
		"d0":       {words, "r"},
		"0wd$":     {words, "one "},
		"0wD":      {words, "one "},
		"0cwX":     {words, "X two-three  four"},
		"0wcWX":    {words, "one X  four"},
		"0wCX":     {words, "one X"},
		"ggccX":    {lines, "X\n  three\nfour"},
		"SX":       {lines, "one two\n  three\nX"},
		"dd":       {lines, "one two\n  three"},
		"ggdd":     {lines, "  three\nfour"},
		"gg2dd":    {lines, "four"},
		"ggdj":     {lines, "four"},
		"dk":       {lines, "one two"},
		"dgg":      {lines, ""},
		"ggdG":     {lines, ""},
		"gg$dw":    {lines, "one tw\n  three\nfour"},
		"2GiX":     {lines, "one two\n  Xthree\nfour"},
		"ggjiX":    {lines, "one two\nX  three\nfour"},
		"kkGkiX":   {lines, "one two\nX  three\nfour"},
		"ggyyp":    {lines, "one two\none two\n  three\nfour"},
		"ggYGP":    {lines, "one two\n  three\none two\nfour"},
		"ggddp":    {lines, "  three\none two\nfour"},
		"0ywP":     {words, "one " + words},
		"0yw$p":    {words, words + "one "},
		"ggdd.ddp": {lines, "four\n  three"},
		"0rX":      {"one", "Xne"},
		"02rX":     {"one", "XXe"},
		"0~":       {"one", "One"},
		"03~":      {"oNe", "OnE"},
		"xxu":      {"one", "on"},
		"xx2u":     {"one", "one"},
		"xxuu®":    {"one", "on"},
		"ddu":      {lines, lines},
		"0d<x":     {"one", "ne"},
		"0dzx":     {"one", "ne"},
		"Q":        {"one", "one"},
		"0dliX<iY": {"one", "YXne"},
		"yy3p":     {"é漢", "é漢\né漢\né漢\né漢"},
		"x<aX":     {"é漢", "éX"},
		"rxiY":     {"one\n", "one\nY"},

		"0cwX<":   {"a b c", "X b c"},
		"0c2wX<":  {"a b c", "X c"},
		"0cwX<2":  {"a\nb", "a\nX"},
		"0llcwX":  {"a(b c", "a(X c"},
		"0dw0d0P": {"a b", "a b"},
		"0r5":     {"one", "5ne"},
		"0r↤x":    {"one", "ne"},
		"xuX":     {"one", "oe"},
		"gg$d$iX": {"ab\ncd", "Xa\ncd"},

		"99999999liX":  {"one", "onXe"},
		"010000x":      {"one", ""},
		"99999999999x": {"one", "on"},
	} {
		t.Run(keys, func(t *testing.T) {
			m := newVim(t, c.draft)
			vi(m, "<"+keys)
			wantDraft(t, m, c.want)
		})
	}
}

// Esc ends insert mode, then a command that was begun; else it is the chat's. What is sent leaves a new draft to write.
func TestVimLeavesKeysToTheChat(t *testing.T) {
	t.Parallel()
	m := newVim(t, "")
	ignored := func(key string) {
		t.Helper()
		if _, is := press(t, m, key).(pane.Ignored); !is {
			t.Errorf("%s is not left to the chat", key)
		}
	}
	wantLabel := func(label string) {
		t.Helper()
		if !strings.Contains(m.View(), label) {
			t.Errorf("no %q in\n%s", label, m.View())
		}
	}
	ignored("esc")
	write(m, "one")
	vi(m, "<d")
	wantLabel(" normal d ")
	vi(m, "<")
	ignored("esc")
	if a, is := press(t, m, "enter").(composer.Submit); !is || a.Text != "one" {
		t.Errorf("enter: %#v", a)
	}
	wantLabel(" insert ")
	write(m, "/con")
	press(t, m, "esc") // closes the list
	wantLabel(" insert ")
	vi(m, "<dd/comp")
	if !m.Commanding() {
		t.Error("a slash on an empty draft does not begin a command")
	}
	m.SetVim(false)
	write(m, "x")
	wantDraft(t, m, "/compx")
}

// Any keys leave a draft whose size is right, and undoing all of them brings the draft back.
func TestVimWithAnyKeys(o *testing.T) {
	o.Parallel()
	rapid.Check(o, func(t *rapid.T) {
		m := newModel(o)
		m.SetVim(true)
		m.Update(tea.PasteMsg{Content: rapid.StringMatching(`[a-z .\n漢é]{0,40}`).Draw(t, "draft")})
		vi(m, "<"+rapid.StringMatching(`([0-9]?[dcy]?[0-9]?[hjklwbeWBE0$^gGxXDCYSspPr~iaoIAO u<]){0,20}`).Draw(t, "keys"))
		wantDraft(o, m, m.Draft())
	})
}
