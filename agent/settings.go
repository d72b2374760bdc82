package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What requests carry besides the messages is recorded in the log before the
// first request that carries it: the system prompt and the tools array as
// blobs, the model by name. So any past request can be rebuilt.

// settings is what requests carry besides the messages, and what of it the log
// records.
type settings struct {
	system   string
	tools    []conversation.ToolSpec
	toolText string        // of tools, as recorded
	forms    []declaration // the ways to put prompt and tools, the longest first
	assumed  int           // what an unknown window is taken for when one is chosen, 0 for a large one
	provider Provider
	model    Model

	blobs        *conversation.Instructions // tools and prompt once they are stored
	overrides    map[string]string          // in force for the conversation
	recorded     map[string]string          // of them, what the log has
	instructions conversation.Instructions  // newest recorded
	changed      conversation.ModelChanged  // newest recorded
}

func newSettings(o Options) (settings, error) {
	forms, err := declarations(o)
	if err != nil {
		return settings{}, err
	}
	s := settings{forms: forms, assumed: o.AssumeWindow, system: forms[0].system, tools: forms[0].tools, toolText: forms[0].text,
		provider: o.Provider, model: o.Model, overrides: o.Overrides, recorded: map[string]string{}}
	for _, e := range o.Stored.Events {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			s.instructions = b
		case conversation.ModelChanged:
			s.changed = b
		case conversation.ConfigChanged:
			maps.Copy(s.recorded, b.Set)
		}
	}
	s.choose()
	return s, nil
}

// promptSizes is what the system prompt and the tools weigh in a request.
func (s *settings) promptSizes() (system, tools conversation.Size) {
	if !s.model.Caps.NoTools {
		tools = conversation.Measure(s.toolText)
	}
	return conversation.Measure(s.system), tools
}

// modelChanged is the model as the log records it.
func (s *settings) modelChanged() conversation.ModelChanged {
	c := conversation.ModelChanged{Provider: s.model.Provider, Model: s.model.ID, MaxOut: s.model.MaxOut, BaseURL: s.model.BaseURL}
	if w := s.model.Window; w.Known() {
		c.Window, c.Source = w.Tokens, string(w.Source)
	}
	return c
}

// unrecorded is what the log does not record yet of what the next request
// carries. Blobs are stored first.
func (j *journal) unrecorded(ctx context.Context) ([]conversation.Body, error) {
	s := &j.settings
	if s.blobs == nil {
		blobs, err := j.storePrompt(ctx)
		if err != nil {
			return nil, err
		}
		s.blobs = &blobs
	}
	var bodies []conversation.Body
	if *s.blobs != s.instructions {
		if s.instructions == (conversation.Instructions{}) {
			bodies = append(bodies, s.leftOut()...)
		}
		bodies = append(bodies, *s.blobs)
	}
	if c := s.modelChanged(); c != s.changed {
		bodies = append(bodies, c)
	}
	if set := s.newOverrides(); len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies, nil
}

// recordSettings appends what the log does not record yet of what the next request
// carries.
func (j *journal) recordSettings(ctx context.Context) error {
	bodies, err := j.unrecorded(ctx)
	if err != nil {
		return notSaved(err)
	}
	_, err = j.append(ctx, bodies...)
	return err
}

// recordOverrides appends the overrides that the log does not have.
func (j *journal) recordOverrides(ctx context.Context) error {
	set := j.settings.newOverrides()
	if len(set) == 0 {
		return nil
	}
	_, err := j.append(ctx, conversation.ConfigChanged{Set: set})
	return err
}

// newOverrides are the overrides that the log does not have.
func (s *settings) newOverrides() map[string]string {
	set := map[string]string{}
	for key, value := range s.overrides {
		if old, ok := s.recorded[key]; !ok || old != value {
			set[key] = value
		}
	}
	return set
}

