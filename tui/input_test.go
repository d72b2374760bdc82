package tui_test

import (
	"errors"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
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

func TestHelpListsEveryKeyAndCommand(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		keys, err := o.Keys.Rebind(map[string][]string{"expand": {"f9"}, "suspend": {}})
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = keys
	}, func(r *rig) {
		r.resize(200, 400)
		r.press("?")
		k, pages := tui.DefaultKeyMap(), strings.Join(r.tabs(), "\n")
		has := func(texts ...string) {
			for _, text := range texts {
				if !strings.Contains(pages, text) {
					t.Errorf("%q is not in the help:\n%s", text, pages)
				}
			}
		}
		for _, b := range k.Screen.Bindings() {
			if b.Help().Desc != "suspend" {
				has(begins(b))
			}
		}
		for _, b := range k.Composer.Bindings() {
			has(begins(b))
		}
		has("f9 ", "/resume", "/quit", "!!COMMAND")
		if strings.Contains(pages, "suspend") {
			t.Errorf("a key that is off is in the help:\n%s", pages)
		}
		r.press("q")
		r.lacks("Help")
		r.press("x", "?")
		r.has("│ x?")
	})
}

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

// Each part of the program has a page of the help, and none moves when one turns it.
func TestTheHelpHasATabForEachPart(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(80, 24)
		r.press("?")
		frame := r.lines()[0]
		pages := r.tabs()
		for i, want := range []string{"Writing", "stop the turn", "Conversation", "Context view", "Moving in full-screen views", "Compact preview", "Diff", "reset to the default",
			"Editing a message", "Answers"} {
			if i >= len(pages) || !strings.Contains(pages[i], want) || strings.Split(pages[i], "\n")[0] != frame {
				t.Fatalf("page %d of %d has no %q, or another frame than\n%s:\n%s", i, len(pages), want, frame, pages[min(i, len(pages)-1)])
			}
		}
		r.press("shift+tab")
		r.has("Dialogs")
		r.press("end")
		r.press("tab")
		r.has("Writing")
		r.press("esc")
		r.lacks("Help")
	})
}

// begins is the beginning of what a key does, which is not wrapped.
func begins(b key.Binding) string {
	words := strings.Fields(b.Help().Desc)
	return strings.Join(words[:min(3, len(words))], " ")
}

func TestReboundKeysWork(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		keys, err := o.Keys.Rebind(map[string][]string{"expand": {"f9"}})
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = keys
	}, func(r *rig) {
		r.append(conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: "the text"})
		r.has("f9 details")
		r.press("f9")
		r.has("the text")
		r.press("f9")
		r.lacks("the text")
	})
}

func TestUnknownCommandsSuggestTheNearest(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("/modle")
		r.has("unknown command /modle; did you mean /model?")
		r.did()
		r.press("ctrl+c")
		r.enter("/xyzzy")
		r.has("unknown command /xyzzy")
		r.pass(3 * time.Second)
		r.has("unknown command /xyzzy")
		r.pass(2 * time.Second)
		r.lacks("there is no command")
	})
}

func TestANewerWordStaysItsTime(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.press("shift+tab")
		r.pass(3 * time.Second)
		r.press("shift+tab")
		r.pass(2 * time.Second)
		r.has("permissions: yolo")
		r.pass(3 * time.Second)
		r.lacks("permissions:")
	})
}

func TestModesCycle(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.press("shift+tab", "shift+tab", "shift+tab", "shift+tab")
		r.did("first mode auto-edit", "first mode yolo", "first mode plan", "first mode ask")
		r.enter("/permissions plan")
		r.did("first mode plan")
		if last := r.lines()[29]; !strings.HasSuffix(last, "plan") {
			t.Errorf("the bottom line is %q", last)
		}
		r.enter("/permissions nonsense")
		r.has("there is no mode \"nonsense\"")
		r.did()
	})
}

func TestPages(t *testing.T) {
	for command, page := range map[string]string{
		"/tools": "tools", "/todos": "todos", "/cost": "cost", "/status": "status", "/doctor": "doctor",
	} {
		t.Run(command, func(t *testing.T) {
			screen(t, nil, func(r *rig) {
				r.calls = nil
				r.enter(command)
				r.did("page " + page)
				r.has("the page about " + page)
				r.press("esc")
				r.lacks("the page about")
			})
		})
	}
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
				r.did("first send hello")
			})
		})
	}
}

