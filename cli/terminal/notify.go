package terminal

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// Rules:
//
//   - a terminal gets the notification that it is known to show; every other rings its bell
//   - where it depends on the user's setup whether one is shown (VTE, urxvt) the bell rings, too
//   - through tmux a notification is sent only where tmux says that it lets such sequences pass and who is behind it;
//     otherwise its bell rings, which tmux passes on and shows in its status line

// The ways to call the user: the values of ui.notify.
const (
	Auto = "auto"
	Bell = "bell"
	Off  = "off"
)

const (
	title   = "Plimsoll"
	bell    = "\a"
	patient = time.Second // with tmux
)

// Notify is how to call the user, nil for not at all.
func (t *Terminal) Notify(how string) func(ctx context.Context, text string) string {
	switch how {
	case Off:
		return nil
	case Bell:
		return func(context.Context, string) string { return bell }
	}
	if t.kind() == tmux {
		return func(ctx context.Context, text string) string { return t.through(ctx, text) }
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

// through is what tmux is told.
func (t *Terminal) through(ctx context.Context, text string) string {
	ctx, stop := context.WithTimeout(ctx, patient)
	defer stop()
	ask := exec.CommandContext(ctx, "tmux", "display-message", "-p", "-t", t.env("TMUX_PANE"),
		"#{allow-passthrough}|#{window_active}|#{client_termtype}|#{client_termname}")
	ask.Env = t.environ
	answer, err := ask.Output()
	if err != nil {
		return bell
	}
	return wrapped(string(answer), text)
}

// wrapped is a notification for the terminal behind tmux, by what tmux says: whether it lets sequences pass (of a pane that
// is seen, or of all), whether the pane is seen, and what the terminal is called.
func wrapped(answer, text string) string {
	said := strings.Split(strings.TrimSpace(answer), "|")
	if len(said) != 4 {
		return bell
	}
	passes := said[0] == "2" || said[0] == "all" || (said[0] == "1" || said[0] == "on") && said[1] == "1"
	k := named(strings.ToLower(said[2]))
	if k == other {
		k = named(strings.ToLower(said[3]))
	}
	sequence := notification(k, text)
	if !passes || sequence == bell {
		return bell
	}
	return ansi.TmuxPassthrough(sequence)
}
