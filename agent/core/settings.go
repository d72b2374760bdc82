package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// What requests carry besides messages is recorded in the log before the first request with it: the system prompt
// and the tools array as blobs, the model by name. So any past request can be rebuilt.

// Settings is what requests carry besides messages, and how much of it the log has.
type Settings struct {
	System        string
	Tools         []conversation.ToolSpec
	toolText      string        // of Tools, as recorded
	forms         []declaration // the versions of prompt and tools, the longest first
	assumedWindow int           // the size assumed for an unknown window when a form is chosen, 0 for a large one
	Provider      llm.Provider
	Model         llm.Model
	Schema        conversation.RawJSON // see [llm.Request]
	OneTurn       bool                 // the model replaces another one for this turn only

	PromptBlobs       *conversation.Instructions // hashes of prompt and tools, once stored
	Overrides         map[string]string          // the settings of this conversation
	RecordedOverrides map[string]string          // the overrides that the log has
	RecordedPrompt    conversation.Instructions  // the newest in the log
	RecordedModel     conversation.ModelChanged  // the newest in the log
	newerNoticed      bool                       // the notice about newer instructions was stored
	newerSystem       string                     // the current system prompt, where requests still have an older one; else ""
	ThinkingAfter     uint64                     // see [llm.Request]
	PrefixChanged     uint64                     // see [llm.Request]
	loadBlob          func(ctx context.Context, hash string) (string, error)
}

// NewSettings returns the settings of a conversation, by its options and its stored events.
func NewSettings(o Options) (Settings, error) {
	forms, err := declarations(o)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{forms: forms, assumedWindow: o.AssumeWindow, System: forms[0].System, Tools: forms[0].Tools, toolText: forms[0].text,
		Provider: o.Provider, Model: o.Model, Schema: o.Schema, loadBlob: o.Log.ReadBlob, Overrides: o.Overrides, RecordedOverrides: map[string]string{}}
	for _, e := range o.Stored.Events {
		s.read(e)
	}
	if old := o.Stored.System; old != nil && *old != s.System {
		s.newerSystem, s.System = s.System, *old
	}
	s.Model = s.Model.WithStoredTTL(o.Stored.Events)
	s.chooseForm()
	return s, nil
}

// changedPrompt is the notice that newer instructions wait for a change of the prefix.
const changedPrompt = "The instructions have changed since they were sent (the project's file, or a newer Plimsoll). This conversation keeps the ones it has until the next compaction, another model, or /memory; a new conversation has the new ones."

// useNewerInstructions starts to use newer instructions if the prefix is broken anyway: by a compaction, or because the model
// never got it. Otherwise it returns the notice about them, once.
func (j *Journal) useNewerInstructions() []conversation.Body {
	s := &j.settings
	if s.newerSystem == "" || s.OneTurn {
		return nil
	}
	cacheHasPrompt, broken, noticeStored := false, false, s.newerNoticed
	for _, e := range slices.Backward(j.log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Notice:
			noticeStored = noticeStored || b.Text == changedPrompt
		case conversation.Usage:
			cacheHasPrompt = cacheHasPrompt || b.Purpose == conversation.PurposeReply && b.Model == s.Model.Name()
		case conversation.Revert, conversation.Rewind:
			cacheHasPrompt = true
		}
		instructed := e.Body.Kind() == conversation.KindInstructions
		if broken = !cacheHasPrompt && (instructed || e.Body.Kind().Reduces()); broken || instructed {
			break
		}
	}
	switch {
	case broken:
		s.System, s.newerSystem, s.PromptBlobs = s.newerSystem, "", nil
		j.meter = j.meter.WithPrompt(s.PromptSizes())
	case !noticeStored:
		s.newerNoticed = true
		return []conversation.Body{conversation.Notice{Level: conversation.NoticeInfo, Text: changedPrompt}}
	}
	return nil
}

