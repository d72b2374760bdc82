package tui_test

import (
	"errors"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui"
)

func TestEveryPageOfTheHelpFitsAScreen(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(80, 24)
		r.press("?")
		pages := r.tabs()
		if len(pages) < 5 {
			t.Fatalf("%d pages", len(pages))
		}
		for _, page := range pages {
			if regexp.MustCompile(`\d+–\d+ of \d+|…`).MatchString(page) {
				t.Errorf("this page does not fit the screen:\n%s", page)
			}
		}
	})
}

// tabs returns the pages of the open help.
func (r *rig) tabs() []string {
	var pages []string
	for len(pages) == 0 || r.text() != pages[0] {
		pages = append(pages, r.text())
		r.press("tab")
	}
	return pages
}

func TestModesCycle(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.press("shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
		r.wantCalls("first mode edits", "first mode auto", "first mode yolo", "first mode plan", "first mode ask")
		r.submit("/permissions plan")
		r.wantCalls("first mode plan")
		if last := r.lines()[29]; !strings.HasSuffix(last, "plan") {
			t.Errorf("the bottom line is %q", last)
		}
		r.submit("/permissions nonsense")
		r.wantText("there is no mode \"nonsense\"")
		r.wantCalls()
	})
}

func TestACommandThatFailsLeavesItsLine(t *testing.T) {
	for command, port := range map[string]string{
		"/cost": "page", "/model": "models", "/model nope": "switch", "/resume": "conversations", "/fork": "fork", "!ls": "shell", "/editor": "edit",
	} {
		screenOf(t, command, func(r *rig, _ *tui.Options) { r.failing[port] = fmt.Errorf("it does not work: %s", port) }, func(r *rig) {
			r.sendAppended(conversation.UserMessage{Text: "hi"})
			r.submit(command)
			r.wait(time.Second)
			r.wantText("it does not work: "+port, "│ "+command)
			r.wait(5 * time.Second)
			r.wantNoText("it does not work") // the transcript has no line about it
			r.press("ctrl+u")
			r.calls = nil
			r.submit("hello")
			r.wantCalls("first send hello")
		})
	}
}

// The line of a command that fails late is not inserted into a text typed since. Up restores it.
func TestALateFailureDoesNotChangeTheDraft(t *testing.T) {
	for _, command := range []string{"/cost", "!ls", "/compact"} {
		for name, typed := range map[string][]string{"a letter": {"x"}, "a letter that is gone": {"x", "backspace"}} {
			screenOf(t, command+" "+name, nil, func(r *rig) {
				r.sendAppended(conversation.UserMessage{Text: "hi"})
				r.portGate = make(chan struct{})
				r.failing["page"], r.failing["shell"] = errors.New("it does not work"), errors.New("it does not work")
				r.submit(command)
				r.press(typed...)
				close(r.portGate)
				if command == "/compact" {
					r.sendUpdates(updates.CompactionFailed{Err: &llm.Error{Class: llm.BadRequest, Message: "it does not work"}})
				}
				r.settle()
				r.wantText("it does not work")
				r.wantNoText("│ " + command)
				r.press("ctrl+u", "up")
				r.wantText("│ " + command)
			})
		}
	}
}

func TestAShellLineIsNotMixedWithADraft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{conversation.FormatCommandOutput("ls -l", "total 0"), "and then?"}
	}, func(r *rig) {
		r.wantText("│ and then?")
		r.wantNoText("!ls")
		r.press("ctrl+u", "up")
		r.wantText("│ !ls -l")
	})
}

// firstLine returns the first line of the screen, which no dialog covers.
func (r *rig) firstLine() string {
	line, _, _ := strings.Cut(r.m.View().Content, "\n")
	return line
}

func manyColors(_ *rig, o *tui.Options) { o.Colors = colorprofile.TrueColor }

