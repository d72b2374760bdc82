package doctor

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"plimsoll/cli/console"
	"plimsoll/config"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// diagnosis is what doctor found.
type diagnosis struct {
	Version  string      `json:"version"`
	Platform string      `json:"platform"`
	Config   configState `json:"config"`
	Data     dataState   `json:"data"`
	Keys     []keyState  `json:"keys"`
	Servers  *[]server   `json:"servers"` // nil: not looked for
	Terminal termState   `json:"terminal"`
	Log      logState    `json:"log"`

	repair bool
	probed string // why servers were not looked for
}

type configState struct {
	Path     string          `json:"path"`
	Found    bool            `json:"found"`
	Sources  []configSource  `json:"sources"`
	Problems []configProblem `json:"problems"`
	Refused  []configRefused `json:"refused"`

	Err   error           `json:"-"`
	faint config.Problems // colors of themes that are hard to read
}

type configSource struct {
	Layer string `json:"layer"`
	Path  string `json:"path"`
	Found bool   `json:"found"`
}

type configProblem struct {
	File    string `json:"file"`
	Line    *int   `json:"line"`
	Key     string `json:"key"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

type configRefused struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Key  string `json:"key"`
	Why  string `json:"why"`
}

type dataState struct {
	Dir           string         `json:"dir"`
	Conversations int            `json:"conversations"`
	Findings      []findingState `json:"findings"`
	Error         *string        `json:"error"` // why the directory could not be checked
}

type findingState struct {
	File       string `json:"file"`
	ID         string `json:"id"`
	What       string `json:"what"`
	Repairable bool   `json:"repairable"`
	Repaired   bool   `json:"repaired"`
	Note       string `json:"note"`
}

type keyState struct {
	Provider string `json:"provider"`
	Variable string `json:"variable"`
}

type server struct {
	Provider string `json:"provider"`
	BaseURL  string `json:"base_url"`
	Model    string `json:"model"` // the first that is fit for chat, "" if there is none
	Note     string `json:"note"`  // why it cannot be talked to, "" if it can
}

type logState struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// termState is what the terminal can do, as far as one can tell without
// asking it.
type termState struct {
	Term      string `json:"term"`
	ColorTerm string `json:"colorterm"`
	NoColor   bool   `json:"no_color"`
	Colours   string `json:"colours"`
	Input     bool   `json:"input"`  // standard input is a terminal
	Output    bool   `json:"output"` // standard output is a terminal
	Width     *int   `json:"width"`
}

func (x *Examiner) terminalState() termState {
	s := termState{Term: x.Console.Getenv("TERM"), ColorTerm: x.Console.Getenv("COLORTERM"), NoColor: x.Console.Getenv("NO_COLOR") != "",
		Input: console.Terminal(x.Console.Stdin), Output: console.Terminal(x.Console.Stdout), Width: console.Or(console.Width(x.Console.Stdout, 0))}
	s.Colours = strings.ToLower(colorprofile.Env(x.Console.Environ).String())
	return s
}

// Text is the diagnosis for people.
func (d diagnosis) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plimsoll %s, %s\n", d.Version, d.Platform)
	d.Config.write(&b)
	d.Data.write(&b, d.repair)
	b.WriteString("\nkeys\n")
	for _, k := range d.Keys {
		fmt.Fprintf(&b, "  ok    %s for %s\n", k.Variable, k.Provider)
	}
	if len(d.Keys) == 0 {
		b.WriteString("  none in the environment; `plimsoll --demo` needs none\n")
	}
	d.writeServers(&b)
	d.Terminal.write(&b)
	fmt.Fprintf(&b, "\nlog\n  %s (%s bytes)\n", d.Log.Path, numbers.Grouped(int(d.Log.Bytes)))
	return plain.Text(b.String())
}

func (s configState) write(b *strings.Builder) {
	b.WriteString("\nconfiguration\n")
	switch {
	case len(s.Problems) > 0 || s.Err != nil:
		for _, line := range strings.Split(s.Err.Error(), "\n") {
			b.WriteString("  wrong " + line + "\n")
		}
	case s.Found:
		fmt.Fprintf(b, "  ok    %s\n", s.Path)
	default:
		place := s.Path
		if place == "" {
			place = "in a home directory"
		}
		fmt.Fprintf(b, "  ok    defaults; no file %s\n", place)
	}
	for _, src := range s.Sources {
		if src.Found && src.Path != "" && src.Path != s.Path {
			fmt.Fprintf(b, "  ok    %s: %s\n", src.Layer, src.Path)
		}
	}
	for _, p := range s.faint {
		fmt.Fprintf(b, "  note  %s\n", strings.ReplaceAll(p.Error(), "\n", "\n        "))
	}
	for _, r := range s.Refused {
		fmt.Fprintf(b, "  note  %s:%d: %s is not applied: it %s\n", r.File, r.Line, r.Key, r.Why)
	}
}

func (s dataState) write(b *strings.Builder, repair bool) {
	fmt.Fprintf(b, "\nstored conversations\n  %s: %s\n", s.Dir, numbers.Count(s.Conversations, "conversation"))
	repairable := false
	for _, f := range s.Findings {
		state, note := "wrong", ""
		if f.Repaired {
			state = "fixed"
		}
		if f.Note != "" {
			note = "; " + f.Note
		}
		fmt.Fprintf(b, "  %s %s: %s%s\n", state, f.File, f.What, note)
		repairable = repairable || f.Repairable && !f.Repaired
	}
	switch {
	case s.Error != nil:
		fmt.Fprintf(b, "  wrong %s\n", *s.Error)
	case len(s.Findings) == 0:
		b.WriteString("  ok    no damage\n")
	case repairable && !repair:
		b.WriteString("  `plimsoll doctor --repair` repairs what can be read and keeps the damaged files\n")
	}
}

func (d diagnosis) writeServers(b *strings.Builder) {
	b.WriteString("\nservers on this machine\n")
	switch {
	case d.Servers == nil:
		fmt.Fprintf(b, "  not looked for: %s\n", d.probed)
	case len(*d.Servers) == 0:
		b.WriteString("  none found\n")
	default:
		for _, s := range *d.Servers {
			if s.Note != "" {
				fmt.Fprintf(b, "  note  %s at %s: %s\n", s.Provider, s.BaseURL, s.Note)
				continue
			}
			fmt.Fprintf(b, "  ok    %s at %s, first model %s\n", s.Provider, s.BaseURL, s.Model)
		}
	}
}

func (s termState) write(b *strings.Builder) {
	b.WriteString("\nterminal\n")
	fmt.Fprintf(b, "  TERM=%s COLORTERM=%s, colors: %s", s.Term, s.ColorTerm, s.Colours)
	if s.NoColor {
		b.WriteString(" (NO_COLOR is set)")
	}
	if s.Width != nil {
		fmt.Fprintf(b, ", %d columns", *s.Width)
	}
	b.WriteByte('\n')
	if !s.Input || !s.Output {
		b.WriteString("  standard input and output are not both a terminal: the chat would not start here\n")
	}
}
