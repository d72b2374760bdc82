// Package doctor checks what the program depends on: configuration, stored conversations, keys, servers and the terminal. It
// shows no key.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// Examiner checks what the program depends on.
type Examiner struct{ setup.Parts }

// Diagnosis is the result of all checks.
type Diagnosis struct {
	Text    string // for people
	Damaged bool   // stored files are damaged and were not repaired
	Config  error  // why the configuration is wrong, nil if it is right
}

// examination is one run of the checks.
type examination struct {
	*Examiner
	found Diagnosis
	text  strings.Builder
}

func (x *examination) line(format string, args ...any) { fmt.Fprintf(&x.text, format+"\n", args...) }

// Diagnose runs all checks; progress may be nil. It fails only if ctx ends, or if the program's folders cannot be found.
func (x *Examiner) Diagnose(ctx context.Context, repair bool, progress func(done, total int)) (Diagnosis, error) {
	e := &examination{Examiner: x}
	e.line("plimsoll %s, %s/%s %s", x.Console.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if err := e.configuration(); err != nil {
		return Diagnosis{}, err
	}
	if err := e.stored(ctx, repair, progress); err != nil {
		return Diagnosis{}, err
	}
	e.keys()
	e.servers(ctx)
	e.terminal()
	e.line("\n%s", strings.TrimSuffix(e.Resources.Sandbox(e.Settings.Cfg()).State().String(), "\n"))
	for _, line := range e.Settings.ProgramsConfined(e.Settings.Cfg()) {
		e.line("  %s", line)
	}
	log, size := x.Settings.Paths.Log(), int64(0)
	if st, err := os.Stat(log); err == nil {
		size = st.Size()
	}
	e.line("\nlog\n  %s (%s bytes)", log, numbers.Grouped(int(size)))
	e.found.Text = plain.Text(e.text.String())
	return e.found, nil
}

// configuration loads the configuration again. If it is wrong, that is reported and the defaults are used. It fails only if the
// program's folders cannot be found.
func (x *examination) configuration() error {
	path, _ := x.Settings.ConfigFile() // without a home folder there is no file, which is no problem
	loaded, err := x.Settings.Load()
	if err != nil {
		if loaded.Sources == nil {
			return err
		}
		x.found.Config = err
		loaded.Config, loaded.Refused = config.Default(), nil
	}
	x.line("\nconfiguration")
	used := "  ok    defaults; no file " + cmp.Or(path, "in a home directory")
	for _, src := range loaded.Sources {
		if src.Layer == config.LayerUser && src.Found {
			used = "  ok    " + path
		}
	}
	if err != nil {
		used = "  wrong " + strings.ReplaceAll(err.Error(), "\n", "\n  wrong ")
	}
	x.line("%s", used)
	for _, src := range loaded.Sources {
		if src.Found && src.Path != "" && src.Path != path {
			x.line("  ok    %s: %s", src.Layer, src.Path)
		}
	}
	for _, r := range loaded.Refused {
		x.line("  note  %s:%d: %s is not applied: it %s", r.File, r.Line, r.Key, r.Why)
	}
	if x.Settings.Loaded.Load() != nil {
		return nil // the chat runs and keeps its configuration
	}
	if x.Settings.Paths, err = config.FindPaths(x.Console.Lookup, x.Settings.Flags.Data); err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	if x.Settings.Workspace, err = config.FindWorkspace(x.Console.Dir); err != nil {
		return err
	}
	x.Settings.Loaded.Store(&loaded)
	return nil
}

// stored checks every stored file, and repairs those that are damaged if repair is set. It fails only if ctx ends.
func (x *examination) stored(ctx context.Context, repair bool, progress func(done, total int)) error {
	findings, conversations, err := x.check(ctx, repair, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	x.line("\nstored conversations\n  %s: %s", x.Settings.Paths.Data, numbers.Count(conversations, "conversation"))
	if contents, bytes, err := x.Resources.Checkpoints().Size(); err == nil && contents > 0 {
		budget := numbers.Grouped(int(x.Settings.Cfg().Checkpoints.Budget))
		x.line("  checkpoints: %s of files, %s of at most %s bytes", numbers.Count(contents, "version"), numbers.Grouped(int(bytes)), budget)
	}
	repairable := false
	for _, f := range findings {
		state, note := "fixed", ""
		if !f.Repaired {
			state, x.found.Damaged = "wrong", true
			repairable = repairable || f.Repairable
		}
		if f.Note != "" {
			note = "; " + f.Note
		}
		x.line("  %s %s: %s%s", state, f.File, f.What, note)
	}
	switch {
	case err != nil:
		x.found.Damaged = true
		x.line("  wrong %v", err)
	case len(findings) == 0:
		x.line("  ok    no damage")
	case repairable && !repair:
		x.line("  `plimsoll doctor --repair` repairs what can be read and keeps the damaged files")
	}
	return nil
}

func (x *Examiner) check(ctx context.Context, repair bool, progress func(done, total int)) ([]storage.Finding, int, error) {
	store, err := x.Resources.Open()
	if err != nil {
		return nil, 0, err
	}
	findings, err := store.Check(ctx, progress)
	if err == nil && repair {
		findings, err = store.Repair(ctx, findings)
	}
	if err != nil {
		return findings, 0, err
	}
	entries, err := store.List(ctx, storage.Filter{Tasks: true})
	return findings, len(entries), err
}

// keys lists where keys come from.
func (x *examination) keys() {
	x.line("\nkeys")
	found := false
	for _, name := range x.Providers.Names() {
		k := x.Providers.Key(name)
		if k.Err != nil {
			k.Source = k.Err.Error()
		}
		if k.Source != "" {
			found = true
			x.line("  ok    %s for %s", k.Source, name)
		}
	}
	if !found {
		x.line("  none in the environment; `plimsoll --demo` needs none")
	}
}

// servers searches for servers on this machine, if that is allowed.
func (x *examination) servers(ctx context.Context) {
	x.line("\nservers on this machine")
	switch {
	case !x.Settings.Cfg().Discovery.Local:
		x.line("  not looked for: discovery.local is false")
		return
	case !x.Providers.MayProbe():
		x.line("  not looked for: PLIMSOLL_NO_PROBE is set")
		return
	}
	answering := openai.LocalServers(ctx, openai.LocalCandidates(x.Console.Getenv), nil)
	for _, s := range answering {
		if s.Model == "" {
			what, hint := s.NoModels()
			x.line("  note  %s at %s: %s; %s", s.Provider, setup.ShownURL(s), what, hint)
			continue
		}
		x.line("  ok    %s at %s, first model %s", s.Provider, setup.ShownURL(s), s.Model)
	}
	if len(answering) == 0 {
		x.line("  none found")
	}
}

// terminal lists what the terminal supports, by its environment variables.
func (x *examination) terminal() {
	env := x.Console.Getenv
	note := ""
	if env("NO_COLOR") != "" {
		note = " (NO_COLOR is set)"
	}
	if width := console.Width(x.Console.Stdout, 0); width > 0 {
		note += fmt.Sprintf(", %d columns", width)
	}
	x.line("\nterminal\n  TERM=%s COLORTERM=%s, colors: %s%s", env("TERM"), env("COLORTERM"),
		strings.ToLower(colorprofile.Env(x.Console.Environ).String()), note)
	if !console.Terminal(x.Console.Stdin) || !console.Terminal(x.Console.Stdout) {
		x.line("  standard input and output are not both a terminal: the chat would not start here")
	}
}
