package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tui/account"
	"plimsoll/tui/pane"
	"plimsoll/tui/settings"
)

// The context view on the screen. Its numbers come from the agent, when the log
// changes; its gauge moves with every letter and every token.

type contextView struct {
	*account.Model
	asked  uint64          // the newest event when the breakdown was asked for
	pinned map[uint64]bool // the events that are pinned
	marked uint64          // the revision of which pinned is
}

// openContext opens the context view.
func (v *views) openContext() pane.Action {
	if no := v.cannotOpen(); no != nil {
		return no
	}
	if one, open := v.top().(*contextView); open {
		one.renew(v)
		return nil
	}
	keys := v.env.Keys.Context
	return v.open(&contextView{Model: account.New(account.Options{Styles: v.look.account(), Keys: &keys})})
}

func (c *contextView) gauged() bool   { return false }
func (c *contextView) restyle(l look) { c.SetStyles(l.account()) }

func (c *contextView) renew(v *views) {
	s := v.session
	if n := s.log.newest(); n > c.asked {
		c.asked = n
		s.Session.Inspect()
	} else if c.asked == 0 {
		c.asked = 1
		s.Session.Inspect()
	}
	view := s.load.meter.View()
	if c.pinned == nil || c.marked != view.Revision {
		c.pinned, c.marked = pinnedOf(view), view.Revision
	}
	c.Show(account.Content{
		Account: s.breakdown, Reading: v.reading(), Title: s.Title, Model: s.Model.Name(), Priced: priced(s.Model),
		Cold: s.cacheCold(), ColdAt: s.cache.words(v.env.Now()), Paused: s.paused, ReadOnly: s.ReadOnly != "", Pinned: func(event uint64) bool { return c.pinned[event] },
	})
}

// priced is the date of the prices in use, "" if none are known.
func priced(m llm.Model) string {
	if m.Prices != nil {
		return m.Prices.Date
	}
	return ""
}

// pinnedOf is the events that a view shows because they are pinned.
func pinnedOf(v projection.View) map[uint64]bool {
	pinned := map[uint64]bool{}
	for i := range v.Messages {
		if v.Messages[i].State == projection.StatePinned {
			for _, seq := range v.Messages[i].Events {
				pinned[seq] = true
			}
		}
	}
	return pinned
}

// The settings on the screen. The backend knows them; what holds for this run only, the
// screen knows itself.

// The settings of this run.
const (
	settingMode  = "permissions.mode"
	settingTheme = "ui.theme"
	settingMouse = "ui.mouse"
)

// The dialogs that change a setting, for [Setting.Opens].
const (
	OpensModels  = "model"
	OpensEfforts = "effort"
	OpensThemes  = "theme"
)

type settingsView struct {
	*settings.Model
	asked  uint64             // the newest event when the breakdown was asked for
	rows   []Setting          // as they were read last
	cancel context.CancelFunc // of what is being tried
}

// openSettings opens the settings.
func (v *views) openSettings() pane.Action {
	if no := v.cannotOpen(); no != nil {
		return no
	}
	if _, open := v.top().(*settingsView); open {
		return nil
	}
	keys := v.env.Keys.Settings
	one := &settingsView{cancel: func() {}, Model: settings.New(settings.Options{Styles: v.look.settings(), Keys: &keys, Gauges: v.gauges})}
	return several{v.open(one), v.readSettings()}
}

func (o *settingsView) gauged() bool   { return false }
func (o *settingsView) restyle(l look) { o.SetStyles(l.settings()) }
func (o *settingsView) closed()        { o.cancel() }

func (o *settingsView) renew(v *views) {
	s := v.session
	if n := max(s.log.newest(), 1); n > o.asked {
		o.asked = n
		s.Session.Inspect()
	}
	now := v.reading()
	next := ""
	if s.breakdown.Reading.LoadLine == now.LoadLine { // otherwise it is of the rules before
		next = s.breakdown.Forecast.Words(s.cache.words(v.env.Now()))
	}
	o.Show(settings.Content{Rows: v.settingRows(o.rows), Reading: now, Next: next, Fixed: s.ReadOnly})
}

// settingRows are the settings with what the screen knows of them.
func (v *views) settingRows(known []Setting) []Setting {
	rows, run := slices.Clone(known), v.inRun()
	for i := range rows {
		r := &rows[i]
		if value, ok := run[r.Key]; ok && v.session.ReadOnly == "" {
			r.Applies, r.Restart = "at once, until the program ends", false
			if r.Key == settingTheme {
				r.Opens = OpensThemes
			}
			if value != r.Value {
				r.Value, r.From, r.Changed = value, "this run", true
			}
		}
		if w := v.session.load.meter.Window(); r.Key == "context.window" && w.Known() {
			r.Shown = pane.Tokens(w.Tokens)
			if r.Value == "0" {
				r.From = account.WindowNote(w.Source)
			}
		}
	}
	return rows
}

// readSettings reads the settings anew, if they are open.
func (v *views) readSettings() pane.Action {
	i := slices.IndexFunc(v.stack, func(one fullView) bool { _, is := one.(*settingsView); return is })
	if i < 0 {
		return nil
	}
	one, ctx, b, s := v.stack[i].(*settingsView), v.env.ctx, v.env.Backend, v.session.Session
	return tea.Cmd(func() tea.Msg {
		msg := settingsMsg{view: one}
		if msg.rows, msg.err = b.Settings(ctx); msg.err == nil {
			msg.rules, _ = s.Rules(ctx) // what cannot be read of them, /permissions says
		}
		return msg
	})
}

