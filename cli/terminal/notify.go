package terminal

import (
	"context"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// Rules:
//
//   - a terminal gets the notification that it is known to show; every other rings its bell
//   - where it depends on the user's setup whether one is shown (VTE, urxvt) the bell rings, too
//   - within tmux the bell rings, which tmux passes on and shows in its status line

// The ways to call the user: the values of ui.notify.
const (
	Auto = "auto"
	Bell = "bell"
	Off  = "off"
)

const (
	title = "Plimsoll"
	bell  = "\a"
)

// Notify is how to call the user, nil for not at all.
func (t *Terminal) Notify(how string) func(ctx context.Context, text string) string {
	switch how {
	case Off:
		return nil
	case Bell:
		return func(context.Context, string) string { return bell }
	}
	return func(_ context.Context, text string) string { return notification(t.kind(), text) }
}

// notification is what a terminal of a kind is told.
func notification(k kind, text string) string {
	text = plain.Line(text)
	switch k {
	case kitty: // o=unfocused: it knows best whether somebody looks
		const id, when = "i=plimsoll", "o=unfocused"
		return ansi.DesktopNotification(title, id, when, "d=0", "p=title") + ansi.DesktopNotification(text, id, when, "d=1", "p=body")
	case ghostty, wezterm, foot:
		return ansi.URxvtExt("notify", title, text)
	case vte, urxvt:
		return ansi.URxvtExt("notify", title, text) + bell
	case iterm, warp:
		return ansi.Notify(title + ": " + text)
	}
	return bell
}
