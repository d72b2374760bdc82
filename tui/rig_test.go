package tui_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui"
	"plimsoll/tui/tuitest"
)

// rig runs a screen as Bubble Tea does, with fake Session and Backend, and checks after each message that the view fits.
type rig struct {
	t    *testing.T
	ctx  context.Context
	m    *tui.Model
	msgs chan tea.Msg
	fakeState
	inspected        int // requests for a breakdown
	width, height    int
	checkedLines     []string // lines of the newest frame, which passed the check
	quit             bool
	terminalRequests []string // messages of the screen to Bubble Tea: suspend, clipboard and the like
}

// fakeState is the state of the fake Session and Backend. A call that has a gate waits until the gate is closed; a nil gate is open.
type fakeState struct {
	mu              sync.Mutex // guards calls, prompts and drafts
	calls           []string   // to the session and the backend, in order
	first           tui.Conversation
	next            tui.Conversation // New, Fork, Resume and Delete open it
	portGate        chan struct{}    // of the calls that method call lists
	failing         map[string]error // errors by the name of the call
	stored          []tui.Stored
	models          []tui.ModelChoice
	skills          []tui.Skill
	tasks           []tui.Task
	memory          tui.Memory
	filePlan        tui.FilePlan
	jobs            []tui.Job
	themes          []themes.Theme // the user's themes
	themesErr       error          // why other theme files could not be read
	files           []tui.File
	own             []tui.OwnCommand
	prompts         []string
	drafts          map[string]tui.Draft // by conversation
	attachGate      chan struct{}        // of Attach
	mailbox         *updates.Mailbox
	archive         archive
	rules           []conversation.Rule // in force
	changedSettings map[string]string   // values by key
	settingGate     chan struct{}       // of TrySetting

	providers   []tui.Provider
	connectGate chan struct{}    // of Connect
	openLog     conversation.Log // log of the open conversation, if a test sets one
}

func fakeModel() llm.Model {
	return llm.Model{Provider: "openai", ID: "gpt-5.6-luna", Window: meter.Window{Tokens: 128_000, Source: meter.WindowCatalogue}}
}

// screen runs test with an open, idle screen of 100x30. change sets the options and the state of the fakes before.
// The calls that opened it are forgotten.
func screen(t *testing.T, change func(*rig, *tui.Options), test func(*rig)) {
	t.Parallel()
	screenIn(t, change, test)
}

// screenIn is screen for tests that open several, one after the other.
func screenIn(t *testing.T, change func(*rig, *tui.Options), test func(*rig)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer func() {
			stop()
			<-time.After(48 * time.Hour) // for the timers that still run
		}()
		r := &rig{t: t, ctx: ctx, msgs: make(chan tea.Msg), width: 100, height: 30}
		r.failing, r.drafts, r.changedSettings = map[string]error{}, map[string]tui.Draft{}, map[string]string{}
		r.mailbox = updates.NewMailbox()
		r.first = r.conversation("first", r.mailbox)
		r.next = r.conversation("next", updates.NewMailbox())
		r.files = []tui.File{{Path: "upload.go", Tokens: 12_800}, {Path: "main.go", Tokens: 300}}
		o := tui.Options{
			Backend: r, Edit: r.edit, Keys: tui.DefaultKeyMap(), Theme: "auto", Mouse: true,
			Workspace: "~/src/app", Now: func() time.Time { return time.Now().UTC() },
		}
		if change != nil {
			change(r, &o)
		}
		r.m = tui.New(ctx, o)
		r.spawn(r.m.Init())
		r.resize(r.width, r.height)
		r.settle()
		r.calls = nil
		test(r)
	})
}

func screenOf(t *testing.T, name string, change func(*rig, *tui.Options), test func(*rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { screen(t, change, test) })
}

func (r *rig) conversation(id string, feed feeder) tui.Conversation {
	return tui.Conversation{ID: id, Session: session{feed, r, id},
		Profile: "default", Profiles: []tui.Profile{{Name: "default", Note: "shortens results"}, {Name: "heavy", Note: "the model writes a summary"}},
		Model: fakeModel(), Meter: meter.New(meter.Options{Window: fakeModel().Window}), Mode: conversation.ModeAsk}
}

// spawn runs a command in a goroutine, as Bubble Tea does.
func (r *rig) spawn(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case r.msgs <- msg:
		case <-r.ctx.Done():
		}
	}()
}

// settle handles all messages that arrive without time passing.
func (r *rig) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-r.msgs:
			r.handle(msg)
		default:
			return
		}
	}
}

// handle handles a message as Bubble Tea does.
func (r *rig) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.spawn(cmd)
		}
		return
	case tea.QuitMsg:
		r.quit = true
		return
	case tea.SuspendMsg:
		r.terminalRequests = append(r.terminalRequests, "suspend")
		return
	}
	if cmds, ok := sequence(msg); ok {
		for _, cmd := range cmds {
			r.handle(cmd())
		}
		return
	}
	if name := fmt.Sprintf("%T", msg); strings.HasPrefix(name, "tea.") && strings.ToLower(name[4:5]) == name[4:5] {
		r.terminalRequests = append(r.terminalRequests, fmt.Sprintf("%s %v", strings.TrimPrefix(name, "tea."), msg))
	}
	_, cmd := r.m.Update(msg)
	r.spawn(cmd)
	r.check()
}

