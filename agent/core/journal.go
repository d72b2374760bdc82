package core

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// New events go to storage first, then to memory, to the meter, and to the watcher. The end of a turn's ctx does
// not stop a write: a cancelled turn is stored, too. Events that could not be stored wait and go before the next
// append.

// Journal is a conversation: its stored events, the view that the model is sent, and the rules of compaction. The
// turn loop and the compactor share it; one goroutine owns it.
type Journal struct {
	Now         func() time.Time
	Logger      *slog.Logger     // receives classes, counts and causes, never texts or keys
	Interactive bool             // a user is present
	Updates     *updates.Mailbox // of the watcher
	InTurn      bool             // a turn runs

	id    string
	store Log
	cost  func(llm.Model, llm.Tokens) (usd *float64, priced string)

	log          *conversation.Log
	view         projection.View
	meter        meter.Meter
	settings     Settings
	rules        preset.Rules
	pending      []conversation.Body // stored before the bodies of the next append
	onAppend     func([]conversation.Event)
	countedPause uint64 // Seq of the newest report after which a pause was recorded
}

// NewJournal returns the journal of a new or a stored conversation. o has its defaults. appended is called with new
// events once they are in the view and the meter.
func NewJournal(o Options, appended func([]conversation.Event)) (*Journal, error) {
	log, err := conversation.NewLog(o.Stored.Events)
	if err != nil {
		return nil, err
	}
	set, err := NewSettings(o)
	if err != nil {
		return nil, err
	}
	j := &Journal{Now: o.Now, Logger: o.Logger, Interactive: o.Interactive, Updates: updates.NewMailbox(),
		id: o.Stored.ID, store: o.Log, cost: o.Cost, log: log, settings: set, rules: o.Rules, onAppend: appended}
	j.view = projection.Project(o.Stored.Events)
	j.meter = meter.New(set.Model.MeterOptions(o.Rules)).WithPrompt(set.PromptSizes()).WithView(j.view)
	j.updateThinking()
	j.updateKeptOut()
	j.meter = j.meter.WithHistory(o.Stored.Events, set.Model.Name())
	return j, nil
}

// Events are all events in the log, oldest first.
func (j *Journal) Events() []conversation.Event { return j.log.Events() }

// Len is the number of events, and the Seq of the newest.
func (j *Journal) Len() int { return j.log.Len() }

// Turns is the number of turns that began.
func (j *Journal) Turns() int { return j.log.Turns() }

// Revision is the revision of the view: it changes with every overlay.
func (j *Journal) Revision() uint64 { return j.log.Revision() }

// View is what the model is sent for the log.
func (j *Journal) View() projection.View { return j.view }

// Meter measures how full the window is.
func (j *Journal) Meter() meter.Meter { return j.meter }

// Reading is the current reading of the meter.
func (j *Journal) Reading() meter.Reading { return j.meter.Reading() }

// Rules are the rules of compaction in force.
func (j *Journal) Rules() preset.Rules { return j.rules }

// Model is the model in use.
func (j *Journal) Model() llm.Model { return j.settings.Model }

// Provider is the provider of the model in use.
func (j *Journal) Provider() llm.Provider { return j.settings.Provider }

// Tools are the tools that requests declare.
func (j *Journal) Tools() []conversation.ToolSpec { return j.settings.Tools }

// PromptSizes are the sizes of the system prompt and of the tools in a request.
func (j *Journal) PromptSizes() (system, tools conversation.Size) { return j.settings.PromptSizes() }

// Request is a request of the conversation with these messages.
func (j *Journal) Request(messages []projection.Message) llm.Request {
	return j.settings.Request(j.id, messages)
}

// ThinkingAfter is the Seq of an event: replies up to it are sent without their thinking.
func (j *Journal) ThinkingAfter() uint64 { return j.settings.ThinkingAfter }

// RecordedModel is the newest model in the log.
func (j *Journal) RecordedModel() conversation.ModelChanged { return j.settings.RecordedModel }

// ModelRecord is the event that records the model in use; isNew reports whether the log lacks it.
func (j *Journal) ModelRecord() (m conversation.ModelChanged, isNew bool) {
	m = j.settings.ModelChanged()
	return m, m != j.settings.RecordedModel
}

// PromptStored reports whether this run has stored the system prompt and the tools.
func (j *Journal) PromptStored() bool { return j.settings.PromptBlobs != nil }

