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

// What happened goes to storage first, then to memory, then to the meter, then
// to whoever watches. A cancelled turn is written too, so storage never sees
// the turn's end. What could not be stored is not forgotten: it goes in front
// of whatever is stored next.

// Journal is the conversation as it is stored, as the model is sent it, and by which
// rules. The turn loop and the compactor share it; one goroutine owns it.
type Journal struct {
	id          string
	store       Log
	now         func() time.Time
	logger      *slog.Logger
	interactive bool
	cost        func(llm.Model, llm.Tokens) (usd *float64, priced string)

	updates  *updates.Mailbox
	log      *conversation.Log
	view     projection.View
	meter    meter.Meter
	settings Settings
	rules    preset.Rules
	pending  []conversation.Body // to be appended before whatever comes next
	inTurn   bool
	appended func([]conversation.Event)
	paused   uint64 // Seq of the report after which a pause was counted last
}

// NewJournal returns the journal of a new or a stored conversation, made of options with
// their defaults. Appended is called after events are in the view and the meter.
func NewJournal(o Options, appended func([]conversation.Event)) (*Journal, error) {
	log, err := conversation.NewLog(o.Stored.Events)
	if err != nil {
		return nil, err
	}
	set, err := NewSettings(o)
	if err != nil {
		return nil, err
	}
	j := &Journal{id: o.Stored.ID, store: o.Log, now: o.Now, logger: o.Logger, interactive: o.Interactive, cost: o.Cost,
		updates: updates.NewMailbox(), log: log, settings: set, rules: o.Rules, appended: appended}
	j.view = projection.Project(o.Stored.Events)
	j.meter = meter.New(set.Model.MeterOptions(o.Rules)).WithPrompt(set.PromptSizes()).WithView(j.view)
	j.weighThinking()
	j.meter = j.meter.WithHistory(o.Stored.Events, set.Model.Name())
	return j, nil
}

// ID is the conversation's.
func (j *Journal) ID() string { return j.id }

// Events are all events in the log, oldest first.
func (j *Journal) Events() []conversation.Event { return j.log.Events() }

// Len is how many events the log has, and the Seq of the newest.
func (j *Journal) Len() int { return j.log.Len() }

// Turns is how many turns began.
func (j *Journal) Turns() int { return j.log.Turns() }

// Revision counts what changes how the model is shown events it was shown before.
func (j *Journal) Revision() uint64 { return j.log.Revision() }

// View is what the model is sent of the log.
func (j *Journal) View() projection.View { return j.view }

// Meter tells how full the window is.
func (j *Journal) Meter() meter.Meter { return j.meter }

// Reading is what the meter shows now.
func (j *Journal) Reading() meter.Reading { return j.meter.Reading() }

// Rules is by what the conversation is compacted.
func (j *Journal) Rules() preset.Rules { return j.rules }

// Model is the model in use.
func (j *Journal) Model() llm.Model { return j.settings.Model }

// Provider is what requests to the model in use go through.
func (j *Journal) Provider() llm.Provider { return j.settings.Provider }

// Tools is what requests declare.
func (j *Journal) Tools() []conversation.ToolSpec { return j.settings.Tools }

// PromptSizes is what the system prompt and the tools weigh in a request.
func (j *Journal) PromptSizes() (system, tools conversation.Size) { return j.settings.PromptSizes() }

// Request is a request of the conversation with messages.
func (j *Journal) Request(messages []projection.Message) llm.Request {
	return j.settings.Request(j.id, messages)
}

// ThinkingAfter is the event up to which replies go back without what the model thought.
func (j *Journal) ThinkingAfter() uint64 { return j.settings.ThinkingAfter }

// HeldWith is the model that the log says the conversation was held with last.
func (j *Journal) HeldWith() conversation.ModelChanged { return j.settings.Changed }