func sequence(msg tea.Msg) (cmds []tea.Cmd, ok bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	for i := range v.Len() {
		cmds = append(cmds, v.Index(i).Interface().(tea.Cmd))
	}
	return cmds, true
}

// send sends messages of the terminal to the screen.
func (r *rig) send(msgs ...tea.Msg) {
	for _, msg := range msgs {
		r.handle(msg)
		r.settle()
	}
}

// wait lets time pass, and returns how many messages arrived meanwhile.
func (r *rig) wait(d time.Duration) (messages int) {
	end := time.After(d)
	for {
		select {
		case msg := <-r.msgs:
			messages++
			r.handle(msg)
		case <-end:
			r.settle()
			return messages
		}
	}
}

func (r *rig) wantNoMessages(when string) {
	r.t.Helper()
	if n := r.wait(time.Minute); n > 0 {
		r.t.Errorf("%d messages arrived within a minute %s", n, when)
	}
}

func (r *rig) sendUpdates(list ...updates.Update) {
	for _, u := range list {
		r.mailbox.Put(u)
	}
	r.settle()
}

// log returns events as the agent appends them, numbered from 1.
func log(bodies ...conversation.Body) []conversation.Event {
	var l conversation.Log
	events := l.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)
	return events
}

func (r *rig) sendAppended(bodies ...conversation.Body) {
	r.sendUpdates(updates.Appended{Events: log(bodies...)})
}

func (r *rig) resize(width, height int) {
	r.width, r.height, r.checkedLines = width, height, nil
	r.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// check fails if the view does not fit the terminal.
func (r *rig) check() {
	r.t.Helper()
	v := r.m.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) != r.height {
		r.t.Fatalf("%d lines on a terminal of %dx%d:\n%s", len(lines), r.width, r.height, ansi.Strip(v.Content))
	}
	for y, l := range lines {
		if y < len(r.checkedLines) && r.checkedLines[y] == l {
			continue
		}
		if w := ansi.StringWidth(l); w > r.width {
			r.t.Fatalf("line %d is %d cells wide on a terminal of %dx%d: %q", y, w, r.width, r.height, l)
		}
		if tuitest.Harmful(l) {
			r.t.Fatalf("harmful control sequence in line %d: %q", y, l)
		}
	}
	r.checkedLines = lines
	if c := v.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= r.width || c.Y >= r.height) {
		r.t.Fatalf("the cursor is at %d,%d on a terminal of %dx%d", c.X, c.Y, r.width, r.height)
	}
}

// lines returns the lines on screen, without style.
func (r *rig) lines() []string {
	lines := strings.Split(ansi.Strip(r.m.View().Content), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

func (r *rig) text() string { return strings.Join(r.lines(), "\n") }

// row returns the first line that contains a text, or -1.
func (r *rig) row(text string) int {
	return slices.IndexFunc(r.lines(), func(l string) bool { return strings.Contains(l, text) })
}

func (r *rig) wantText(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if r.row(text) < 0 {
			r.t.Errorf("%q is not on screen:\n%s", text, r.text())
		}
	}
}

func (r *rig) wantNoText(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if r.row(text) >= 0 {
			r.t.Errorf("%q is on screen:\n%s", text, r.text())
		}
	}
}

// wantCalls compares the calls of the fakes since the last call of wantCalls.
func (r *rig) wantInspected() {
	r.t.Helper()
	if r.inspected == 0 {
		r.t.Error("no breakdown was requested")
	}
	r.inspected = 0
}

func (r *rig) wantCalls(want ...string) {
	r.t.Helper()
	got := r.calls
	r.calls = nil
	if d := cmp.Diff(want, got); d != "" {
		r.t.Errorf("calls (-want +got): %s", d)
	}
}

// wantRequests compares what the screen asked of the terminal since the last call of wantRequests.
func (r *rig) wantRequests(want ...string) {
	r.t.Helper()
	if d := cmp.Diff(want, r.terminalRequests); d != "" {
		r.t.Errorf("requests to the terminal (-want +got): %s", d)
	}
	r.terminalRequests = nil
}

// draft sends the text in the composer, and returns it.
func (r *rig) draft() string {
	r.t.Helper()
	r.calls = nil
	r.press("enter")
	for _, c := range r.calls {
		if _, text, ok := strings.Cut(c, " send "); ok {
			r.calls = nil
			return text
		}
	}
	return ""
}

func (r *rig) press(keys ...string) {
	r.t.Helper()
	for _, name := range keys {
		r.send(tuitest.Key(name))
	}
}

func (r *rig) typeText(text string) {
	for _, c := range text {
		r.send(tea.KeyPressMsg{Code: c, Text: string(c)})
	}
}

func (r *rig) submit(text string) {
	r.typeText(text)
	r.press("enter")
}