// ThinkingAfter is the Seq of the event up to which replies are sent without their thinking, 0 for none.
func ThinkingAfter(events []conversation.Event) uint64 {
	for _, e := range slices.Backward(events) {
		if n, ok := e.Body.(conversation.Notice); ok && n.ThinkingRefused {
			return e.Seq
		}
	}
	return 0
}

// read updates the settings from an event of the log.
func (s *Settings) read(e conversation.Event) {
	switch b := e.Body.(type) {
	case conversation.Instructions:
		s.RecordedPrompt = b
	case conversation.ModelChanged:
		s.RecordedModel = b
	case conversation.ConfigChanged:
		maps.Copy(s.RecordedOverrides, b.Set)
	case conversation.Notice:
		if b.ThinkingRefused {
			s.ThinkingAfter = e.Seq
		}
	}
	if k := e.Body.Kind(); k.IsOverlay() || k == conversation.KindInstructions { // later replies have another prefix
		s.PrefixChanged = e.Seq
	}
}

// Request is a request of the conversation with these messages.
func (s *Settings) Request(conversation string, messages []projection.Message) llm.Request {
	r := llm.Request{Model: s.Model.ID, System: s.System, Messages: messages, Conversation: conversation, Schema: s.Schema,
		Effort: s.Model.Effort, CacheTTL: s.Model.CacheTTL, ThinkingAfter: s.ThinkingAfter, PrefixChanged: s.PrefixChanged}
	if !s.Model.Caps.NoTools {
		r.Tools = s.Tools
	}
	if !s.Model.Caps.NoImages && slices.ContainsFunc(messages, func(m projection.Message) bool { return len(m.Images) > 0 }) {
		r.LoadImage, r.PDFs = s.loadBlob, s.Model.Caps.PDFs
	}
	return r
}

// Thinking lists the replies of a view that are sent with their thinking; false if the endpoint has no such form.
func (s *Settings) Thinking(v projection.View) (meter.Thinking, bool) {
	if s.Model.Thinker == nil || !s.Model.Caps.KeepsReasoning {
		return meter.Thinking{}, false
	}
	messages, _ := projection.Harden(v, s.Model.Caps) // a view that cannot be sent yet has thinking, too
	at, bound := s.Model.Thinker.Thinking(s.Request("", messages))
	t := meter.Thinking{Through: v.Through, Replies: map[uint64]bool{}, IsBound: bound}
	for _, i := range at {
		if events := messages[i].Events; len(events) > 0 {
			t.Replies[events[len(events)-1]] = true
		}
	}
	return t, true
}

// PromptSizes are the sizes of the system prompt and of the tools in a request.
func (s *Settings) PromptSizes() (system, tools conversation.Size) {
	if !s.Model.Caps.NoTools {
		tools = conversation.Measure(s.toolText)
	}
	return conversation.Measure(s.System), tools
}

// ModelChanged is the event that records the model.
func (s *Settings) ModelChanged() conversation.ModelChanged {
	c := conversation.ModelChanged{Provider: s.Model.Provider, Model: s.Model.ID, MaxOut: s.Model.MaxOut, BaseURL: s.Model.BaseURL, Effort: s.Model.Effort, OneTurn: s.OneTurn}
	if w := s.Model.Window; w.IsKnown() {
		c.Window, c.Source = w.Tokens, string(w.Source)
	}
	return c
}

// NewOverrides are the settings of this conversation that the log lacks.
func (s *Settings) NewOverrides() map[string]string {
	set := map[string]string{}
	for key, value := range s.Overrides {
		if old, ok := s.RecordedOverrides[key]; !ok || old != value {
			set[key] = value
		}
	}
	return set
}

// StoreOverrides stores new settings of this conversation, unless it has no messages.
func (j *Journal) StoreOverrides(ctx context.Context) {
	if set := j.settings.NewOverrides(); len(set) > 0 && j.log.Len() > 0 {
		j.AppendWhenIdle(ctx, conversation.ConfigChanged{Set: set})
	}
}