// ModelRecord is the model as the log records it, and whether the log does not yet.
func (j *Journal) ModelRecord() (m conversation.ModelChanged, isNew bool) {
	m = j.settings.ModelChanged()
	return m, m != j.settings.Changed
}

// PromptStored reports whether this run has stored what requests carry besides messages.
func (j *Journal) PromptStored() bool { return j.settings.Blobs != nil }

// Cost prices a request whose cost the provider did not report: USD, nil if unknown, and
// the date of the price sheet.
func (j *Journal) Cost(m llm.Model, t llm.Tokens) (usd *float64, priced string) {
	if j.cost == nil {
		return nil, ""
	}
	return j.cost(m, t)
}

// PutBlob stores a text under its content hash and returns the name.
func (j *Journal) PutBlob(ctx context.Context, text string) (string, error) {
	return j.store.PutBlob(context.WithoutCancel(ctx), text)
}

// InTurn reports whether a turn runs.
func (j *Journal) InTurn() bool { return j.inTurn }

// Interactive reports whether a user is there.
func (j *Journal) Interactive() bool { return j.interactive }

// Now is the time.
func (j *Journal) Now() time.Time { return j.now() }

// Logger gets classes, counts and causes, never texts or keys.
func (j *Journal) Logger() *slog.Logger { return j.logger }

// Updates is where what happens can be watched.
func (j *Journal) Updates() *updates.Mailbox { return j.updates }

// Tell puts an update into the mailbox.
func (j *Journal) Tell(u updates.Update) { j.updates.Put(u) }

// SetInTurn notes that a turn runs, or has ended.
func (j *Journal) SetInTurn(runs bool) { j.inTurn = runs }

// UseModel sends requests to a model from the next one on. OneTurn says that it takes
// over for this turn only.
func (j *Journal) UseModel(m llm.Model, p llm.Provider, oneTurn bool) {
	j.settings.Model, j.settings.Provider, j.settings.OneTurn = m, p, oneTurn
	j.settings.choose()
	j.meter = j.MeterFor(m)
	j.weighThinking()
}

// MeterFor is the meter as it would be with another model.
func (j *Journal) MeterFor(m llm.Model) meter.Meter {
	return j.meter.WithModel(m.MeterOptions(j.rules)).WithPrompt(j.settings.PromptSizes())
}

// UseWindow puts a window of the model in force, also an unknown one.
func (j *Journal) UseWindow(w meter.Window) {
	j.settings.Model.Window = w
	j.meter = j.meter.WithWindow(w)
	if j.settings.choose() {
		j.meter = j.meter.WithPrompt(j.settings.PromptSizes())
	}
}

// UseMaxOut takes over the largest reply of the model, in tokens.
func (j *Journal) UseMaxOut(tokens int) {
	j.settings.Model.MaxOut = tokens
	j.meter = j.meter.WithMaxOut(tokens)
}

// UseRules puts rules in force, and settings that differ for this conversation, by dotted
// key with the value in YAML form.
func (j *Journal) UseRules(set map[string]string, rules preset.Rules) {
	overrides := map[string]string{} // the maps of others stay as they are
	maps.Copy(overrides, j.settings.Overrides)
	maps.Copy(overrides, set)
	j.settings.Overrides, j.rules, j.meter = overrides, rules, j.meter.WithRules(rules)
}

// Learn takes over a meter that has seen what the endpoint counted. It reports whether that
// taught how the model counts.
func (j *Journal) Learn(m meter.Meter) bool {
	j.meter = m
	c, known := m.Calibration(), &j.settings.Model.Calibration
	changed := c.Factor != known.Factor || c.Samples != known.Samples
	known.Factor, known.Samples = c.Factor, c.Samples
	return changed
}

// RememberWindow keeps the window that the server said for later runs, in tokens; 0
// forgets it.
func (j *Journal) RememberWindow(tokens int) {
	c := &j.settings.Model.Calibration
	c.Window, c.WindowAt = tokens, 0
	if tokens > 0 {
		c.WindowAt = j.now().Unix()
	}
}

