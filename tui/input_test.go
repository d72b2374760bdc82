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
				t.Errorf("it does not fit:\n%s", page)
			}
		}
	})
}

// tabs are the pages of the help, which is open.
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
		r.calls = nil
		r.press("shift+tab", "shift+tab", "shift+tab", "shift+tab")
		r.wantCalls("first mode auto-edit", "first mode yolo", "first mode plan", "first mode ask")
		r.enter("/permissions plan")
		r.wantCalls("first mode plan")
		if last := r.lines()[29]; !strings.HasSuffix(last, "plan") {
			t.Errorf("the bottom line is %q", last)
		}
		r.enter("/permissions nonsense")
		r.has("there is no mode \"nonsense\"")
		r.wantCalls()
	})
}

// A command that fails leaves its line in the composer.
func TestACommandThatFailsLeavesItsLine(t *testing.T) {
	for command, port := range map[string]string{
		"/cost": "page", "/model": "models", "/model nope": "switch", "/resume": "conversations", "/fork": "fork", "!ls": "shell", "/editor": "edit",
	} {
		t.Run(command, func(t *testing.T) {
			screen(t, func(r *rig, _ *tui.Options) { r.failing[port] = fmt.Errorf("it does not work: %s", port) }, func(r *rig) {
				r.append(conversation.UserMessage{Text: "hi"})
				r.enter(command)
				r.pass(time.Second)
				r.has("it does not work: "+port, "│ "+command)
				r.pass(5 * time.Second)
				r.lacks("it does not work") // it is no line of the conversation
				r.press("ctrl+u")
				r.calls = nil
				r.enter("hello")
				r.wantCalls("first send hello")
			})
		})
	}
}

// The line of a command that fails late is not inserted into a text typed since. Up restores it.
func TestALateFailureDoesNotChangeTheDraft(t *testing.T) {
	for _, command := range []string{"/cost", "!ls", "/compact"} {
		for name, typed := range map[string][]string{"a letter": {"x"}, "a letter that is gone": {"x", "backspace"}} {
			t.Run(command+" "+name, func(t *testing.T) {
				screen(t, nil, func(r *rig) {
					r.append(conversation.UserMessage{Text: "hi"})
					r.hold = make(chan struct{})
					r.failing["page"], r.failing["shell"] = errors.New("it does not work"), errors.New("it does not work")
					r.enter(command)
					r.press(typed...)
					close(r.hold)
					if command == "/compact" {
						r.happen(updates.CompactionFailed{Err: &llm.Error{Class: llm.BadRequest, Message: "it does not work"}})
					}
					r.settle()
					r.has("it does not work")
					r.lacks("│ " + command)
					r.press("ctrl+u", "up")
					r.has("│ " + command)
				})
			})
		}
	}
}

// A user command that returns to the composer never becomes part of a message.
func TestAShellLineIsNotMixedWithADraft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{conversation.FormatCommandOutput("ls -l", "total 0"), "and then?"}
	}, func(r *rig) {
		r.has("│ and then?")
		r.lacks("!ls")
		r.press("ctrl+u", "up")
		r.has("│ !ls -l")
	})
}

// look is the first line of the screen, which no dialog covers.
func (r *rig) look() string {
	line, _, _ := strings.Cut(r.m.View().Content, "\n")
	return line
}

// While themes are listed the screen uses the selected one.
func TestTheSelectedThemeIsPreviewed(t *testing.T) {
	screen(t, nil, func(r *rig) {
		before, whole := r.look(), r.m.View().Content
		list := func() string {
			r.enter("/theme")
			r.has("❯ auto ✓")
			if r.look() != before {
				t.Error("opening the list changes the screen, or dims it")
			}
			r.write("plimsoll-l")
			tried := r.look()
			if r.has("❯ plimsoll-light"); tried == before {
				t.Error("what is selected is not seen")
			}
			return tried
		}
		list()
		r.press("esc")
		if d := cmp.Diff(whole, r.m.View().Content); d != "" {
			t.Error("closing the list does not bring the theme back\n", d)
		}
		list()
		r.press("ctrl+c")
		if r.look() != before {
			t.Error("interrupting does not bring the theme back")
		}
		tried := list()
		r.press("enter")
		if r.look() != tried {
			t.Error("what is chosen is not what was seen")
		}
		r.has("theme: plimsoll-light")
		r.enter("/theme dark")
		r.enter("/theme")
		r.has("❯ plimsoll-dark ✓")
	})
}

func TestThemesOfTheUser(t *testing.T) {
	mine := themes.ForBackground(true)
	mine.Name, mine.Text = "mine", "#f0e0d0"
	screen(t, func(r *rig, _ *tui.Options) {
		r.themes, r.themesErr = []themes.Theme{mine}, errors.New("other.yaml:3: colors.text: no color")
	}, func(r *rig) {
		before := r.look()
		r.enter("/theme")
		r.has("mine", "dark · yours", "other.yaml:3: colors.text: no color")
		r.press("esc")
		r.enter("/theme mine")
		r.has("theme: mine")
		if r.look() == before {
			t.Error("it is not drawn in it")
		}
		r.enter("/theme other")
		r.has("other.yaml:3", "│ /theme other")
	})
}