// Cost prices a request whose cost the provider did not report: USD, nil if unknown, and the date of the price
// list.
func (j *Journal) Cost(m llm.Model, t llm.Tokens) (usd *float64, priced string) {
	if j.cost == nil {
		return nil, ""
	}
	return j.cost(m, t)
}

// PutBlob stores a text under its content hash and returns the hash.
func (j *Journal) PutBlob(ctx context.Context, text string) (string, error) {
	return j.store.PutBlob(context.WithoutCancel(ctx), text)
}

// Publish puts an update into the mailbox of the watcher.
func (j *Journal) Publish(u updates.Update) { j.Updates.Put(u) }

// UseModel makes the next requests go to a model; with oneTurn the model replaces another one for this turn only.
func (j *Journal) UseModel(m llm.Model, p llm.Provider, oneTurn bool) {
	j.settings.Model, j.settings.Provider, j.settings.OneTurn = m, p, oneTurn
	j.settings.chooseForm()
	j.meter = j.MeterFor(m)
	j.updateThinking()
}

// MeterFor is the meter with another model in place of the one in use.
func (j *Journal) MeterFor(m llm.Model) meter.Meter {
	return j.meter.WithModel(m.MeterOptions(j.rules)).WithPrompt(j.settings.PromptSizes())
}

// UseWindow sets the window of the model, which may be unknown.
func (j *Journal) UseWindow(w meter.Window) {
	j.settings.Model.Window = w
	j.meter = j.meter.WithWindow(w)
	if j.settings.chooseForm() {
		j.meter = j.meter.WithPrompt(j.settings.PromptSizes())
	}
}

// UseMaxOut sets the largest reply of the model, in tokens.
func (j *Journal) UseMaxOut(tokens int) {
	j.settings.Model.MaxOut = tokens
	j.meter = j.meter.WithMaxReply(tokens)
}

// UseRules sets the rules, and adds settings of this conversation: by dotted key, with the value in YAML form.
func (j *Journal) UseRules(set map[string]string, rules preset.Rules) {
	overrides := map[string]string{} // a new map, because callers share the old ones
	maps.Copy(overrides, j.settings.Overrides)
	maps.Copy(overrides, set)
	j.settings.Overrides, j.rules, j.meter = overrides, rules, j.meter.WithRules(rules)
}

// UseMeter replaces the meter by one that has seen the endpoint's counts. It reports whether the calibration changed.
func (j *Journal) UseMeter(m meter.Meter) bool {
	j.meter = m
	c, known := m.Calibration(), &j.settings.Model.Calibration
	changed := c.Factor != known.Factor || c.Samples != known.Samples
	known.Factor, known.Samples = c.Factor, c.Samples
	return changed
}

// RememberWindow stores the window that the server reported in the calibration, in tokens; 0 removes it.
func (j *Journal) RememberWindow(tokens int) {
	c := &j.settings.Model.Calibration
	c.Window, c.WindowAt = tokens, 0
	if tokens > 0 {
		c.WindowAt = j.Now().Unix()
	}
}

// Append stores bodies, after the pending ones, in one transaction. If it fails, nothing is changed; the error is
// an *Error of class NotSaved.
func (j *Journal) Append(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	return j.AppendAt(ctx, j.Now(), bodies...)
}

// AppendAt is Append with the time of the events.
func (j *Journal) AppendAt(ctx context.Context, when time.Time, bodies ...conversation.Body) ([]conversation.Event, error) {
	all := append(j.pending[:len(j.pending):len(j.pending)], bodies...)
	if len(all) == 0 {
		return nil, nil
	}
	events := j.log.Prepare(when, all...)
	if err := j.store.Append(context.WithoutCancel(ctx), events); err != nil {
		return nil, NotSaved(err)
	}
	if err := j.log.Commit(events); err != nil {
		return nil, NotSaved(err) // Prepare numbered them, so only a second owner could cause this
	}
	j.pending = nil
	revision := j.view.Revision
	j.view = j.view.Extend(j.log.Events())
	j.meter = j.meter.WithView(j.view)
	j.updateSettings(events, revision)
	j.onAppend(events)
	return events, nil
}

// Postpone adds bodies to the pending ones, which the next append stores first.
func (j *Journal) Postpone(bodies ...conversation.Body) { j.pending = append(j.pending, bodies...) }