// Append stores bodies as one transaction, behind whatever is pending. When it
// fails nothing of it counts; the error is an *Error of class NotSaved.
func (j *Journal) Append(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	return j.AppendAt(ctx, j.now(), bodies...)
}

// AppendAt is Append for what happened at a time.
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
		return nil, NotSaved(err) // Prepare numbered them; only a second owner could break this
	}
	j.pending = nil
	revision := j.view.Revision
	j.view = j.view.Extend(j.log.Events())
	j.meter = j.meter.WithView(j.view)
	j.refold(events, revision)
	j.appended(events)
	return events, nil
}

// Postpone has bodies stored with the next append.
func (j *Journal) Postpone(bodies ...conversation.Body) { j.pending = append(j.pending, bodies...) }

// Keep is Append for what must not get lost: if it cannot be stored now, it
// waits for the next append.
func (j *Journal) Keep(ctx context.Context, bodies ...conversation.Body) ([]conversation.Event, error) {
	events, err := j.Append(ctx, bodies...)
	if err != nil {
		j.Postpone(bodies...)
	}
	return events, err
}

// KeepForLater keeps something that the turn has no part in: at once while idle, with
// the turn's next append otherwise, and with the first message in a
// conversation without messages.
func (j *Journal) KeepForLater(ctx context.Context, bodies ...conversation.Body) {
	j.Postpone(bodies...)
	if j.inTurn {
		return
	}
	if err := j.Flush(ctx); err != nil {
		j.Tell(updates.Failed{Err: err})
	}
}

// Flush stores what is pending. Conversations without messages are not kept.
func (j *Journal) Flush(ctx context.Context) *llm.Error {
	if j.log.Len() == 0 && !speaks(j.pending) {
		return nil
	}
	_, err := j.Append(ctx)
	return llm.AsError(err)
}

// speaks reports whether someone says something in bodies.
func speaks(bodies []conversation.Body) bool {
	for _, b := range bodies {
		switch b.(type) {
		case conversation.UserMessage, conversation.AssistantMessage:
			return true
		}
	}
	return false
}

// NextSeq is the Seq of the first body of the next append. What is pending
// comes before it, now or later.
func (j *Journal) NextSeq() uint64 { return uint64(j.log.Len() + len(j.pending) + 1) }

// NotSaved is a failure to write as the user is told it.
func NotSaved(err error) *llm.Error {
	return &llm.Error{
		Class: llm.NotSaved, Message: "the conversation could not be saved: " + err.Error(),
		Hint: "check the disk and the data folder, then continue: unsaved messages are saved with your next one",
		Err:  err,
	}
}

// refold takes settings that events change into account, and tells the meter which thinking goes back.
func (j *Journal) refold(events []conversation.Event, revision uint64) {
	s, again := &j.settings, revision != j.view.Revision
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			s.Instructions, again = b, true
		case conversation.ModelChanged:
			s.Changed = b
		case conversation.ConfigChanged:
			maps.Copy(s.Recorded, b.Set)
		case conversation.Notice:
			if b.ThinkingRefused {
				s.ThinkingAfter, again = e.Seq, true
			}
		}
		s.changes(e)
	}
	if again {
		j.weighThinking()
	}
}

// weighThinking tells the meter which thinking goes back.
func (j *Journal) weighThinking() {
	if t, ok := j.settings.Thinking(j.view); ok {
		j.meter = j.meter.WithThinking(t)
	}
}

// Whether the provider's cache still holds what was sent last, as far as the log
// tells.

// Moment is when the planner looks, before a request.
func (j *Journal) Moment() planner.Moment {
	events := j.log.Events()
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Body.(type) {
		case conversation.AssistantMessage, conversation.ToolResult:
			return planner.MomentRequest
		case conversation.UserMessage:
			return planner.MomentTurn
		}
	}
	return planner.MomentTurn
}

