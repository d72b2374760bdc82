package tui

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/projection"
	"plimsoll/tui/breakdown"
	"plimsoll/tui/pane"
	"plimsoll/tui/settings"
)

// The context view as a full-screen view. The agent computes its numbers when the log
// changes; its gauge moves with every typed letter and every token.

type contextView struct {
	*breakdown.Model
	requestedAt uint64 // the newest event when the breakdown was requested
}

func (v *views) openContext() pane.Action {
	if view, open := v.topView().(*contextView); open {
		view.refresh(v)
		return nil
	}
	return v.open(&contextView{Model: breakdown.New(&v.env.Keys.Context)})
}

func (c *contextView) restyle(ts themeStyles) { c.SetStyles(ts.styles, ts.glyphs()) }

func (c *contextView) refresh(v *views) {
	s := v.session
	if n := max(s.log.newest(), 1); n > c.requestedAt {
		c.requestedAt = n
		s.Session.Inspect()
	}
	priced := "" // the date of the prices in use
	if s.Model.Prices != nil {
		priced = s.Model.Prices.Date
	}
	c.Show(breakdown.Content{
		Breakdown: s.breakdown, Reading: v.meterReading(), Title: s.Title, Model: s.Model.Name(), Priced: priced,
		Cold: s.isCacheCold(), ColdAt: s.cache.coldTimeText(v.env.Now()), Paused: s.summariesPaused,
		ReadOnly: s.ReadOnly != "", Pinned: pinnedOf(s.load.meter.View()),
	})
}

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

// The settings as a full-screen view. The backend stores them; the screen itself stores settings of this run.

// settingTheme is a setting of this run that has a dialog.
const settingTheme = "ui.theme"

// The dialogs that change a setting, for [Setting.Opens].
const (
	OpensModels  = "model"
	OpensEfforts = "effort"
	OpensThemes  = "theme"
)

type settingsView struct {
	*settings.Model
	requestedAt uint64             // the newest event when the breakdown was requested
	rows        []Setting          // the settings as last read
	cancel      context.CancelFunc // cancels the running TrySetting
}

func (v *views) openSettings() pane.Action {
	if _, open := v.topView().(*settingsView); open {
		return nil
	}
	view := &settingsView{cancel: func() {}, Model: settings.New(&v.env.Keys.Settings, v.drawGauges)}
	return actionList{v.open(view), v.readSettings()}
}

func (view *settingsView) restyle(ts themeStyles) { view.SetStyles(ts.settings()) }
func (view *settingsView) stopWork()              { view.cancel() }

func (view *settingsView) refresh(v *views) {
	s := v.session
	if n := max(s.log.newest(), 1); n > view.requestedAt {
		view.requestedAt = n
		s.Session.Inspect()
	}
	now := v.meterReading()
	next := ""
	if s.breakdown.Reading.LoadLine == now.LoadLine { // otherwise the forecast is for the previous rules
		next = s.breakdown.Forecast.Text(s.cache.coldTimeText(v.env.Now()))
	}
	view.Show(settings.Content{Rows: v.settingRows(view.rows), Reading: now, Next: next, Fixed: s.ReadOnly})
}

// settingRows returns the settings, with the values of this run.
func (v *views) settingRows(known []Setting) []Setting {
	rows := slices.Clone(known)
	for i := range rows {
		row := &rows[i]
		if run, ok := v.runSettings[row.Key]; ok && v.session.ReadOnly == "" {
			row.Applies, row.Restart = "at once, until the program ends", false
			if row.Key == settingTheme {
				row.Opens = OpensThemes
			}
			if value := run.get(); value != row.Value {
				row.Value, row.From, row.Changed = value, "this run", true
			}
		}
		if w := v.session.load.meter.Window(); row.Key == "context.window" && w.IsKnown() {
			row.Shown = pane.Tokens(w.Tokens)
			if row.Value == "0" {
				row.From = breakdown.WindowNote(w.Source)
			}
		}
	}
	return rows
}

// openSettingsView returns the open view of the settings, or nil.
func (v *views) openSettingsView() *settingsView {
	for _, view := range v.stack {
		if view, is := view.(*settingsView); is {
			return view
		}
	}
	return nil
}

// readSettings reads the settings again, if their view is open.
func (v *views) readSettings() pane.Action {
	view, ctx, b := v.openSettingsView(), v.env.ctx, v.env.Backend
	if view == nil {
		return nil
	}
	return doAsync(func() ([]Setting, error) { return b.Settings(ctx) }, func(rows []Setting, err error) pane.Action {
		if err != nil || view != v.openSettingsView() {
			return requestFailed{err}
		}
		for _, row := range rows {
			switch n, err := strconv.Atoi(row.Value); {
			case row.Key == defaultProfile:
				v.session.Profile = unquoted(row.Value)
			case row.Key == "compaction.keep_last" && err == nil:
				v.session.KeepLast = n
			}
		}
		view.rows = rows
		view.refresh(v)
		return nil
	})
}

func (view *settingsView) handleAction(v *views, a pane.Action) pane.Action {
	b, edit := v.env.Backend, view.Edit()
	switch a := a.(type) {
	case settings.Try:
		view.cancel()
		ctx, cancel := context.WithCancel(v.env.ctx)
		view.cancel = cancel
		try := func() (SettingEffect, error) { return b.TrySetting(ctx, a.Key, a.Value) }
		return doAsync(try, func(e SettingEffect, err error) pane.Action {
			now := v.meterReading()
			e.Reading.AfterSend, e.Reading.CachedShare = e.Reading.Used+now.AfterSend-now.Used, now.CachedShare
			view.ShowEffect(a, e, reasonOf(err))
			return nil
		})
	case settings.SetValue:
		done := func(err error) pane.Action { return v.settingDone(view, edit, "", err) }
		if run, ok := v.runSettings[a.Key]; ok {
			return actionList{run.set(a.Value), done(nil)}
		}
		return v.env.tryAsync(func(ctx context.Context) error { return b.ChangeSetting(ctx, a.Key, a.Value) }, done)
	case settings.WriteConfig:
		ctx := v.env.ctx
		return doAsync(func() (string, error) { return b.KeepSettings(ctx, a.Set) }, func(file string, err error) pane.Action {
			return v.settingDone(view, -1, "kept in "+file, err)
		})
	}
	return a
}

// settingDone shows the result of a change; done is the snackbar. An edit of -1 means that no value was edited.
func (v *views) settingDone(view *settingsView, edit int, done string, err error) pane.Action {
	known := view == v.openSettingsView() && view.Done(edit, reasonOf(err))
	switch {
	case err != nil && known:
		return nil
	case err != nil:
		return requestFailed{err}
	}
	view.requestedAt = 0 // the rules changed: request another forecast
	v.markStale()
	if done == "" {
		return v.readSettings()
	}
	return actionList{textSnackbar(done), v.readSettings()}
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func openSetting(m *Model, name string) tea.Cmd {
	switch name {
	case OpensModels:
		return m.do(m.lists.chooseModel())
	case OpensEfforts:
		return m.do(m.pickEffort())
	}
	return themeCommand(m, "")
}

// readSettings is the action that reads the settings again.
type readSettings struct{}
