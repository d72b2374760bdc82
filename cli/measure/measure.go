// Package measure implements the command replay, which compares compaction presets: it reads recorded conversations, replays
// them with package compact/replay, and writes the results as a table, as JSON, and as an SVG picture.
package measure

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

const (
	// DefaultWindow is the window without --window, in tokens.
	DefaultWindow = 128_000

	// Newest is the argument for the newest conversation of the workspace.
	Newest = "newest"

	// Configured is the name of the rules of the user's configuration.
	Configured = "configured"
)

// Replayer replays conversations; its fields are its dependencies.
type Replayer struct {
	Console       *console.Console
	Settings      *setup.Settings
	Providers     *setup.Providers
	Conversations *session.Conversations
	SaveSettings  func(changes map[string]string) (path string, err error) // of what was tuned
}

// Options are the flags of the command.
type Options struct {
	Presets []string
	All     bool
	Prices  []string
	JSON    bool
	Limit   int // of the sessions of a folder; 0 for all
	Plot    string
	Force   bool
	Tune    bool // searches the settings of a cold step
	Yes     bool // writes what tuning found without asking
}

// Check refuses contradicting flags, empty arguments, and a picture whose file exists.
func (o Options) Check(changed func(flag string) bool, args []string) error {
	switch {
	case o.All && changed("preset"):
		return console.WrongUse("--all replays every preset; leave it or --preset out")
	case o.Tune && (o.All || o.JSON || o.Plot != "" || changed("preset")):
		return console.WrongUse("--tune replays settings of your rules; leave out --preset, --all, --json and --plot")
	case o.Yes && !o.Tune:
		return console.WrongUse("--yes is for --tune")
	case o.Limit < 0:
		return console.WrongUse("-n must be 0 or more, not %d", o.Limit)
	case slices.ContainsFunc(args, func(arg string) bool { return strings.TrimSpace(arg) == "" }): // an unset variable in a script
		return console.WrongUse("an argument is empty; name files, folders, or stored conversations")
	}
	if st, err := os.Stat(o.Plot); err == nil && st.Mode().IsRegular() && !o.Force {
		return console.WithHint(fmt.Errorf("%s exists already and was not touched", o.Plot), "--force overwrites it")
	}
	return nil
}

// Replay replays the conversations that args name, and writes the results.
func (rp *Replayer) Replay(ctx context.Context, args []string, o Options) error {
	if err := rp.Settings.Configure(); err != nil {
		return err
	}
	rp.Settings.NoteRefused()
	what, err := rp.what(o)
	if err != nil {
		return err
	}
	inputs, err := rp.inputs(ctx, args, o.Limit)
	if err != nil {
		return err
	}
	var run Run
	if o.Tune {
		run, err = rp.tune(ctx, what, inputs, o.Yes)
	} else if run, err = rp.measure(ctx, what, inputs); err == nil {
		err = rp.write(o, run)
	}
	if err != nil {
		return err
	}
	failed := func(in *input) bool { return in.failure != nil || len(in.problems) > 0 }
	if run.Report.Corpus.Requests == 0 || slices.ContainsFunc(inputs, failed) {
		return console.ErrReported
	}
	return nil
}

// what returns the policies, prices and window of a replay.
func (rp *Replayer) what(o Options) (replay.Options, error) {
	what := replay.Options{Window: DefaultWindow, PlanSheet: replay.DefaultPlanSheet, Clock: time.Now}
	if given := rp.Settings.Flags.Window; given > 0 {
		what.Window = given
	}
	var err error
	if what.Sheets, err = rp.Sheets(o.Prices); err != nil {
		return what, err
	}
	if o.Prices != nil {
		what.PlanSheet = what.Sheets[0].Name
	}
	return what, rp.policies(&what, o)
}

// policies adds the policies to replay: presets, the rules of the configuration, and its profiles, each applied at the start
// of every turn. A name is first looked up as a preset, then as "configured", then as a profile.
func (rp *Replayer) policies(what *replay.Options, o Options) error {
	rules := rp.Settings.Cfg().Rules()
	names, clients := []string{string(preset.Plimsoll), string(preset.Raw), string(preset.Truncate), string(rules.Preset)}, replay.Clients()
	var others []string
	for _, c := range clients {
		others = append(others, string(c.Name))
	}
	switch {
	case o.All:
		names = append(preset.Names(), others...)
	case o.Presets != nil:
		var err error
		if names, err = splitList("--preset", o.Presets); err != nil {
			return err
		}
	default:
		names = append(names, others...)
	}
	for _, name := range names {
		p := preset.Name(name)
		if slices.Contains(what.Policies, p) {
			continue
		}
		what.Policies = append(what.Policies, p)
		if slices.Contains(preset.All(), p) {
			continue
		}
		if i := slices.Index(others, name); i >= 0 {
			what.ExtraPolicies = append(what.ExtraPolicies, clients[i].Policy())
			continue
		}
		own := rp.ownPolicy(p, rules)
		if name != Configured {
			if _, known := rules.Profiles[name]; !known {
				return console.WrongUse("there is no preset or profile %q; there are %s", name, strings.Join(PolicyNames(rules), ", "))
			}
			own.Rules.DefaultProfile, own.IsCommand = name, true
		}
		what.ExtraPolicies = append(what.ExtraPolicies, own)
	}
	return nil
}

