package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// Every part works without the others.

// noted is an agent that notes what is sent.
type noted struct {
	deafSession
	sent *[]string
}

func (n noted) Send(text string) { *n.sent = append(*n.sent, text) }
func (n noted) Add(text string)  { *n.sent = append(*n.sent, "added "+text) }

// turnless is an outline without a message.
type turnless struct{}

func (turnless) Said() bool        { return false }
func (turnless) TurnOf(uint64) int { return 0 }
func (turnless) Turns() int        { return 0 }

func aloneEnv(t *testing.T) *env {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &env{ctx: t.Context(), Options: Options{Backend: deaf{}, Keys: DefaultKeyMap(), Now: func() time.Time { return now }}}
}

func aloneSession(t *testing.T) (s *session, sent *[]string) {
	t.Helper()
	sent = &[]string{}
	s = newSession(aloneEnv(t))
	s.outline = turnless{}
	c := deafTalk("first")
	c.Session = noted{sent: sent}
	s.begin(c)
	return s, sent
}

func TestASessionRefusesWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	s, _ := aloneSession(t)
	nothing := "this conversation is empty"
	for name, action := range map[string]pane.Action{
		"compact": s.undoCompaction(0), "pin": s.pin([]uint64{1}, true), "rewind": s.rewind(0), "rename": s.rename(""), "profile": s.setProfile("none"),
	} {
		if say, ok := action.(pane.Say); !ok || !say.Bad {
			t.Errorf("%s: %#v is no refusal", name, action)
		}
	}
	if say, _ := s.mask(nil).(pane.Say); !strings.HasPrefix(say.Text, nothing) {
		t.Errorf("mask: %q", say.Text)
	}
	s.enter(nil)
	if got := s.pin(nil, true); got != refuse(busyOpening) {
		t.Errorf("while another conversation opens: %#v", got)
	}
}

func TestAnOutboxHandsOverInOrder(t *testing.T) {
	t.Parallel()
	s, sent := aloneSession(t)
	c := composer.New(composer.Options{})
	o := &outbox{env: s.env, session: s, composer: c, keyboard: &keyboard{}, sent: func() {}}
	first := o.message("see @a.go", []File{{Path: "a.go"}}, nil)
	o.send(first)
	o.send(o.message("second", nil, nil))
	if len(*sent) > 0 || len(o.waiting()) != 2 {
		t.Fatalf("%q overtook a message whose files are being read", *sent)
	}
	o.attached(attachedMsg{to: first, files: " + a.go"})
	if want := []string{"see @a.go + a.go", "second"}; !slices.Equal(*sent, want) {
		t.Errorf("sent %q, not %q", *sent, want)
	}
	if got := o.typed("see @a.go + a.go"); got != "see @a.go" {
		t.Errorf("it was typed as %q", got)
	}
	third := o.message("see @b.go", []File{{Path: "b.go"}}, nil)
	o.send(third)
	o.giveBack()
	if got := c.Draft(); got != "see @b.go" || len(o.waiting()) != 0 {
		t.Errorf("the draft is %q, %d messages wait", got, len(o.waiting()))
	}
}

func TestAQuestionWaitsUntilNothingIsWritten(t *testing.T) {
	t.Parallel()
	s, _ := aloneSession(t)
	d := newDialogs(s.env, s, &keyboard{}, look{})
	d.writes(true)
	d.ask(question{callID: "c", dialog: overlay.NewText("x", "", "")})
	if d.stack.Len() != 0 || !d.waiting() || !d.awaited {
		t.Error("it is open while one writes")
	}
	d.writes(false)
	if action := d.paused(); action != (questionShown{}) || d.stack.Len() != 1 || d.waiting() {
		t.Errorf("it is not open: %#v", action)
	}
	if d.forgetAll(); d.stack.Len() != 0 {
		t.Error("it is open without a conversation")
	}
}

func TestAStatusLineSaysWhatGoesOn(t *testing.T) {
	t.Parallel()
	keys := DefaultKeyMap()
	for want, change := range map[string]func(*statusLine){
		" ":                        func(*statusLine) {},
		" trouble":                 func(l *statusLine) { l.snackbar, l.bad = "trouble", true },
		" ⠋ answering (esc stops)": func(l *statusLine) { l.now.status.Phase = updates.Streaming },
		" ⠋ calling edit":          func(l *statusLine) { l.now.status.Phase, l.pulse.call, l.width = updates.Streaming, "edit", 30 },
		" ⠋ running ls (ctrl+c stops)": func(l *statusLine) {
			l.shell, l.covered = &shellRun{command: "ls"}, true
		},
		" ⠋ Optimizing conversation context…": func(l *statusLine) { l.now.job.on = true },
	} {
		l := &statusLine{styles: &statusStyles{}, now: &activity{}, review: &pendingReview{}, pulse: &pulse{}, screen: &keys.Screen, width: 80}
		change(l)
		if got := ansi.Strip(l.view()); strings.Trim(got, " ") != strings.Trim(want, " ") {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestASnackbarStandsOnlyWhereItWasShown(t *testing.T) {
	t.Parallel()
	var s snackbar
	view := sight{view: &searchView{}}
	s.show("one", false)
	s.place(view)
	old := s.seq
	if s.textAt(view) != "one" || s.textAt(sight{}) != "" {
		t.Errorf("%q there, %q elsewhere", s.textAt(view), s.textAt(sight{}))
	}
	s.show("two", true)
	s.over(old)
	if s.place(sight{}); s.textAt(sight{}) != "two" {
		t.Errorf("an old timer ended the newest: %q", s.textAt(sight{}))
	}
	s.add("three", sight{})
	if s.text != "two · three" {
		t.Errorf("added: %q", s.text)
	}
}