// AppendOrPostpone is Append for events that must not get lost: after a failure the next append stores them.
func (j *Journal) AppendOrPostpone(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	events, err := j.Append(ctx, bodies...)
	if err != nil {
		j.Postpone(bodies...)
	}
	return events, err
}

// Record is AppendOrPostpone, and publishes a failure.
func (j *Journal) Record(ctx context.Context, bodies ...conversation.Body) {
	if _, err := j.AppendOrPostpone(ctx, bodies...); err != nil {
		j.Publish(updates.Failed{Err: llm.AsError(err)})
	}
}

// AppendWhenIdle stores bodies that are not part of the turn: at once while idle, in a turn with the next append, and
// in a conversation without messages with the first message.
func (j *Journal) AppendWhenIdle(ctx context.Context, bodies ...conversation.Body) {
	j.Postpone(bodies...)
	if j.InTurn {
		return
	}
	if err := j.Flush(ctx); err != nil {
		j.Publish(updates.Failed{Err: err})
	}
}

// UntoldJobs are the background commands that ended, of which the model does not know yet.
func (j *Journal) UntoldJobs() []conversation.JobEnded {
	ended := conversation.UntoldJobs(j.log.Events())
	for _, body := range j.pending { // they go before the next message or result
		switch b := body.(type) {
		case conversation.UserMessage, conversation.ToolResult:
			ended = nil
		case conversation.JobEnded:
			if !b.Told {
				ended = append(ended, b)
			}
		}
	}
	return ended
}

// Flush stores the pending bodies. A conversation without messages is not stored.
func (j *Journal) Flush(ctx context.Context) *llm.Error {
	if j.log.Len() == 0 && !hasMessage(j.pending) {
		return nil
	}
	_, err := j.Append(ctx)
	return llm.AsError(err)
}

// hasMessage reports whether bodies have a user message or a reply.
func hasMessage(bodies []conversation.Body) bool {
	for _, b := range bodies {
		switch b.(type) {
		case conversation.UserMessage, conversation.AssistantMessage:
			return true
		}
	}
	return false
}

// NextSeq is the Seq of the first body of the next append, after the pending ones.
func (j *Journal) NextSeq() uint64 { return uint64(j.log.Len() + len(j.pending) + 1) }

// NotSaved is the error of a failed write, in words for the user.
func NotSaved(err error) *llm.Error {
	return &llm.Error{
		Class: llm.NotSaved, Message: "the conversation could not be saved: " + err.Error(),
		Hint: "check the disk and the data folder, then continue: unsaved messages are saved with your next one",
		Err:  err,
	}
}

// updateSettings updates the settings from new events. It updates the meter if the thinking in requests changes.
func (j *Journal) updateSettings(events []conversation.Event, revision uint64) {
	before := j.settings
	for _, e := range events {
		j.settings.read(e)
		switch e.Body.Kind() {
		case conversation.KindMCPServer, conversation.KindTaskEnded, conversation.KindConfig:
			j.updateKeptOut()
		}
	}
	if s := &j.settings; revision != j.view.Revision || s.RecordedPrompt != before.RecordedPrompt || s.ThinkingAfter != before.ThinkingAfter {
		j.updateThinking()
	}
}

// updateKeptOut passes to the meter what the model has to look up, and what tasks kept out.
func (j *Journal) updateKeptOut() {
	j.meter = j.meter.WithKeptOut(KeptOut(j.log.Events(), j.settings.Tools) + conversation.KeptOutByTasks(j.log.Events()))
}

// updateThinking passes to the meter which replies are sent with their thinking.
func (j *Journal) updateThinking() {
	if t, ok := j.settings.Thinking(j.view); ok {
		j.meter = j.meter.WithThinking(t)
	}
}

// Whether the provider's cache still holds the last request, by all that the log has.

// Moment is the planner's moment of the next request.
func (j *Journal) Moment() planner.Moment {
	for _, e := range slices.Backward(j.log.Events()) {
		switch e.Body.(type) {
		case conversation.AssistantMessage, conversation.ToolResult:
			return planner.MomentRequest
		case conversation.UserMessage:
			return planner.MomentTurn
		}
	}
	return planner.MomentTurn
}

// ColdFor reports whether the provider's cache no longer holds the last request for one to model m, or may not: it is
// too old, went to another model, or had another prompt.
func (j *Journal) ColdFor(m llm.Model) bool {
	idle, changed := j.SinceReply(m)
	return changed || m.NoCache || m.Sheet().Cold(idle)
}