// The line of a command that fails late does not come where something was typed since:
// the next letter would become part of it. Up brings it.
func TestALineDoesNotComeBackUnderTheHands(t *testing.T) {
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

// A command of the user's own that comes back never becomes part of a message.
func TestAShellLineIsNotMixedWithADraft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{conversation.Ran("ls -l", "total 0"), "and then?"}
	}, func(r *rig) {
		r.has("│ and then?")
		r.lacks("!ls")
		r.press("ctrl+u", "up")
		r.has("│ !ls -l")
	})
}

func TestModelsByListAndName(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("/model")
		r.has("openai/gpt-5.6-luna ✓", "ollama/qwen3:8b")
		r.press("down", "enter")
		r.did("models", "switch ollama/qwen3:8b")
		r.enter("/model demo")
		r.did("switch demo")
	})
}

func TestThemes(t *testing.T) {
	screen(t, nil, func(r *rig) {
		dark := r.m.View().Content
		r.send(tea.BackgroundColorMsg{Color: color.White})
		light := r.m.View().Content
		if light == dark {
			t.Error("a light background changed nothing")
		}
		r.enter("/theme nope")
		r.has("there is no theme \"nope\"", "│ /theme nope")
		r.press("ctrl+u")
		r.enter("/theme dark")
		r.pass(10 * time.Second)
		if d := cmp.Diff(dark, r.m.View().Content); d != "" {
			t.Error("/theme dark is not dark")
		}
		r.send(tea.BackgroundColorMsg{Color: color.White})
		if r.m.View().Content != dark {
			t.Error("a theme that was chosen was changed")
		}
		r.enter("/theme")
		r.has("auto", "contrast-light")
		r.press("end", "up", "enter") // before the theme without color
		r.has("theme: dracula")
	})
}

// look is the first line of the screen, which no dialog covers.
func (r *rig) look() string {
	line, _, _ := strings.Cut(r.m.View().Content, "\n")
	return line
}

// While themes are listed the screen is drawn in the one that is selected.
func TestThemesAreSeenWhileOneChooses(t *testing.T) {
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

func TestThemesOfOnesOwn(t *testing.T) {
	mine := themes.Auto(true)
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

// A theme for the other kind of background brings its own along, and gives it back.
func TestAThemeForTheOtherBackgroundBringsItAlong(t *testing.T) {
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

func TestTheConfiguredThemeIsThereFromTheFirstFrame(t *testing.T) {
	var auto string
	t.Run("auto", func(t *testing.T) { screen(t, nil, func(r *rig) { auto = r.m.View().Content }) })
	screen(t, func(_ *rig, o *tui.Options) { o.Theme = "light" }, func(r *rig) {
		if r.m.View().Content == auto {
			t.Error("it is dark")
		}
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
		r.did("shell go test", "first add I ran `go test`:\n\n```\noutput of go test\n```")
		r.enter("!!echo ``` tick")
		r.did("shell echo ``` tick")
		r.has("output of echo ``` tick")
		r.enter("!echo ```")
		r.did("shell echo ```", "first add I ran `echo ```"+"`:\n\n````\noutput of echo ```\n````")
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
		r.did()
		r.lacks("running sleep")
	})
}

func TestTheEditorGetsTheDraft(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.write("a draft")
		r.press("ctrl+g")
		r.did("edit a draft")
		if len(r.asked) == 0 || !strings.HasPrefix(r.asked[len(r.asked)-1], "execMsg") {
			t.Errorf("the terminal was not handed over: %v", r.asked)
		}
	})
}

func TestScrollKeys(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for i := range 40 {
			r.append(conversation.UserMessage{Text: fmt.Sprintf("question %d", i)})
		}
		end := r.text()
		for _, keys := range [][2]string{{"pgup", "pgdown"}, {"shift+up", "shift+down"}, {"home", "end"}} {
			r.press(keys[0])
			if r.text() == end {
				t.Errorf("%s does nothing", keys[0])
			}
			r.press(keys[1])
			if d := cmp.Diff(end, r.text()); d != "" {
				t.Errorf("%s and %s: %s", keys[0], keys[1], d)
			}
		}
		r.write("text")
		r.press("home") // of the text
		r.has("question 39")
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
