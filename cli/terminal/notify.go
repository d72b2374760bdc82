package terminal

import (
	"context"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// Desktop notifications. Rules:
//
//   - A terminal that is known to support a kind of notification gets it; any other terminal gets the bell.
//   - If it depends on the user's setup whether a notification is shown (VTE, urxvt), the bell rings, too.
//   - In tmux the bell rings, which tmux passes on and shows in its status line.

// The values of ui.notify.
const (
	Auto = "auto"
	Bell = "bell"
	Off  = "off"
)

const (
	title = "Plimsoll"
	bell  = "\a"
)

// Notifier returns a function that makes the escape sequence to notify the user. how is a value of ui.notify; Off gives nil.
func (t *Terminal) Notifier(how string) func(ctx context.Context, text string) string {
	switch how {
	case Off:
		return nil
	case Bell:
		return func(context.Context, string) string { return bell }
	}
	return func(_ context.Context, text string) string { return notification(t.detect(), text) }
}

// notification returns the escape sequence that shows text as a notification in a kind of terminal.
func notification(k emulator, text string) string {
	text = plain.Line(text)
	switch k {
	case kitty: // o=unfocused: kitty shows it only if the window has no focus
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