// EncodeTools returns the tools array as it is recorded: a JSON array of {name, description, parameters,
// read_only}, in order. The error is that of a schema that is not JSON.
func EncodeTools(specs []conversation.ToolSpec) (string, error) {
	text, err := conversation.EncodeJSON(append([]conversation.ToolSpec{}, specs...)) // [] for none, not null
	return string(text), err
}

// DecodeTools reads the output of EncodeTools. "" is no tools.
func DecodeTools(text string) ([]conversation.ToolSpec, error) {
	if text == "" {
		return nil, nil
	}
	var specs []conversation.ToolSpec
	if err := json.Unmarshal([]byte(text), &specs); err != nil {
		return nil, fmt.Errorf("reading the recorded tools: %w", err)
	}
	return specs, nil
}

// Every request pays for the system prompt and the tools. In a small window they must leave room for the
// conversation. Rules:
//
//   - Together they take at most a quarter of the window, by Plimsoll's own estimate: the longest form that fits is
//     used, or else the last one.
//   - The choice ends when the first message records it: another form would break the provider's cache, and past
//     requests could not be rebuilt.
//   - A notice names the tools that are left out.

// promptShare limits prompt and tools to one part of the window in so many: a quarter.
const promptShare = 4

// declaration is a form with the recorded encoding of its tools.
type declaration struct {
	Form
	text string
}

func (f Form) declaration() (declaration, error) {
	d := declaration{Form: f}
	d.System = conversation.Clean(f.System)
	if len(f.Tools) == 0 {
		return d, nil
	}
	var err error
	if d.text, err = EncodeTools(f.Tools); err == nil {
		// So that the first request, too, has the recorded bytes.
		d.Tools, err = DecodeTools(d.text)
	}
	if err != nil {
		return d, fmt.Errorf("recording the tools: %w", err)
	}
	return d, nil
}

