package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	fastjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	fastjsonv1 "github.com/go-json-experiment/json/v1"
)

// The stored form of an event is one JSON object with the body under the
// name of its kind:
//
//	{"seq":1,"turn":0,"time":"2026-11-20T09:30:00.000Z","user":{"text":"hi"}}
//
// so that one decoding pass is enough. Decoding dominates the time to open a long
// conversation. It therefore uses the successor of encoding/json, which costs half
// as much, with the rules of encoding/json. An object with exactly one key besides
// seq, turn and time, and an unknown name for that key, is an Unknown body.

// storedOptions are the rules of encoding/json, except that an object is not validated
// before it is decoded: a malformed one fails during decoding anyway.
var storedOptions = fastjson.JoinOptions(fastjsonv1.DefaultOptionsV1(), fastjsonv1.ReportErrorsWithLegacySemantics(false),
	fastjson.WithUnmarshalers(fastjson.UnmarshalFromFunc(readText)))

// ErrMalformed reports that stored bytes are not an event.
var ErrMalformed = errors.New("not a stored event")

// storedEvent is the JSON form of an event.
type storedEvent struct {
	Seq  uint64    `json:"seq"`
	Turn int       `json:"turn"`
	Time time.Time `json:"time"`

	User         *UserMessage        `json:"user,omitempty"`
	Assistant    *AssistantMessage   `json:"assistant,omitempty"`
	Result       *ToolResult         `json:"result,omitempty"`
	Usage        *Usage              `json:"usage,omitempty"`
	Instructions *Instructions       `json:"instructions,omitempty"`
	Model        *ModelChanged       `json:"model,omitempty"`
	Config       *ConfigChanged      `json:"config,omitempty"`
	Renamed      *Renamed            `json:"renamed,omitempty"`
	Notice       *Notice             `json:"notice,omitempty"`
	TurnFailed   *TurnFailed         `json:"turn_failed,omitempty"`
	MCPServer    *MCPServer          `json:"mcp_server,omitempty"`
	ToolsLoaded  *ToolsLoaded        `json:"tools_loaded,omitempty"`
	SkillLoaded  *SkillLoaded        `json:"skill_loaded,omitempty"`
	HookRan      *HookRan            `json:"hook_ran,omitempty"`
	Checkpoint   *Checkpoint         `json:"checkpoint,omitempty"`
	Rewound      *Rewound            `json:"rewound,omitempty"`
	Instructed   *InstructionsLoaded `json:"instructions_loaded,omitempty"`
	TaskStarted  *TaskStarted        `json:"task_started,omitempty"`
	TaskEnded    *TaskEnded          `json:"task_ended,omitempty"`
	JobStarted   *JobStarted         `json:"job_started,omitempty"`
	JobEnded     *JobEnded           `json:"job_ended,omitempty"`

	Cap     *Cap     `json:"cap,omitempty"`
	Mask    *Mask    `json:"mask,omitempty"`
	Summary *Summary `json:"summary,omitempty"`
	Drop    *Drop    `json:"drop,omitempty"`
	Rewind  *Rewind  `json:"rewind,omitempty"`
	Pin     *Pin     `json:"pin,omitempty"`
	Unpin   *Unpin   `json:"unpin,omitempty"`
	Revert  *Revert  `json:"revert,omitempty"`
	Attempt *Attempt `json:"attempt,omitempty"`
}

// Marshal returns the stored form of e. It fails if e has no body, or an Unknown one under a reserved name.
func Marshal(e Event) ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d has no body", e.Seq)
	}
	var body any = e.Body
	if u, ok := e.Body.(Unknown); ok {
		if body = u.Raw; u.Name == "" || reserved(string(u.Name)) {
			return nil, fmt.Errorf("event %d: %q cannot name an unknown kind", e.Seq, u.Name)
		}
	}
	head := strconv.AppendUint([]byte(`{"seq":`), e.Seq, 10)
	head = strconv.AppendInt(append(head, `,"turn":`...), int64(e.Turn), 10)
	head, err := e.Time.AppendText(append(head, `,"time":"`...))
	if err == nil {
		head, err = jsontext.AppendQuote(append(head, `",`...), e.Body.Kind())
	}
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	b := bytes.NewBuffer(append(head, ':'))
	if err := encodeJSON(b, body); err != nil {
		return nil, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// EncodeJSON is json.Marshal without the escaping of <, > and &.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := encodeJSON(&b, v)
	return b.Bytes(), err
}

// encodeJSON appends v to b as JSON, as EncodeJSON does.
func encodeJSON(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
	return nil
}

// storedEventPool reuses storedEvent values. One is about as large as a decoded event,
// and a new one for each event would fragment the heap.
var storedEventPool = sync.Pool{New: func() any { return new(storedEvent) }}

func (s *storedEvent) release() {
	*s = storedEvent{}
	storedEventPool.Put(s)
}

// Unmarshal decodes the stored form of an event and normalizes its body. A body of
// an unknown kind is kept; bytes that are not an event give ErrMalformed.
func Unmarshal(data []byte) (Event, error) {
	s := storedEventPool.Get().(*storedEvent)
	defer s.release()
	if err := fastjson.Unmarshal(data, s, storedOptions); err != nil {
		return Event{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	e := Event{Seq: s.Seq, Turn: s.Turn, Time: s.Time, Body: s.body()}
	if e.Body == nil {
		u, err := unmarshalUnknown(data)
		if err != nil {
			return Event{}, err
		}
		e.Body = u
	}
	if e.Seq == 0 {
		return Event{}, fmt.Errorf("%w: no sequence number", ErrMalformed)
	}
	if e.Turn < 0 {
		return Event{}, fmt.Errorf("%w: turn %d", ErrMalformed, e.Turn)
	}
	return e, nil
}

// body returns the normalized body; nil for an unknown kind. Messages and results, the
// bulk of a conversation, are normalized in place, which saves a copy.
func (s *storedEvent) body() Body {
	switch {
	case s.User != nil:
		s.User.normalize()
		return *s.User
	case s.Assistant != nil:
		s.Assistant.normalize()
		return *s.Assistant
	case s.Result != nil:
		s.Result.normalize()
		return *s.Result
	}
	fields := reflect.ValueOf(s).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			b, _ := f.Elem().Interface().(Body) // a test checks that every field is a Body
			return normalize(b)
		}
	}
	return nil
}

func unmarshalUnknown(data []byte) (Unknown, error) {
	var fields map[string]RawJSON
	if err := json.Unmarshal(data, &fields); err != nil {
		return Unknown{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	var u Unknown
	for name, raw := range fields {
		if reserved(name) {
			continue
		}
		if u.Name != "" {
			return Unknown{}, fmt.Errorf("%w: both %q and %q", ErrMalformed, u.Name, name)
		}
		u = Unknown{Name: Kind(name), Raw: raw}
	}
	if u.Name == "" {
		return Unknown{}, fmt.Errorf("%w: no body", ErrMalformed)
	}
	return u, nil
}

// reserved reports whether encoding/json would decode the key name, in any letter
// case, into a field of storedEvent.
func reserved(name string) bool {
	return slices.ContainsFunc(storedKeys(), func(known string) bool { return strings.EqualFold(name, known) })
}

// storedKeys returns the JSON keys of storedEvent.
var storedKeys = sync.OnceValue(func() []string {
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[storedEvent]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
})