// cold reports whether the provider's cache no longer holds what was sent last,
// or that nobody knows: too long ago, by another model, or with another prompt.
func (j *Journal) cold() bool { return j.ColdFor(j.settings.Model) }

// ColdFor is cold for a request to a model.
func (j *Journal) ColdFor(m llm.Model) bool {
	idle, changed := j.SinceReply(m)
	return changed || m.NoCache || m.Sheet().Cold(idle)
}

// SinceReply is how long ago the newest reply was reported, and whether what was
// sent for it is no longer the beginning of a request to m.
func (j *Journal) SinceReply(m llm.Model) (idle time.Duration, changed bool) {
	at, changed := j.LastReply(m)
	if at.IsZero() {
		return 0, changed
	}
	return j.now().Sub(at), changed
}

// LastReply is when the newest reply of m was reported, that of another model where m
// never gave one, the zero time if nothing was sent with the prompt in force yet; and
// whether what was sent for it is no longer the beginning of a request to m: it went to
// another model, with another prompt, or never. What other models said in between stands
// behind what m was sent.
func (j *Journal) LastReply(m llm.Model) (at time.Time, changed bool) {
	last, changed := j.lastReport(m)
	return last.Time, changed
}

// lastReport is LastReply with the event that reported it.
func (j *Journal) lastReport(m llm.Model) (last conversation.Event, changed bool) {
	system, tools := j.settings.PromptSizes()
	for _, e := range slices.Backward(j.log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return last, true // nothing was sent with it yet
		case conversation.Usage:
			if b.Purpose != conversation.PurposeReply {
				continue
			}
			in := j.settings.Instructions
			changed := in.SystemSize != system || !m.Caps.NoTools && in.ToolsSize != tools
			if b.Model == m.Name() {
				return e, changed
			}
			if last.Seq == 0 {
				last = e
			}
		}
	}
	return last, true
}

// Situation is what a compaction made now depends on.
func (j *Journal) Situation() edit.Inputs {
	return edit.Inputs{
		Meter: j.meter, Now: j.now(), Cold: j.cold(), Caps: j.settings.Model.Caps, Answering: j.inTurn,
	}
}

// InBackground reports whether summaries are written in the background.
func (j *Journal) InBackground() bool { return j.rules.Auto.Background }

// Price is PriceOf for the model in use; nil and nil where its prices are not
// known.
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

// Unrecorded is what the log does not record yet of what the next request
// carries. Blobs are stored first.
func (j *Journal) Unrecorded(ctx context.Context) ([]conversation.Body, error) {
	s, told := &j.settings, j.renew()
	if s.Blobs == nil {
		blobs, err := j.storePrompt(ctx)
		if err != nil {
			return nil, err
		}
		s.Blobs = &blobs
	}
	bodies := told
	if *s.Blobs != s.Instructions {
		if s.Instructions == (conversation.Instructions{}) {
			bodies = append(bodies, s.leftOut()...)
		}
		bodies = append(bodies, *s.Blobs)
	}
	if c := s.ModelChanged(); c != s.Changed {
		bodies = append(bodies, c)
	}
	if set := s.NewOverrides(); len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies, nil
}

// RecordSettings appends what the log does not record yet of what the next request
// carries.
func (j *Journal) RecordSettings(ctx context.Context) error {
	bodies, err := j.Unrecorded(ctx)
	if err != nil {
		return NotSaved(err)
	}
	_, err = j.Append(ctx, bodies...)
	return err
}

// RecordOverrides appends the overrides that the log does not have.
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
	for _, part := range []struct {
		text string
		name *string
	}{{s.System, &in.System}, {s.toolText, &in.Tools}} {
		if part.text == "" {
			continue
		}
		blob, err := j.PutBlob(ctx, part.text)
		if err != nil {
			return in, err
		}
		*part.name = blob
	}
	return in, nil
}