// A screen reads on a background that nobody knows: its colours are the terminal's own, until the terminal tells it or a
// theme is chosen, which then brings its background.
func TestAnUnknownBackground(t *testing.T) {
	tints := regexp.MustCompile(`[34]8;2;`)
	screen(t, manyColors, func(r *rig) {
		tinted := func(want bool) {
			t.Helper()
			if v := r.m.View().Content; tints.MatchString(v) != want || !colours.MatchString(v) {
				t.Errorf("tints %v, want %v in\n%q", !want, want, v)
			}
		}
		fillTranscript(r)
		tinted(true)
		r.send(uv.PrimaryDeviceAttributesEvent{62})
		tinted(false)
		r.submit("/theme dark")
		if tinted(true); r.m.View().BackgroundColor == nil {
			t.Error("a chosen theme does not bring its background")
		}
		r.submit("/theme auto")
		tinted(false)
		r.send(tea.BackgroundColorMsg{Color: color.White})
		tinted(true)
		r.send(uv.PrimaryDeviceAttributesEvent{62})
		tinted(true)
	})
}

func TestTheSelectedThemeIsPreviewed(t *testing.T) {
	screen(t, manyColors, func(r *rig) {
		before, whole := r.firstLine(), r.m.View().Content
		list := func() string {
			r.submit("/theme")
			r.wantText("❯ auto ✓")
			if r.firstLine() != before {
				t.Error("opening the list changes the screen, or dims it")
			}
			r.typeText("plimsoll-l")
			preview := r.firstLine()
			if r.wantText("❯ plimsoll-light"); preview == before {
				t.Error("the selected theme is not previewed")
			}
			return preview
		}
		list()
		r.press("esc")
		if d := cmp.Diff(whole, r.m.View().Content); d != "" {
			t.Error("closing the list does not bring the theme back\n", d)
		}
		list()
		r.press("ctrl+c")
		if r.firstLine() != before {
			t.Error("interrupting does not bring the theme back")
		}
		preview := list()
		r.press("enter")
		if r.firstLine() != preview {
			t.Error("the chosen theme differs from its preview")
		}
		r.wantText("theme: plimsoll-light")
		r.submit("/theme dark")
		r.submit("/theme")
		r.wantText("❯ plimsoll-dark ✓")
	})
}

func TestThemesOfTheUser(t *testing.T) {
	mine := themes.ForBackground(true)
	mine.Name, mine.Text = "mine", "#f0e0d0"
	screen(t, func(r *rig, o *tui.Options) {
		manyColors(r, o)
		r.themes, r.themesErr = []themes.Theme{mine}, errors.New("other.yaml:3: colors.text: no color")
	}, func(r *rig) {
		before := r.firstLine()
		r.submit("/theme")
		r.wantText("mine", "dark · yours", "other.yaml:3: colors.text: no color")
		r.press("esc")
		r.submit("/theme mine")
		r.wantText("theme: mine")
		if r.firstLine() == before {
			t.Error("the theme does not change the screen")
		}
		r.submit("/theme other")
		r.wantText("other.yaml:3", "│ /theme other")
	})
}

func TestAThemeForTheOtherBackgroundSetsIt(t *testing.T) {
	screen(t, manyColors, func(r *rig) {
		paints := func(want bool, theme string) {
			t.Helper()
			r.submit("/theme " + theme)
			if v := r.m.View(); (v.BackgroundColor != nil) != want || (v.ForegroundColor != nil) != want {
				t.Errorf("%s: background %v, text %v", theme, v.BackgroundColor, v.ForegroundColor)
			}
		}
		paints(true, "light") // a terminal that does not tell is taken for dark
		r.send(tea.BackgroundColorMsg{Color: color.Black})
		paints(false, "auto")
		paints(true, "light")
		paints(false, "nord")
	})
}

var colours = regexp.MustCompile(`\x1b\[(?:[0-9;:]*[;:])?(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:[;:][0-9;:]*)?m`)

func TestNoColour(t *testing.T) {
	screen(t, func(_ *rig, o *tui.Options) { o.Colourless = true }, func(r *rig) {
		plain := func() {
			t.Helper()
			if c := colours.FindString(r.m.View().Content); c != "" {
				t.Errorf("a colour: %q in\n%q", c, r.m.View().Content)
			}
		}
		plain()
		fillTranscript(r)
		plain()
		r.send(tea.BackgroundColorMsg{Color: color.White})
		plain()
		r.typeText("@up")
		plain()
		r.press("backspace", "backspace", "backspace")
		r.submit("/theme light")
		r.wantText("colors are off")
		r.sendUpdates(approval("c9", "make"))
		plain()
	})
	if !colours.MatchString("\x1b[1;38;2;1;2;3m") || colours.MatchString("\x1b[1;2;7m") {
		t.Error("the test does not know a colour")
	}
}