// SinceReply is the time since the newest reply was reported; changed reports whether the request of that reply is
// no longer a prefix of a request to m.
func (j *Journal) SinceReply(m llm.Model) (idle time.Duration, changed bool) {
	last, changed := j.LastReport(m)
	if last.Time.IsZero() {
		return 0, changed
	}
	return j.Now().Sub(last.Time), changed
}

// LastReport is the usage event of the newest reply of m, or of another model if m gave none; the zero value if no
// request had the current prompt. changed reports whether the request of that reply is no longer a prefix of a
// request to m: it went to another model, had another prompt, or does not exist. Replies of other models in between
// follow that prefix. Where a ping has renewed the cache since, last has the time of that.
func (j *Journal) LastReport(m llm.Model) (last conversation.Event, changed bool) {
	var warmed time.Time
	system, tools := j.settings.PromptSizes()
	for _, e := range slices.Backward(j.log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return last, true // no request had the new prompt yet
		case conversation.Usage:
			if b.Purpose == conversation.PurposeWarm && b.HasPromptCount() && b.Model == m.Name() && warmed.IsZero() {
				warmed = e.Time
			}
			if b.Purpose != conversation.PurposeReply {
				continue
			}
			in := j.settings.RecordedPrompt
			changed := in.SystemSize != system || !m.Caps.NoTools && in.ToolsSize != tools
			if b.Model == m.Name() {
				if warmed.After(e.Time) {
					e.Time = warmed
				}
				return e, changed
			}
			if last.Seq == 0 {
				last = e
			}
		}
	}
	return last, true
}

// CompactionInputs are the inputs of a compaction made now.
func (j *Journal) CompactionInputs() edit.Inputs {
	return edit.Inputs{
		Meter: j.meter, Now: j.Now(), Cold: j.ColdFor(j.Model()), Caps: j.settings.Model.Caps, TurnInProgress: j.InTurn,
	}
}

// Price is llm.PriceOf for the model in use; nil and nil where its prices are unknown.
func (j *Journal) Price(p edit.Preview) (now *float64, paysAfter *int) {
	known := true
	m := j.settings.Model
	now, paysAfter = llm.PriceOf(p, func(t llm.Tokens) float64 {
		usd, _ := j.Cost(m, m.WithLongWrites(t))
		if usd == nil {
			known = false
			return 0
		}
		return *usd
	})
	if !known {
		return nil, nil
	}
	return now, paysAfter
}

// UnrecordedSettings are events for what the next request carries besides messages and the log lacks. Blobs are
// stored first.
func (j *Journal) UnrecordedSettings(ctx context.Context) ([]conversation.Body, error) {
	s, told := &j.settings, j.useNewerInstructions()
	if s.PromptBlobs == nil {
		blobs, err := j.storePrompt(ctx)
		if err != nil {
			return nil, err
		}
		s.PromptBlobs = &blobs
	}
	bodies := told
	if *s.PromptBlobs != s.RecordedPrompt {
		if s.RecordedPrompt == (conversation.Instructions{}) {
			bodies = append(bodies, s.omittedToolsNotice()...)
		}
		bodies = append(bodies, *s.PromptBlobs)
	}
	if c := s.ModelChanged(); c != s.RecordedModel {
		bodies = append(bodies, c)
	}
	if set := s.NewOverrides(); len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies, nil
}

// RecordSettings appends UnrecordedSettings.
func (j *Journal) RecordSettings(ctx context.Context) error {
	bodies, err := j.UnrecordedSettings(ctx)
	if err != nil {
		return NotSaved(err)
	}
	_, err = j.Append(ctx, bodies...)
	return err
}

// RecordOverrides appends the settings of this conversation that the log lacks.
func (j *Journal) RecordOverrides(ctx context.Context) error {
	set := j.settings.NewOverrides()
	if len(set) == 0 {
		return nil
	}
	_, err := j.Append(ctx, conversation.ConfigChanged{Set: set})
	return err
}

func (j *Journal) storePrompt(ctx context.Context) (conversation.Instructions, error) {
	s := &j.settings
	in := conversation.Instructions{SystemSize: conversation.Measure(s.System), ToolsSize: conversation.Measure(s.toolText)}
	var err error
	if s.System != "" {
		in.System, err = j.PutBlob(ctx, s.System)
	}
	if s.toolText != "" && err == nil {
		in.Tools, err = j.PutBlob(ctx, s.toolText)
	}
	return in, err
}