// A theme for the other kind of background sets that background, and restores the terminal's own later.
func TestAThemeForTheOtherBackgroundSetsIt(t *testing.T) {
	screen(t, func(_ *rig, o *tui.Options) { o.Colors = colorprofile.TrueColor }, func(r *rig) {
		paints := func(want bool, theme string) {
			t.Helper()
			r.enter("/theme " + theme)
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

var colours = regexp.MustCompile(`\x1b\[[0-9;:]*?\b(3[0-9]|4[0-9]|9[0-7]|10[0-7])\b[0-9;:]*m`)

func TestNoColour(t *testing.T) {
	screen(t, func(_ *rig, o *tui.Options) { o.Colourless = true }, func(r *rig) {
		plain := func() {
			t.Helper()
			if c := colours.FindString(r.m.View().Content); c != "" {
				t.Errorf("a colour: %q in\n%q", c, r.m.View().Content)
			}
		}
		plain()
		fill(r)
		plain()
		r.send(tea.BackgroundColorMsg{Color: color.White})
		plain()
		r.write("@up")
		plain()
		r.press("backspace", "backspace", "backspace")
		r.enter("/theme light")
		r.has("colors are off")
		r.happen(approval("c9", "make"))
		plain()
	})
	if !colours.MatchString("\x1b[1;38;2;1;2;3m") || colours.MatchString("\x1b[1;2;7m") {
		t.Error("the test does not know a colour")
	}
}

func TestCopy(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.enter("/copy")
		r.has("no reply to copy", "│ /copy")
		r.press("ctrl+u")
		r.append(conversation.AssistantMessage{Text: "**the** reply", Stop: conversation.StopEnd})
		r.asked = nil
		r.enter("/copy")
		r.has("copied the last reply")
		if d := cmp.Diff([]string{"setClipboardMsg **the** reply"}, r.asked); d != "" {
			t.Error(d)
		}
		r.append(conversation.AssistantMessage{Text: "rm a\x1b[201~\u202eb\r\n\tc\x00", Stop: conversation.StopEnd})
		r.asked = nil
		r.enter("/copy")
		if d := cmp.Diff([]string{"setClipboardMsg rm a␛[201~«U+202E»b\n\tc␀"}, r.asked); d != "" {
			t.Error(d)
		}
	})
}

func TestShellLines(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("!go test")
		r.wantCalls("shell go test", "first add I ran `go test`:\n\n```\noutput of go test\n```")
		r.enter("!!echo ``` tick")
		r.wantCalls("shell echo ``` tick")
		r.has("output of echo ``` tick")
		r.enter("!echo ```")
		r.wantCalls("shell echo ```", "first add I ran `echo ```"+"`:\n\n````\noutput of echo ```\n````")
	})
}

// The output of a command is added only to the conversation in which the command was started.
func TestShellLinesStayInTheirConversation(t *testing.T) {
	start := func(r *rig, command string) (end func()) {
		hold := make(chan struct{})
		r.hold = hold
		r.enter(command)
		r.hold = nil
		return func() { close(hold); r.settle() }
	}
	screenOf(t, "left", nil, func(r *rig) {
		end := start(r, "!ls")
		r.enter("/new")
		r.calls = nil
		end()
		r.wantCalls()
		r.has("!ls", "output of ls")
	})
	screenOf(t, "being left", nil, func(r *rig) {
		end := start(r, "!ls")
		opened := start(r, "/new")
		r.calls = nil
		end()
		opened()
		r.wantCalls()
		r.has("!ls", "output of ls")
	})
	screenOf(t, "being opened", nil, func(r *rig) {
		opened := start(r, "/new")
		end := start(r, "!ls")
		opened()
		r.calls = nil
		end()
		r.wantCalls("next add I ran `ls`:\n\n```\noutput of ls\n```")
	})
}

func TestAShellLineIsShownAndCanBeStopped(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("!sleep")
		r.pass(3 * time.Second)
		r.has("running sleep 3s", "(esc stops)")
		r.enter("!ls")
		r.has("sleep still runs", "│ !ls")
		r.press("ctrl+c")
		r.has("!sleep (stopped)", "so far", "│ !ls")
		r.wantCalls()
		r.lacks("running sleep")
	})
}

// fill shows something of everything.
func fill(r *rig) {
	r.append(
		conversation.Renamed{Title: "Fix flaky upload test"}, conversation.UserMessage{Text: "why does TestUpload fail on CI?"},
		conversation.AssistantMessage{Text: "I will **look**.", Reasoning: "Perhaps the port.", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: `{"path":"upload_test.go"}`}, {ID: "2", Name: "modify_file", Arguments: `{"path":"upload.go"}`},
				{ID: "3", Name: "run_command", Arguments: `{"command":"go test ./upload -count=10"}`}}},
		conversation.ToolResult{CallID: "1", Status: conversation.ResultOK, Text: strings.Repeat("a line of the test\n", 440)},
		conversation.ToolResult{CallID: "2", Status: conversation.ResultOK, Text: "done", Detail: "@@ -1 +1 @@\n-\":8080\"\n+\":0\""},
		conversation.ToolResult{CallID: "3", Status: conversation.ResultError, Text: "FAIL"})
	r.happen(updates.Delta{Text: "The race is in `Listen`:\n\n```go\nln, err := net.Listen(\"tcp\", \":0\")\n```\n\n1. one\n2. two"})
	r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()})
	r.pass(4 * time.Second)
	r.happen(updates.Queued{Texts: []string{"and the docs"}})
	if ansi.StringWidth(r.text()) == 0 {
		r.t.Error("nothing on screen")
	}
}