func TestCopy(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("/copy")
		r.wantText("no reply to copy", "│ /copy")
		r.press("ctrl+u")
		r.sendAppended(conversation.AssistantMessage{Text: "**the** reply", Stop: conversation.StopEnd})
		r.terminalRequests = nil
		r.submit("/copy")
		r.wantText("copied the last reply")
		r.wantRequests("setClipboardMsg **the** reply")
		r.sendAppended(conversation.AssistantMessage{Text: "rm a\x1b[201~\u202eb\r\n\tc\x00", Stop: conversation.StopEnd})
		r.submit("/copy")
		r.wantRequests("setClipboardMsg rm a␛[201~«U+202E»b\n\tc␀")
	})
}

func TestShellLines(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("!go test")
		r.wantCalls("shell go test", "first add I ran `go test`:\n\n```\noutput of go test\n```")
		r.submit("!!echo ``` tick")
		r.wantCalls("shell echo ``` tick")
		r.wantText("output of echo ``` tick")
		r.submit("!echo ```")
		r.wantCalls("shell echo ```", "first add I ran `echo ```"+"`:\n\n````\noutput of echo ```\n````")
	})
}

func TestShellLinesStayInTheirConversation(t *testing.T) {
	startCommand := func(r *rig, command string) (finish func()) {
		gate := make(chan struct{})
		r.portGate = gate
		r.submit(command)
		r.portGate = nil
		return func() { close(gate); r.settle() }
	}
	screenOf(t, "left", nil, func(r *rig) {
		finishShell := startCommand(r, "!ls")
		r.submit("/new")
		r.calls = nil
		finishShell()
		r.wantCalls()
		r.wantText("!ls", "output of ls")
	})
	screenOf(t, "being left", nil, func(r *rig) {
		finishShell := startCommand(r, "!ls")
		finishOpening := startCommand(r, "/new")
		r.calls = nil
		finishShell()
		finishOpening()
		r.wantCalls()
		r.wantText("!ls", "output of ls")
	})
	screenOf(t, "being opened", nil, func(r *rig) {
		finishOpening := startCommand(r, "/new")
		finishShell := startCommand(r, "!ls")
		finishOpening()
		r.calls = nil
		finishShell()
		r.wantCalls("next add I ran `ls`:\n\n```\noutput of ls\n```")
	})
}

func TestAShellLineIsShownAndCanBeStopped(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("!sleep")
		r.wait(3 * time.Second)
		r.wantText("running sleep 3 s", "(esc stops)")
		r.submit("!ls")
		r.wantText("sleep still runs", "│ !ls")
		r.press("ctrl+c")
		r.wantText("!sleep (stopped)", "so far", "│ !ls")
		r.wantCalls()
		r.wantNoText("running sleep")
	})
}

// fillTranscript shows a title, messages, tool results, a streaming reply and a queued message.
func fillTranscript(r *rig) {
	r.sendAppended(
		conversation.Renamed{Title: "Fix flaky upload test"}, conversation.UserMessage{Text: "why does TestUpload fail on CI?"},
		conversation.AssistantMessage{Text: "I will **look**.", Reasoning: "Perhaps the port.", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: `{"path":"upload_test.go"}`}, {ID: "2", Name: "modify_file", Arguments: `{"path":"upload.go"}`},
				{ID: "3", Name: "run_command", Arguments: `{"command":"go test ./upload -count=10"}`}}},
		conversation.ToolResult{CallID: "1", Status: conversation.ResultOK, Text: strings.Repeat("a line of the test\n", 440)},
		conversation.ToolResult{CallID: "2", Status: conversation.ResultOK, Text: "done", Detail: "@@ -1 +1 @@\n-\":8080\"\n+\":0\""},
		conversation.ToolResult{CallID: "3", Status: conversation.ResultError, Text: "FAIL"})
	r.sendUpdates(updates.Delta{Text: "The race is in `Listen`:\n\n```go\nln, err := net.Listen(\"tcp\", \":0\")\n```\n\n1. one\n2. two"})
	r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()})
	r.wait(4 * time.Second)
	r.sendUpdates(updates.Queued{Texts: []string{"and the docs"}})
	if ansi.StringWidth(r.text()) == 0 {
		r.t.Error("nothing on screen")
	}
}