func (j *journal) storePrompt(ctx context.Context) (conversation.Instructions, error) {
	s := &j.settings
	in := conversation.Instructions{SystemSize: conversation.Measure(s.system), ToolsSize: conversation.Measure(s.toolText)}
	for _, part := range []struct {
		text string
		name *string
	}{{s.system, &in.System}, {s.toolText, &in.Tools}} {
		if part.text == "" {
			continue
		}
		blob, err := j.opts.Log.PutBlob(context.WithoutCancel(ctx), part.text)
		if err != nil {
			return in, err
		}
		*part.name = blob
	}
	return in, nil
}

// recordedTool is the stored form of a tool.
type recordedTool struct {
	Name        string               `json:"name"`
	Description string               `json:"description"`
	Parameters  conversation.RawJSON `json:"parameters"`
	ReadOnly    bool                 `json:"read_only,omitempty"`
}

// EncodeTools returns the tools array as it is recorded: a JSON array of
// {name, description, parameters, read_only}, in order. The error is that of a
// schema which is not JSON.
func EncodeTools(specs []conversation.ToolSpec) (string, error) {
	out := make([]recordedTool, len(specs))
	for i, t := range specs {
		out[i] = recordedTool(t)
	}
	text, err := conversation.EncodeJSON(out)
	return string(text), err
}

// DecodeTools reads what EncodeTools wrote. "" is no tools.
func DecodeTools(text string) ([]conversation.ToolSpec, error) {
	if text == "" {
		return nil, nil
	}
	var in []recordedTool
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, fmt.Errorf("reading the recorded tools: %w", err)
	}
	specs := make([]conversation.ToolSpec, len(in))
	for i, t := range in {
		specs[i] = conversation.ToolSpec(t)
	}
	return specs, nil
}

// switchModel sends requests to another model from the next one on.
func (a *Agent) switchModel(ctx context.Context, m Model, p Provider) {
	if known, ok := a.windows.learned[m.CalibrationKey]; ok && m.CalibrationKey != "" {
		m.Calibration = known
	}
	a.compactor.writers.previous = a.compactor.writers.largerThan(m.Window)
	a.settings.model, a.settings.provider = m, p
	a.windows.outdated()
	a.compactor.planner.rearmAt = 0 // it was reckoned by another window
	a.settings.choose()
	a.display.declare()
	a.meter = a.meter.WithModel(m.MeterOptions(a.rules)).WithPrompt(a.settings.promptSizes())
	a.compactor.dropStale()
	a.updates.Put(ModelSwitched{Model: m})
	a.display.showMeter()
	// In a turn the next request records it, and before the first message
	// there is no conversation to record it in.
	if !a.inTurn && a.log.Len() > 0 {
		a.keepForLater(ctx, a.settings.modelChanged())
		a.compactor.replan = true // what is said need not fit into the new one
	}
}

// recordLimits records what became known late about the model, once a request
// to it is on record: otherwise the first request records it.
func (a *Agent) recordLimits(ctx context.Context) {
	if c := a.settings.modelChanged(); a.settings.blobs != nil && c != a.settings.changed {
		a.keepForLater(ctx, c)
	}
}

// Settings that change while the conversation goes on are events, so that a log
// says by what rules each compaction was made.

// Configure puts settings in force from here on: set is what is new, by dotted
// key with the value in YAML form, and rules is what all of them come to. It is
// recorded at once while idle, otherwise when the turn goes on or ends; before
// anything was said, with the first message.
func (a *Agent) Configure(set map[string]string, rules compact.Rules) {
	set = maps.Clone(set)
	a.inbox.put(func(ctx context.Context) {
		overrides := map[string]string{}
		maps.Copy(overrides, a.settings.overrides) // the caller's map stays as it is
		maps.Copy(overrides, set)
		a.settings.overrides = overrides
		a.rules = rules
		a.meter = a.meter.WithRules(rules)
		a.compactor.planner.refreshPast()
		a.compactor.dropStale()
		a.display.showMeter()
		if !a.inTurn {
			a.recordConfig(ctx)
		}
	})
}

// recordConfig records settings that are new, if anything was said.
func (a *Agent) recordConfig(ctx context.Context) {
	if set := a.settings.newOverrides(); len(set) > 0 && a.log.Len() > 0 {
		a.keepForLater(ctx, conversation.ConfigChanged{Set: set})
	}
}