// ownPolicy returns a policy with rules of the configuration, and its way to store results.
func (rp *Replayer) ownPolicy(name preset.Name, rules preset.Rules) replay.NamedPolicy {
	results := rp.Settings.Cfg().ToolResults
	return replay.NamedPolicy{Name: name, Rules: rules, ResultStorage: &replay.ResultStorage{MaxChars: results.MaxChars, KeepFull: results.KeepFull}}
}

// PolicyNames lists what --preset takes.
func PolicyNames(rules preset.Rules) []string {
	names := append(preset.Names(), Configured)
	for _, c := range replay.Clients() {
		names = append(names, string(c.Name))
	}
	for _, name := range slices.Sorted(maps.Keys(rules.Profiles)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// splitList returns the comma-separated names in the values of a flag.
func splitList(flag string, values []string) ([]string, error) {
	var names []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return nil, console.WrongUse("%s has an empty name in %q; write %s A,B", flag, value, flag)
			}
			names = append(names, name)
		}
	}
	return names, nil
}

func (rp *Replayer) measure(ctx context.Context, what replay.Options, inputs []*input) (Run, error) {
	bar := console.NewProgress(rp.Console.Stderr, "replaying "+numbers.Count(len(inputs), "conversation"))
	defer bar.Clear()
	what.Progress = bar.Show
	var sources []replay.Source
	for _, in := range inputs {
		sources = append(sources, replay.Source{Name: in.name, Load: func() (replay.Conversation, error) { return rp.load(ctx, in, bar) }})
	}
	report, err := replay.Run(ctx, sources, what)
	return Run{Report: report, Policies: what.Policies, Sheet: what.PlanSheet, inputs: inputs}, err
}

// write writes the results as a table or as JSON, and the picture.
func (rp *Replayer) write(o Options, run Run) error {
	measured := run.Report.Corpus.Requests > 0
	var err error
	switch {
	case o.JSON:
		err = console.WriteJSON(rp.Console.Stdout, run.Document())
	case measured:
		err = run.WriteTable(rp.Console.Stdout, rp.Console.TableWidth())
	}
	if err != nil || !measured || o.Plot == "" {
		return err
	}
	return console.WriteNew(o.Plot, o.Force, run.WritePicture)
}

// fewConversations is the number below which a set says nothing about other conversations.
const fewConversations = 10

// Sentence compares Plimsoll with sending everything, for people to repeat, or says why the figures do not carry that. It is ""
// if Plimsoll was not replayed. Shares are rounded down.
func (r Run) Sentence() string {
	f, replayed := r.Report.Totals[preset.Plimsoll]
	ratio := float64(f.CostWithDebtRatio[r.Sheet])
	if !replayed || math.IsNaN(ratio) || f.Overflow > 0 {
		return ""
	}
	corpus := r.Report.Corpus
	if corpus.Files < fewConversations {
		return numbers.Count(corpus.Files, "conversation") + ": too few to say what Plimsoll saves on others."
	}
	set := fmt.Sprintf("On these %s (%s", numbers.Count(corpus.Files, "conversation"), numbers.Count(corpus.Requests, "request"))
	everything := "sending everything"
	if raw := r.Report.Totals[preset.Raw]; raw.TokensSent > 0 {
		set += fmt.Sprintf(", %.1f M tokens if everything is sent", raw.TokensSent/1e6)
		if raw.Overflow > 0 {
			everything += " (" + numbers.Count(raw.Overflow, "request") + " too large for the window)"
		}
	}
	set += "; prices " + plain.Line(r.Sheet) + ") Plimsoll costs, with looking things up again, "
	switch saved := math.Floor(100 * (1 - ratio)); {
	case saved < 0:
		return fmt.Sprintf("%s%.0f %% more than %s.", set, -saved, everything)
	case saved < 1:
		return set + "as much as " + everything + "."
	case !f.RecallTool.IsKnown():
		return fmt.Sprintf("%s%.0f %% less than %s.", set, saved, everything)
	default:
		return fmt.Sprintf("%s%.0f %% less than %s, and keeps in view %.0f %% of the names from tool results that later replies use.",
			set, saved, everything, math.Floor(100*float64(f.RecallTool)))
	}
}

// others says what Plimsoll comes to in the conversation in the middle, and without stitched ones.
func (r Run) others() string {
	f, replayed := r.Report.Totals[preset.Plimsoll]
	if !replayed {
		return ""
	}
	m := f.Medians
	text := fmt.Sprintf("\nPlimsoll in the conversation in the middle: /TRUNC %s, SERVED %s, SILENT %s.\n",
		ratioText(m.CostWithDebtVsTruncate[r.Sheet]), ratioText(m.Served), ratioText(m.SilentLosses))
	if w, ok := r.Report.Unstitched[preset.Plimsoll]; ok {
		text += fmt.Sprintf("Without recordings stitched from several sessions: /TRUNC %s, SERVED %s, SILENT %s.\n",
			ratioText(w.CostWithDebtVsTruncate[r.Sheet]), ratioText(w.Served), ratioText(w.SilentLosses))
	}
	return text
}