// settingsArrived gives the settings what was asked for, if they are open still. That
// something was done is said all the same.
func (v *views) settingsArrived(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case settingDoneMsg:
		return v.settingDone(msg)
	case settingsMsg:
		if v.shows(msg.view) {
			return v.showSettings(msg)
		}
	case settingTriedMsg:
		if v.shows(msg.view) {
			v.showEffect(msg)
		}
	}
	return nil
}

// shows reports whether a view is open.
func (v *views) shows(one fullView) bool { return slices.Contains(v.stack, one) }

// showSettings shows what was read.
func (v *views) showSettings(msg settingsMsg) pane.Action {
	if msg.err != nil {
		return missing{msg.err}
	}
	adoptSettings(v.session, msg.rows, msg.rules)
	end := len(msg.rows)
	for i, r := range msg.rows {
		if r.Section == "Permissions" {
			end = i + 1
		}
	}
	var granted []Setting
	for i, r := range msg.rules {
		if r.Origin != conversation.RuleConfigured {
			granted = append(granted, Setting{Section: "Permissions", Name: r.Text, Shown: ruleNote(r), Setting: config.Setting{Doc: "Granted by a key: " + r.Means},
				From: strings.TrimSpace(originWords(r.Origin) + " " + r.Where), Opens: itemRule + strconv.Itoa(i)})
		}
	}
	msg.view.rows = slices.Insert(msg.rows, end, granted...)
	msg.view.renew(v)
	return nil
}

// adoptSettings takes over the settings that the screen goes by, too.
func adoptSettings(s *session, rows []Setting, rules []conversation.Rule) {
	s.rules = rules
	for _, r := range rows {
		switch n, err := strconv.Atoi(r.Value); {
		case r.Key == defaultProfile:
			s.Profile = unquoted(r.Value)
		case r.Key == "compaction.keep_last" && err == nil:
			s.KeepLast = n
		}
	}
}

// act does what the settings ask for.
func (o *settingsView) act(v *views, a pane.Action) pane.Action {
	ctx, b, edit := v.env.ctx, v.env.Backend, o.Edit()
	switch a := a.(type) {
	case settings.Try:
		o.cancel()
		ctx, o.cancel = context.WithCancel(ctx)
		return tea.Cmd(func() tea.Msg {
			effect, err := b.TrySetting(ctx, a.Key, a.Value)
			return settingTriedMsg{o, a, effect, err}
		})
	case settings.Accepted:
		if _, ok := v.inRun()[a.Key]; ok {
			return settingInRun{o, edit, a.Key, a.Value}
		}
		return tea.Cmd(func() tea.Msg { return settingDoneMsg{o, edit, "", b.ChangeSetting(ctx, a.Key, a.Value)} })
	case settings.Kept:
		return tea.Cmd(func() tea.Msg {
			file, err := b.KeepSettings(ctx, a.Set)
			return settingDoneMsg{o, -1, "kept in " + file, err}
		})
	}
	return a
}

// showEffect shows what a value would come to, with the draft of the user.
func (v *views) showEffect(msg settingTriedMsg) {
	now := v.reading()
	r := &msg.effect.Reading
	r.AfterSend, r.CachedShare = r.Used+now.AfterSend-now.Used, now.CachedShare
	msg.view.ShowEffect(msg.try, msg.effect, reasonOf(msg.err))
}

// settingDone ends a change.
func (v *views) settingDone(msg settingDoneMsg) pane.Action {
	known := v.shows(msg.view) && msg.view.Done(msg.edit, reasonOf(msg.err))
	switch {
	case msg.err != nil && known:
		return nil
	case msg.err != nil:
		return missing{msg.err}
	}
	msg.view.asked = 0 // other rules, another forecast
	v.outdated()
	if msg.done == "" {
		return v.readSettings()
	}
	return several{say(msg.done), v.readSettings()}
}

// reasonOf is an error in words, "" for none.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// openSetting opens the dialog that changes a setting.
func openSetting(m *Model, dialog string) tea.Cmd {
	switch dialog {
	case OpensModels:
		return m.env.loadModels(m.keyboard.pressed)
	case OpensEfforts:
		return m.do(pickEffort(m.session.Model.Effort))
	case OpensThemes:
		return themeNamed(m, "")
	}
	return m.do(m.session.pickRule(dialog))
}

// settingInRun is a setting of this run that gets another value.
type settingInRun struct {
	view       *settingsView
	edit       int
	key, value string
}

// settingsMsg brings the settings, and the rules in force.
type settingsMsg struct {
	view  *settingsView
	rows  []Setting
	rules []conversation.Rule
	err   error
}

// settingTriedMsg brings what a value would come to.
type settingTriedMsg struct {
	view   *settingsView
	try    settings.Try
	effect SettingEffect
	err    error
}

// settingDoneMsg says that a value is in force, or that values are kept.
type settingDoneMsg struct {
	view *settingsView
	edit int    // that asked for it, -1 for none
	done string // what to say of it, "" for nothing
	err  error
}