// declarations are the forms of a conversation, the longest first. With recorded tools there is one: these tools,
// with the system prompt that belongs to them.
func declarations(o Options) ([]declaration, error) {
	full := Form{System: o.System, Tools: o.Stored.Tools}
	if full.Tools == nil && o.Toolbox != nil {
		full.Tools = o.Toolbox.Specs()
	}
	var all []declaration
	for _, f := range append([]Form{full}, o.Forms...) {
		d, err := f.declaration()
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if o.Stored.Tools == nil {
		return all, nil
	}
	for _, d := range all[1:] {
		// The forms describe the same tool differently. Others depend on skills and servers, which come and go.
		if len(d.Tools) > 0 && len(full.Tools) > 0 && d.Tools[0].Name == full.Tools[0].Name && d.Tools[0].Description == full.Tools[0].Description {
			all[0].System = d.System
			break
		}
	}
	return all[:1], nil
}

// chooseForm picks the longest form that leaves room in the window, unless one is recorded. It reports whether the form
// changed.
func (s *Settings) chooseForm() bool {
	if len(s.forms) < 2 || s.PromptBlobs != nil || s.RecordedPrompt != (conversation.Instructions{}) {
		return false
	}
	window := cmp.Or(s.Model.Window.Tokens, s.assumedWindow)
	best := s.forms[0]
	for _, f := range s.forms[1:] {
		if window <= 0 || s.formTokens(best) <= float64(window/promptShare) {
			break
		}
		if f.OnlyBelow == 0 || window < f.OnlyBelow {
			best = f
		}
	}
	changed := best.text != s.toolText || best.System != s.System
	s.System, s.Tools, s.toolText = best.System, best.Tools, best.text
	return changed
}

// formTokens is the number of tokens of a form, by Plimsoll's estimate.
func (s *Settings) formTokens(d declaration) float64 {
	tools := conversation.Measure(d.text)
	if s.Model.Caps.NoTools {
		tools = conversation.Size{}
	}
	n := meter.New(meter.Options{}).WithPrompt(conversation.Measure(d.System), tools).RequestEstimate()
	if f := s.Model.Calibration.Factor; f > 0 {
		n *= f
	}
	return n
}

// omittedToolsNotice is the notice about tools that are not declared, nil if all are declared.
func (s *Settings) omittedToolsNotice() []conversation.Body {
	if len(s.forms) < 2 || len(s.Tools) == len(s.forms[0].Tools) || s.Model.Caps.NoTools {
		return nil
	}
	var names []string
	for _, t := range s.forms[0].Tools {
		if !conversation.HasTool(s.Tools, t.Name) {
			names = append(names, t.Name)
		}
	}
	size := "small"
	if !s.Model.Window.IsKnown() {
		size = "unknown and taken for a small one"
	}
	return []conversation.Body{conversation.Notice{Level: conversation.NoticeInfo, Text: fmt.Sprintf(
		"The window is %s: the model is given %d of %d tools in this conversation, without %s. In a window of %d tokens or more it has them all.",
		size, len(s.Tools), len(s.forms[0].Tools), strings.Join(names, ", "), s.forms[len(s.forms)-1].OnlyBelow)}}
}

// Prompt is the system prompt of a conversation, and what another one would cost.
type Prompt struct {
	System   string
	Tokens   int  // of the next request, which the provider would read without its cache
	Cached   bool // the provider's cache may hold the conversation now
	Thinking int  // replies whose thinking is bound to the prompt, and is not sent with another one
}

// Prompt is the current system prompt.
func (j *Journal) Prompt() Prompt {
	p := Prompt{System: j.settings.System, Tokens: j.Reading().Used, Cached: !j.ColdFor(j.Model())}
	if t, ok := j.settings.Thinking(j.view); ok && t.IsBound {
		p.Thinking = len(t.Replies)
	}
	return p
}

// ReplacePrompt replaces the system prompt, in all its forms. The change is recorded at once, or with the next request of a turn
// or of a conversation without messages.
func (j *Journal) ReplacePrompt(ctx context.Context, replace func(old string) string) error {
	s := &j.settings
	for i, f := range s.forms {
		s.forms[i].System = conversation.Clean(replace(f.System))
	}
	old := s.System
	s.System, s.newerSystem = conversation.Clean(replace(old)), ""
	if s.System == old {
		return nil
	}
	s.PromptBlobs, j.meter = nil, j.meter.WithPrompt(s.PromptSizes())
	if j.InTurn || j.log.Len() == 0 {
		return nil
	}
	return j.RecordSettings(ctx)
}

// How long the provider's cache keeps the prompt is chosen only while the cache holds nothing of the conversation:
// then the whole prompt is written anyway. In between the choice stays, because with another lifetime the cache has
// to be written again.

// ChooseTTL records the pause between the newest reply and the next request, and chooses how long the provider
// keeps the prompt, where requests may set that and the user did not.
func (j *Journal) ChooseTTL() {
	m := &j.settings.Model
	last, changed := j.LastReport(*m)
	idle := j.Now().Sub(last.Time)
	terms := m.CacheTerms()
	if m.TTL == llm.TTLChosen && (changed || m.Sheet().Cold(idle)) {
		o := llm.CacheChoiceInput(*m, j.log.Events())
		o.Prompt, o.Evictions = j.meter.RequestEstimate(), planner.EvictionSizes(j.rules, j.meter)
		m.CacheTTL = terms.ChooseLifetime(o).Lifetime
	}
	if c := &m.Calibration; m.TTL != llm.TTLEndpoint && !changed && last.Seq != j.countedPause { // a retried request counts once
		j.countedPause = last.Seq
		idle = j.Now().Sub(j.log.Events()[last.Seq-1].Time) // a ping ends no pause
		r := promptcache.PauseCounts{Requests: c.Requests, Pauses: c.Pauses, LongPauses: c.LongPauses}.Add(terms, idle)
		c.Requests, c.Pauses, c.LongPauses = r.Requests, r.Pauses, r.LongPauses
	}
}
